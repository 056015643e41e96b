import type { Argv } from 'yargs';
import { z } from 'zod';
import { serverOptions, type ServerFlags } from '../api/index.js';
import type { Command, GlobalArgs } from '../command.js';
import { ExportClient } from '../exports/export-client.js';
import { EXIT } from '../exit-code.js';
import { write } from '../io.js';

interface ExportsCancelArgs extends GlobalArgs, ServerFlags {
  readonly id: string;
}

const OUTPUT = z.strictObject({ schemaVersion: z.literal(1), removed: z.string().describe('Id of the export.') });

/** `weir exports cancel`: ends one that waits or runs, and deletes the file of one that is done. */
export const exportsCancel: Command<ExportsCancelArgs> = {
  output: OUTPUT,

  build: (parser) =>
    serverOptions(parser).positional('id', {
      type: 'string',
      demandOption: true,
      describe: 'Export id',
    }) as unknown as Argv<ExportsCancelArgs>,

  async run(args, { io }) {
    const client = await ExportClient.of(args, io);
    const { id } = await client.get(args.id);
    await client.remove(id);
    if (args.json) await write(io.stdout, `${JSON.stringify({ schemaVersion: 1, removed: id })}\n`);
    return { exit: EXIT.ok, words: `export ${id} and its file are gone` };
  },
};
