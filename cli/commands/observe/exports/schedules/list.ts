import { SERVER_OPTIONS } from '../../../../api/index.js';
import { defineCommand } from '../../../../command.js';
import { dueWords, placeWords, SCHEDULE, ScheduleClient } from '../../../../exports/schedule-client.js';
import { columns, minuteText } from '../../../../output/columns.js';
import { entryList } from '../../../../output/entry-list.js';
import { LIMIT_OPTION, limited } from '../../../../vocabulary.js';

const SCHEDULES = entryList('schedule', SCHEDULE);

/** `weir exports schedules list`: lists all schedules by name, with the results of their last runs. */
export const exportsSchedulesList = defineCommand({
  usage: 'list',
  summary: 'List schedules',
  options: {
    ...SERVER_OPTIONS,
    ...LIMIT_OPTION,
  },
  output: SCHEDULES.output,

  async run(args, { io }) {
    return SCHEDULES.print(limited(await (await ScheduleClient.of(args, io)).list(), args), args, io, (schedules) =>
      columns(
        ['ID', 'NAME', 'DUE', 'FORMAT', 'TO', 'NEXT', 'LAST RUN'],
        schedules.map((one) => [
          ...[one.id, one.name, dueWords(one), one.format, placeWords(one)],
          ...[minuteText(one.next_at) ?? 'paused', one.last_run?.state ?? 'none'],
        ]),
      ),
    );
  },
});
