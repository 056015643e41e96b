import { z } from 'zod';
import { Management } from '../../../access/management.js';
import { SERVER_OPTIONS } from '../../../api/index.js';
import { defineCommand } from '../../../command.js';
import { confirm, CONFIRM_OPTION } from '../../../deploy/ask.js';
import { EXIT } from '../../../exit-code.js';
import { write } from '../../../io.js';

const OUTPUT = z.strictObject({ schemaVersion: z.literal(1), deleted: z.string() });

/** `weir tokens delete`: the token stops working within a second. */
export const tokensDelete = defineCommand({
  usage: 'delete <id>',
  summary: 'Revoke a token within a second',
  positionals: {
    id: {
      type: 'string',
      demandOption: true,
      describe: 'Public token id',
    },
  },
  options: {
    ...SERVER_OPTIONS,
    ...CONFIRM_OPTION,
  },
  output: OUTPUT,

  async run(args, { io }) {
    await confirm(args, `the token ${args.id} stops working immediately and cannot be restored`, args.id, io);
    await (await Management.of(args, io)).deleteToken(args.id);
    if (args.json) await write(io.stdout, `${JSON.stringify({ schemaVersion: 1, deleted: args.id })}\n`);
    return { exit: EXIT.ok, words: `token ${args.id} is deleted` };
  },
});
