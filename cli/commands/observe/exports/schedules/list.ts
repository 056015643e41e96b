import { z } from 'zod';
import { SERVER_OPTIONS } from '../../../../api/index.js';
import { defineCommand } from '../../../../command.js';
import { EXIT } from '../../../../exit-code.js';
import { dueWords, placeWords, SCHEDULE, ScheduleClient } from '../../../../exports/schedule-client.js';
import { write } from '../../../../io.js';
import { columns } from '../../../../output/columns.js';
import { plural } from '../../../../output/plural.js';
import { andMore, LIMIT_OPTION, limited } from '../../../../vocabulary.js';

const OUTPUT = z.strictObject({ schemaVersion: z.literal(1), schedules: z.array(SCHEDULE), more: z.boolean() });

/** `weir exports schedules list`: all of them, by name, with what came of their last runs. */
export const exportsSchedulesList = defineCommand({
  usage: 'list',
  summary: 'List schedules',
  options: {
    ...SERVER_OPTIONS,
    ...LIMIT_OPTION,
  },
  output: OUTPUT,

  async run(args, { io }) {
    const { rows: schedules, more } = limited(await (await ScheduleClient.of(args, io)).list(), args);
    const rows = schedules.map((one) => [
      ...[one.id, one.name, dueWords(one), one.format, placeWords(one)],
      ...[one.next_at?.slice(0, 16).replace('T', ' ') ?? 'paused', one.last_run?.state ?? 'none'],
    ]);
    const report: z.infer<typeof OUTPUT> = { schemaVersion: 1, schedules, more };
    const head = ['ID', 'NAME', 'DUE', 'FORMAT', 'TO', 'NEXT', 'LAST RUN'];
    await write(io.stdout, args.json ? `${JSON.stringify(report)}\n` : columns(head, rows));
    return { exit: EXIT.ok, words: `${plural(schedules.length, 'schedule')}${andMore(more)}` };
  },
});
