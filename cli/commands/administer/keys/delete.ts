import { z } from 'zod';
import { Management } from '../../../access/management.js';
import { SERVER_OPTIONS } from '../../../api/index.js';
import { defineCommand } from '../../../command.js';
import { confirm, CONFIRM_OPTION } from '../../../deploy/ask.js';
import { EXIT } from '../../../exit-code.js';
import { write } from '../../../io.js';

const OUTPUT = z.strictObject({ schemaVersion: z.literal(1), deleted: z.string() });

/** `weir keys delete`: the key stops working within a second. */
export const keysDelete = defineCommand({
  usage: 'delete <id>',
  summary: 'Revoke a key within a second',
  positionals: {
    id: {
      type: 'string',
      demandOption: true,
      describe: 'Public key id',
    },
  },
  options: {
    ...SERVER_OPTIONS,
    ...CONFIRM_OPTION,
  },
  output: OUTPUT,

  async run(args, { io }) {
    const management = await Management.of(args, io);
    const key = await management.key(args.id);
    await confirm(
      args,
      `the key ${key.id} (${key.environment}) stops working immediately and cannot be restored`,
      key.id,
      io,
    );
    await management.deleteKey(key);
    if (args.json) await write(io.stdout, `${JSON.stringify({ schemaVersion: 1, deleted: key.id })}\n`);
    return { exit: EXIT.ok, words: `key ${key.id} (${key.environment}) is deleted` };
  },
});
