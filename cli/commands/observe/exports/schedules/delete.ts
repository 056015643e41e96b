import { z } from 'zod';
import { SERVER_OPTIONS } from '../../../../api/index.js';
import { defineCommand } from '../../../../command.js';
import { confirm, CONFIRM_OPTION } from '../../../../deploy/ask.js';
import { EXIT } from '../../../../exit-code.js';
import { SCHEDULE_ARGUMENT } from '../../../../exports/schedule-argument.js';
import { ScheduleClient } from '../../../../exports/schedule-client.js';
import { write } from '../../../../io.js';

const OUTPUT = z.strictObject({ schemaVersion: z.literal(1), deleted: z.string().describe('Id of the schedule.') });

/**
 * `weir exports schedules delete`: deletes a schedule with its credentials. A running export is cancelled; finished files stay.
 */
export const exportsSchedulesDelete = defineCommand({
  usage: 'delete <schedule>',
  summary: 'Delete a schedule and its credentials',
  positionals: {
    ...SCHEDULE_ARGUMENT,
  },
  options: {
    ...SERVER_OPTIONS,
    ...CONFIRM_OPTION,
  },
  output: OUTPUT,

  async run(args, { io }) {
    const client = await ScheduleClient.of(args, io);
    const schedule = await client.named(args.schedule);
    await confirm(
      args,
      `the schedule "${schedule.name}" is deleted, and its current run is stopped`,
      schedule.name,
      io,
    );
    await client.delete(schedule);
    if (args.json) await write(io.stdout, `${JSON.stringify({ schemaVersion: 1, deleted: schedule.id })}\n`);
    return { exit: EXIT.ok, words: `schedule ${schedule.id} is deleted` };
  },
});
