import { z } from 'zod';
import { SERVER_OPTIONS } from '../../../../api/index.js';
import { defineCommand } from '../../../../command.js';
import { EXIT } from '../../../../exit-code.js';
import { SCHEDULE_ARGUMENT } from '../../../../exports/schedule-argument.js';
import { RUN, ScheduleClient } from '../../../../exports/schedule-client.js';
import { write } from '../../../../io.js';
import { columns } from '../../../../output/columns.js';
import { plural } from '../../../../output/plural.js';
import { andMore, LIMIT_OPTION, limited } from '../../../../vocabulary.js';

const OUTPUT = z.strictObject({ schemaVersion: z.literal(1), runs: z.array(RUN), more: z.boolean() });
const minute = (time: string | undefined): string => time?.slice(0, 16).replace('T', ' ') ?? '';

/** `weir exports schedules runs`: what a schedule asked for, newest first, with failures and late events. */
export const exportsSchedulesRuns = defineCommand({
  usage: 'runs <schedule>',
  summary: 'List the runs of a schedule with their failures',
  positionals: {
    ...SCHEDULE_ARGUMENT,
  },
  options: {
    ...SERVER_OPTIONS,
    ...LIMIT_OPTION,
  },
  output: OUTPUT,

  async run(args, { io }) {
    const client = await ScheduleClient.of(args, io);
    const { rows: runs, more } = limited(await client.runs(await client.named(args.schedule)), args);
    const rows = runs.map((one) => [
      ...[one.id, minute(one.filters['from']), minute(one.filters['to']), one.state, String(one.rows)],
      ...[String(one.schedule?.late_rows ?? 'not counted'), one.error ?? ''],
    ]);
    const report: z.infer<typeof OUTPUT> = { schemaVersion: 1, runs, more };
    const head = ['EXPORT', 'FROM', 'TO', 'STATE', 'EVENTS', 'LATE', 'PROBLEM'];
    await write(io.stdout, args.json ? `${JSON.stringify(report)}\n` : columns(head, rows));
    return { exit: EXIT.ok, words: `${plural(runs.length, 'run')}${andMore(more)}` };
  },
});
