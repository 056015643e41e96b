import type { Argv } from 'yargs';
import { z } from 'zod';
import { Management } from '../access/management.js';
import { serverOptions, type ServerFlags } from '../api/index.js';
import type { Command, GlobalArgs } from '../command.js';
import { confirm, confirmOption, type ConfirmArgs } from '../deploy/ask.js';
import { EXIT } from '../exit-code.js';
import { write } from '../io.js';

interface KeysDeleteArgs extends GlobalArgs, ServerFlags, ConfirmArgs {
  readonly id: string;
}

const OUTPUT = z.strictObject({ schemaVersion: z.literal(1), deleted: z.string() });

/** `weir keys delete`: the key stops working within a second. */
export const keysDelete: Command<KeysDeleteArgs> = {
  output: OUTPUT,

  build(parser) {
    return confirmOption(serverOptions(parser)).positional('id', {
      type: 'string',
      demandOption: true,
      describe: 'Public key id',
    }) as unknown as Argv<KeysDeleteArgs>;
  },

  async run(args, { io }) {
    const management = await Management.of(args, io);
    const key = await management.key(args.id);
    await confirm(args, `the key ${key.id} (${key.environment}) stops at once and does not come back`, key.id, io);
    await management.deleteKey(key);
    if (args.json) await write(io.stdout, `${JSON.stringify({ schemaVersion: 1, deleted: key.id })}\n`);
    return { exit: EXIT.ok, words: `key ${key.id} (${key.environment}) is deleted` };
  },
};
