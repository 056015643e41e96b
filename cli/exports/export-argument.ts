import { z } from 'zod';
import type { SERVER_OPTIONS } from '../api/index.js';
import type { CommandArgs } from '../command.js';
import { EXIT, type Outcome } from '../exit-code.js';
import { write, type Io } from '../io.js';
import { plural } from '../output/plural.js';
import { EXPORT, ExportClient } from './export-client.js';

/** The argument that names the export of a command. */
export const EXPORT_ARGUMENT = { id: { type: 'string', demandOption: true, describe: 'Export id' } } as const;

/** The JSON output for one export. */
export const ONE_EXPORT = z.strictObject({ schemaVersion: z.literal(1), export: EXPORT });

/** Pauses or resumes an export. */
export async function pauseExport(
  args: CommandArgs<typeof SERVER_OPTIONS, typeof EXPORT_ARGUMENT>,
  paused: boolean,
  io: Io,
): Promise<Outcome> {
  const changed = await (await ExportClient.of(args, io)).pause(args.id, paused);
  const report: z.infer<typeof ONE_EXPORT> = { schemaVersion: 1, export: changed };
  if (args.json) await write(io.stdout, `${JSON.stringify(report)}\n`);
  return {
    exit: EXIT.ok,
    words: `export ${changed.id} is ${changed.state}, with ${plural(changed.rows, 'event')} so far`,
  };
}
