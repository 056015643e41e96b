/** Access of commands on the machine of the service: its database and its accounts. No other command opens a database. */
import { z } from 'zod';
import type { AppConfig } from '../../src/config/index.js';
import type { NamedSubscription, SubscriptionQuestion } from '../../src/subscription/index.js';
import { CliError, EXIT, usageError } from '../exit-code.js';
import { columns } from '../output/columns.js';
import { refused, withDatabase } from './with-database.js';

/** The JSON output of `weir subscriptions …`. */
export const SUBSCRIPTION_OUTPUT = z.strictObject({
  schemaVersion: z.literal(1),
  account: z.string(),
  subscription: z.object({
    state: z.enum(['trialing', 'active', 'inactive', 'lapsed']),
    billing: z.enum(['on', 'off']),
    trial: z
      .object({
        started_at: z.string(),
        ends_at: z.string(),
        events_used: z.number(),
        events_included: z.number(),
        over: z.boolean(),
      })
      .nullable(),
    period_ends_at: z.string().nullable(),
    changed_at: z.string(),
  }),
});

type Output = z.infer<typeof SUBSCRIPTION_OUTPUT>;

/**
 * Shows or changes the subscription of one account: through the running server if it has locked the embedded database, else directly in
 * the configured database.
 *
 * @throws CliError exit 4 when the database is unavailable, exit 2 if there is no such account or the name matches several
 */
export async function onSubscription(config: AppConfig, question: SubscriptionQuestion): Promise<Output> {
  const found = (await askedOfServer(config, question)) ?? (await askedOfDatabase(config, question));
  if (!('problem' in found)) return { schemaVersion: 1, ...found };
  throw usageError(
    found.problem === 'several accounts'
      ? 'this person belongs to several accounts: use the id of the account'
      : 'there is no such account',
  );
}

async function askedOfServer(
  { database, dataDir }: AppConfig,
  question: SubscriptionQuestion,
): Promise<NamedSubscription | undefined> {
  if (database.kind !== 'embedded') return undefined;
  const { askServer, assertMade } = await import('../../src/database/index.js');
  const { NAMED_SUBSCRIPTION } = await import('../../src/subscription/index.js');
  return refused(async () => {
    assertMade(dataDir);
    return (await askServer(dataDir, NAMED_SUBSCRIPTION, question)) as NamedSubscription | undefined;
  });
}

async function askedOfDatabase(config: AppConfig, question: SubscriptionQuestion): Promise<NamedSubscription> {
  const { namedSubscription, Subscriptions } = await import('../../src/subscription/index.js');
  const { AdminAudit } = await import('../../src/admin-audit/index.js');
  const { pendingMigrations } = await import('../../src/database/index.js');
  return withDatabase(config, async (database) => {
    if ((await pendingMigrations(database)).length > 0) {
      throw new CliError(EXIT.unavailable, 'the database is not up to date: run weir server migrate');
    }
    const subscriptions = new Subscriptions(database.sql, new AdminAudit(database.sql));
    return namedSubscription(subscriptions, config.billing, question, new Date());
  });
}

/** The subscription as text. */
export function subscriptionText({ account, subscription }: Output): string {
  const { state, billing, trial, period_ends_at: until } = subscription;
  const rows = [
    ['account', account],
    ['state', billing === 'off' ? `${state} (billing is off)` : state],
    ...(until === null ? [] : [['paid until', until]]),
    ...(trial === null
      ? []
      : [
          ['trial until', trial.ends_at],
          [
            'trial events',
            `${trial.events_used} of ${trial.events_included}${trial.over ? ' (the trial is over)' : ''}`,
          ],
        ]),
  ];
  return columns(['', ''], rows).split('\n').slice(1).join('\n');
}
