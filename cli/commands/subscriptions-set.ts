import type { Argv } from 'yargs';
import type { SubscriptionChange } from '../../src/subscription/index.js';
import type { Command, GlobalArgs } from '../command.js';
import { EXIT, usageError } from '../exit-code.js';
import { write } from '../io.js';
import { onSubscription, SUBSCRIPTION_OUTPUT, subscriptionText } from '../server/account-subscription.js';
import { serverConfig } from '../server/with-database.js';

const STATES = ['trialing', 'active', 'inactive', 'lapsed'] as const;

interface SubscriptionsSetArgs extends GlobalArgs {
  readonly account: string;
  readonly state: (typeof STATES)[number];
  readonly until: string | undefined;
  readonly restartTrial: boolean;
}

/** `weir subscriptions set`: what an account has from now on, written to the database of the server's settings. */
export const subscriptionsSet: Command<SubscriptionsSetArgs> = {
  output: SUBSCRIPTION_OUTPUT,

  build(parser) {
    return parser
      .positional('account', {
        type: 'string',
        demandOption: true,
        describe: 'Account id, or the e-mail address of a member',
      })
      .positional('state', { choices: STATES, demandOption: true, describe: 'New state' })
      .option('until', {
        type: 'string',
        requiresArg: true,
        describe: 'End of the state as a date or a time such as 2027-01-31T12:00:00Z; only with trialing and active',
      })
      .option('restart-trial', {
        type: 'boolean',
        default: false,
        describe: 'Restart the trial from now, with no events counted',
      }) as unknown as Argv<SubscriptionsSetArgs>;
  },

  async run(args, { io }) {
    const change = changeOf(args);
    const output = await onSubscription(await serverConfig(io), args.account, (subscriptions, id) =>
      subscriptions.change(id, change),
    );
    await write(io.stdout, args.json ? `${JSON.stringify(output)}\n` : subscriptionText(output));
    return { exit: EXIT.ok, words: `the subscription is ${output.subscription.state}` };
  },
};

/** What is not named ends: a new state begins with the dates that come with it, or none. */
function changeOf({ state, until, restartTrial }: SubscriptionsSetArgs): SubscriptionChange {
  const end = until === undefined ? null : timeOf(until);
  if (end !== null && state !== 'trialing' && state !== 'active')
    throw usageError(`--until means nothing for ${state}`);
  if (restartTrial && state !== 'trialing') throw usageError('--restart-trial goes with trialing');
  return {
    state,
    ...(state === 'trialing' ? { trialEndsAt: end, restartTrial } : {}),
    endsAt: state === 'active' ? end : null,
    periodEndsAt: state === 'active' ? end : null,
  };
}

/** A date means its beginning in UTC. */
function timeOf(text: string): Date {
  const time = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}:\d{2}(?:\.\d{1,3})?Z)?$/.test(text) ? new Date(text) : undefined;
  if (time === undefined || Number.isNaN(time.getTime())) {
    throw usageError('--until takes a date such as 2027-01-31, or a time such as 2027-01-31T12:00:00Z');
  }
  return time;
}
