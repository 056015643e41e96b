/**
 * The commands `weir subscriptions …`, which run on the machine of the service. They change an account in its database.
 */
import type { SubscriptionQuestion } from '../../../../src/subscription/index.js';
import { defineCommand, textOption, type CommandArgs } from '../../../command.js';
import { EXIT, usageError } from '../../../exit-code.js';
import { write } from '../../../io.js';
import { onSubscription, SUBSCRIPTION_OUTPUT, subscriptionText } from '../../../server/account-subscription.js';
import { serverConfig } from '../../../server/with-database.js';

const STATES = ['trialing', 'active', 'inactive', 'lapsed'] as const;

const OPTIONS = {
  until: textOption('End: a date, or a time such as 2027-01-31T12:00:00Z; only with the states trialing and active'),
  'restart-trial': {
    type: 'boolean',
    default: false,
    describe: 'Restart the trial now, with zero counted events',
  },
} as const;
const ARGUMENTS = {
  account: {
    type: 'string',
    demandOption: true,
    describe: 'Account id, or the e-mail address of a member',
  },
  state: { choices: STATES, demandOption: true, describe: 'New state' },
} as const;

type SubscriptionsSetArgs = CommandArgs<typeof OPTIONS, typeof ARGUMENTS>;

/** `weir subscriptions set`: sets the subscription state of an account in the database of the server's settings. */
export const subscriptionsSet = defineCommand({
  usage: 'set <account> <state>',
  summary: 'Set the subscription state of an account',
  positionals: ARGUMENTS,
  options: OPTIONS,
  output: SUBSCRIPTION_OUTPUT,

  async run(args, { io }) {
    const change = changeOf(args);
    const output = await onSubscription(await serverConfig(io), { account: args.account, change });
    await write(io.stdout, args.json ? `${JSON.stringify(output)}\n` : subscriptionText(output));
    return { exit: EXIT.ok, words: `the subscription is ${output.subscription.state}` };
  },
});

/** The update that the flags describe. A new state replaces the old state and its dates: omitted dates become empty. */
function changeOf({ state, until, restartTrial }: SubscriptionsSetArgs): NonNullable<SubscriptionQuestion['change']> {
  const end = until === undefined ? null : timeOf(until);
  if (end !== null && state !== 'trialing' && state !== 'active')
    throw usageError(`--until cannot be combined with ${state}`);
  if (restartTrial && state !== 'trialing') throw usageError('--restart-trial needs the state trialing');
  return {
    state,
    ...(state === 'trialing' ? { trialEndsAt: end, restartTrial } : {}),
    endsAt: state === 'active' ? end : null,
    periodEndsAt: state === 'active' ? end : null,
  };
}

/** A date without a time means its start in UTC. */
function timeOf(text: string): Date {
  const time = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}:\d{2}(?:\.\d{1,3})?Z)?$/.test(text) ? new Date(text) : undefined;
  if (time === undefined || Number.isNaN(time.getTime())) {
    throw usageError('--until takes a date such as 2027-01-31, or a time such as 2027-01-31T12:00:00Z');
  }
  return time;
}
