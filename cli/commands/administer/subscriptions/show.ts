import { defineCommand } from '../../../command.js';
import { EXIT } from '../../../exit-code.js';
import { write } from '../../../io.js';
import { onSubscription, SUBSCRIPTION_OUTPUT, subscriptionText } from '../../../server/account-subscription.js';
import { serverConfig } from '../../../server/with-database.js';

/** `weir subscriptions show`: the subscription state of an account, from the database of the server's settings. */
export const subscriptionsShow = defineCommand({
  usage: 'show <account>',
  summary: 'Show the subscription state of an account',
  positionals: {
    account: {
      type: 'string',
      demandOption: true,
      describe: 'Account id, or the e-mail address of a member',
    },
  },
  output: SUBSCRIPTION_OUTPUT,

  async run({ account, json }, { io }) {
    const output = await onSubscription(await serverConfig(io), { account });
    await write(io.stdout, json ? `${JSON.stringify(output)}\n` : subscriptionText(output));
    return { exit: EXIT.ok, words: `the subscription is ${output.subscription.state}` };
  },
});
