import type { Argv } from 'yargs';
import { z } from 'zod';
import { Management } from '../access/management.js';
import { serverOptions, type ServerFlags } from '../api/index.js';
import type { Command, GlobalArgs } from '../command.js';
import { confirm, confirmOption, type ConfirmArgs } from '../deploy/ask.js';
import { EXIT } from '../exit-code.js';
import { write } from '../io.js';

interface TokensDeleteArgs extends GlobalArgs, ServerFlags, ConfirmArgs {
  readonly id: string;
}

const OUTPUT = z.strictObject({ schemaVersion: z.literal(1), deleted: z.string() });

/** `weir tokens delete`: the token stops working within a second. */
export const tokensDelete: Command<TokensDeleteArgs> = {
  output: OUTPUT,

  build(parser) {
    return confirmOption(serverOptions(parser)).positional('id', {
      type: 'string',
      demandOption: true,
      describe: 'Public token id',
    }) as unknown as Argv<TokensDeleteArgs>;
  },

  async run(args, { io }) {
    await confirm(args, `the token ${args.id} stops at once and does not come back`, args.id, io);
    await (await Management.of(args, io)).deleteToken(args.id);
    if (args.json) await write(io.stdout, `${JSON.stringify({ schemaVersion: 1, deleted: args.id })}\n`);
    return { exit: EXIT.ok, words: `token ${args.id} is deleted` };
  },
};
