import { SERVER_OPTIONS } from '../../../../api/index.js';
import { defineCommand } from '../../../../command.js';
import { SCHEDULE_ARGUMENT } from '../../../../exports/schedule-argument.js';
import { RUN, ScheduleClient } from '../../../../exports/schedule-client.js';
import { columns, minuteText } from '../../../../output/columns.js';
import { entryList } from '../../../../output/entry-list.js';
import { LIMIT_OPTION, limited } from '../../../../vocabulary.js';

const RUNS = entryList('run', RUN);

/** `weir exports schedules runs`: lists the runs of a schedule, newest first, with failures and late events. */
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
  output: RUNS.output,

  async run(args, { io }) {
    const client = await ScheduleClient.of(args, io);
    const found = await client.runs(await client.named(args.schedule));
    return RUNS.print(limited(found, args), args, io, (runs) =>
      columns(
        ['EXPORT', 'FROM', 'TO', 'STATE', 'EVENTS', 'LATE', 'PROBLEM'],
        runs.map((one) => [
          ...[one.id, minuteText(one.filters['from']) ?? '', minuteText(one.filters['to']) ?? '', one.state],
          ...[String(one.rows), String(one.schedule?.late_rows ?? 'not counted'), one.error ?? ''],
        ]),
      ),
    );
  },
});
