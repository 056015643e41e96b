/**
 * The commands `weir erasures …`. What they share with `weir erase` is in cli/erasures.
 */
import { z } from 'zod';
import { SERVER_OPTIONS } from '../../../api/index.js';
import { defineCommand } from '../../../command.js';
import { ERASURE, ErasureClient } from '../../../erasures/erasure-client.js';
import { EXIT } from '../../../exit-code.js';
import { write } from '../../../io.js';
import { columns } from '../../../output/columns.js';
import { plural } from '../../../output/plural.js';
import { andMore, LIMIT_OPTION, limited } from '../../../vocabulary.js';

const OUTPUT = z.strictObject({ schemaVersion: z.literal(1), erasures: z.array(ERASURE), more: z.boolean() });

/** `weir erasures list`: those that were asked for, newest first. */
export const erasuresList = defineCommand({
  usage: 'list',
  summary: 'List erasures, newest first',
  options: {
    ...SERVER_OPTIONS,
    ...LIMIT_OPTION,
  },
  output: OUTPUT,

  async run(args, { io }) {
    const { rows: erasures, more } = limited(await (await ErasureClient.of(args, io)).list(), args);
    const rows = erasures.map((one) => [
      ...[one.id, one.dry_run ? `${one.state} (dry run)` : one.state, String(one.counts['events'] ?? 0)],
      ...[one.created_at.slice(0, 16).replace('T', ' '), one.because ?? ''],
    ]);
    const report: z.infer<typeof OUTPUT> = { schemaVersion: 1, erasures, more };
    const head = ['ID', 'STATE', 'EVENTS', 'ASKED FOR', 'REASON'];
    await write(io.stdout, args.json ? `${JSON.stringify(report)}\n` : columns(head, rows));
    return { exit: EXIT.ok, words: `${plural(erasures.length, 'erasure')}${andMore(more)}` };
  },
});
