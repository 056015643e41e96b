/** The commands `weir exports …`. Their shared code is in cli/exports. */
import { z } from 'zod';
import { SERVER_OPTIONS } from '../../../api/index.js';
import { defineCommand } from '../../../command.js';
import { confirm, CONFIRM_OPTION } from '../../../deploy/ask.js';
import { EXIT } from '../../../exit-code.js';
import { ExportClient } from '../../../exports/export-client.js';
import { write } from '../../../io.js';

const OUTPUT = z.strictObject({ schemaVersion: z.literal(1), removed: z.string().describe('Id of the export.') });

/** `weir exports cancel`: cancels a queued or running export, or deletes the file of a finished one. */
export const exportsCancel = defineCommand({
  usage: 'cancel <id>',
  summary: 'Cancel an export and delete its file',
  positionals: {
    id: {
      type: 'string',
      demandOption: true,
      describe: 'Export id',
    },
  },
  options: {
    ...SERVER_OPTIONS,
    ...CONFIRM_OPTION,
  },
  output: OUTPUT,

  async run(args, { io }) {
    const client = await ExportClient.of(args, io);
    const { id } = await client.get(args.id);
    await confirm(args, `the export ${id} is cancelled, and its file is deleted`, id, io);
    await client.remove(id);
    if (args.json) await write(io.stdout, `${JSON.stringify({ schemaVersion: 1, removed: id })}\n`);
    return { exit: EXIT.ok, words: `export ${id} and its file are deleted` };
  },
});
