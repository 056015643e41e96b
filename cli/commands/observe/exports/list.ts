import { z } from 'zod';
import { SERVER_OPTIONS } from '../../../api/index.js';
import { defineCommand } from '../../../command.js';
import { EXIT } from '../../../exit-code.js';
import { EXPORT, ExportClient } from '../../../exports/export-client.js';
import { write } from '../../../io.js';
import { columns } from '../../../output/columns.js';
import { plural } from '../../../output/plural.js';
import { andMore, LIMIT_OPTION, limited } from '../../../vocabulary.js';

const OUTPUT = z.strictObject({ schemaVersion: z.literal(1), exports: z.array(EXPORT), more: z.boolean() });

/** `weir exports list`: those of the last 30 days, newest first. */
export const exportsList = defineCommand({
  usage: 'list',
  summary: 'List exports',
  options: {
    ...SERVER_OPTIONS,
    ...LIMIT_OPTION,
  },
  output: OUTPUT,

  async run(args, { io }) {
    const { rows: exports, more } = limited(await (await ExportClient.of(args, io)).list(), args);
    const rows = exports.map((one) => [
      ...[one.id, one.state, one.format, String(one.rows), String(one.bytes)],
      ...[
        one.created_at.slice(0, 16).replace('T', ' '),
        one.has_file ? (one.expires_at?.slice(0, 16).replace('T', ' ') ?? 'stays') : 'none',
      ],
    ]);
    const report: z.infer<typeof OUTPUT> = { schemaVersion: 1, exports, more };
    const head = ['ID', 'STATE', 'FORMAT', 'EVENTS', 'BYTES', 'ASKED FOR', 'FILE UNTIL'];
    await write(io.stdout, args.json ? `${JSON.stringify(report)}\n` : columns(head, rows));
    return { exit: EXIT.ok, words: `${plural(exports.length, 'export')}${andMore(more)}` };
  },
});
