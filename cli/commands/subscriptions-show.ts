import type { Argv } from 'yargs';
import type { Command, GlobalArgs } from '../command.js';
import { EXIT } from '../exit-code.js';
import { write } from '../io.js';
import { onSubscription, SUBSCRIPTION_OUTPUT, subscriptionText } from '../server/account-subscription.js';
import { serverConfig } from '../server/with-database.js';

interface SubscriptionsShowArgs extends GlobalArgs {
  readonly account: string;
}

/** `weir subscriptions show`: what an account has, read from the database of the server's settings. */
export const subscriptionsShow: Command<SubscriptionsShowArgs> = {
  output: SUBSCRIPTION_OUTPUT,

  build(parser) {
    return parser.positional('account', {
      type: 'string',
      demandOption: true,
      describe: 'Account id, or the e-mail address of a member',
    }) as unknown as Argv<SubscriptionsShowArgs>;
  },

  async run({ account, json }, { io }) {
    const output = await onSubscription(await serverConfig(io), account, (subscriptions, id) => subscriptions.find(id));
    await write(io.stdout, json ? `${JSON.stringify(output)}\n` : subscriptionText(output));
    return { exit: EXIT.ok, words: `the subscription is ${output.subscription.state}` };
  },
};
