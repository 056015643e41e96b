/**
 * What commands need on the machine of the service: its database and its accounts. No other command opens a database.
 */
import { z } from 'zod';
import type { AppConfig } from '../../src/config/index.js';
import type { Subscription, Subscriptions } from '../../src/subscription/index.js';
import { CliError, EXIT } from '../exit-code.js';
import { columns } from '../output/columns.js';
import { withDatabase } from './with-database.js';

/** What `weir subscriptions …` prints as JSON. */
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
 * Does something with one account's subscription, directly on the database of the server's settings.
 *
 * @param named the account's id, or the e-mail address of somebody who belongs to it
 * @throws CliError exit 4 when the database cannot be had, exit 2 when there is no such account or the name fits several
 */
export async function onSubscription(
  config: AppConfig,
  named: string,
  work: (subscriptions: Subscriptions, accountId: string) => Promise<Subscription | null>,
): Promise<Output> {
  const { Subscriptions, subscriptionView } = await import('../../src/subscription/index.js');
  const { AdminAudit } = await import('../../src/admin-audit/index.js');
  const { pendingMigrations } = await import('../../src/database/index.js');
  return withDatabase(config, async (database) => {
    if ((await pendingMigrations(database)).length > 0) {
      throw new CliError(EXIT.unavailable, 'the database is not up to date: run weir server migrate');
    }
    const subscriptions = new Subscriptions(database.sql, new AdminAudit(database.sql));
    const [accountId, ...others] = await subscriptions.accountsNamed(named);
    const subscription = accountId === undefined || others.length > 0 ? null : await work(subscriptions, accountId);
    if (accountId === undefined || subscription === null) {
      throw new CliError(
        EXIT.usage,
        others.length > 0 ? 'this person belongs to several accounts: name one by its id' : 'there is no such account',
      );
    }
    return {
      schemaVersion: 1,
      account: accountId,
      subscription: subscriptionView(subscription, config.billing, new Date()),
    };
  });
}

/** The same for people. */
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
