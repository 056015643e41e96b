import { SERVER_OPTIONS } from '../../../api/index.js';
import { defineCommand } from '../../../command.js';
import { EXPORT, ExportClient } from '../../../exports/export-client.js';
import { columns, minuteText } from '../../../output/columns.js';
import { entryList } from '../../../output/entry-list.js';
import { LIMIT_OPTION, limited } from '../../../vocabulary.js';

const EXPORTS = entryList('export', EXPORT);

/** `weir exports list`: lists the exports of the last 30 days, newest first. */
export const exportsList = defineCommand({
  usage: 'list',
  summary: 'List exports',
  options: {
    ...SERVER_OPTIONS,
    ...LIMIT_OPTION,
  },
  output: EXPORTS.output,

  async run(args, { io }) {
    return EXPORTS.print(limited(await (await ExportClient.of(args, io)).list(), args), args, io, (exports) =>
      columns(
        ['ID', 'STATE', 'FORMAT', 'EVENTS', 'BYTES', 'REQUESTED', 'FILE UNTIL'],
        exports.map((one) => [
          ...[one.id, one.resumable ? `${one.state}, resumable` : one.state, one.format],
          ...[String(one.rows), String(one.bytes), minuteText(one.created_at)],
          one.has_file ? (minuteText(one.expires_at) ?? 'stays') : 'none',
        ]),
      ),
    );
  },
});
