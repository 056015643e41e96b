import { z } from 'zod';
import { serverOptions, type ServerFlags } from '../api/index.js';
import type { Command, GlobalArgs } from '../command.js';
import { EXPORT, ExportClient } from '../exports/export-client.js';
import { EXIT } from '../exit-code.js';
import { write } from '../io.js';
import { columns } from '../output/columns.js';
import { plural } from '../output/plural.js';

const OUTPUT = z.strictObject({ schemaVersion: z.literal(1), exports: z.array(EXPORT) });

/** `weir exports list`: those of the last 30 days, newest first. */
export const exportsList: Command<GlobalArgs & ServerFlags> = {
  output: OUTPUT,

  build: (parser) => serverOptions(parser),

  async run(args, { io }) {
    const exports = await (await ExportClient.of(args, io)).list();
    const rows = exports.map((one) => [
      ...[one.id, one.state, one.format, String(one.rows), String(one.bytes)],
      ...[
        one.created_at.slice(0, 16).replace('T', ' '),
        one.has_file ? (one.expires_at?.slice(0, 16).replace('T', ' ') ?? 'stays') : 'none',
      ],
    ]);
    const report: z.infer<typeof OUTPUT> = { schemaVersion: 1, exports };
    const head = ['ID', 'STATE', 'FORMAT', 'EVENTS', 'BYTES', 'ASKED FOR', 'FILE UNTIL'];
    await write(io.stdout, args.json ? `${JSON.stringify(report)}\n` : columns(head, rows));
    return { exit: EXIT.ok, words: plural(exports.length, 'export') };
  },
};
