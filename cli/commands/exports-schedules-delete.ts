import { z } from 'zod';
import type { Command } from '../command.js';
import { confirm, confirmOption, type ConfirmArgs } from '../deploy/ask.js';
import { EXIT } from '../exit-code.js';
import { ScheduleClient } from '../exports/schedule-client.js';
import { oneSchedule, type ScheduleArgs } from '../exports/schedule-argument.js';
import { write } from '../io.js';

const OUTPUT = z.strictObject({ schemaVersion: z.literal(1), deleted: z.string().describe('Id of the schedule.') });

/** `weir exports schedules delete`: with its credentials; a run that goes on is cancelled, files that are done stay. */
export const exportsSchedulesDelete: Command<ScheduleArgs & ConfirmArgs> = {
  output: OUTPUT,

  build: (parser) => confirmOption(oneSchedule(parser)),

  async run(args, { io }) {
    const client = await ScheduleClient.of(args, io);
    const schedule = await client.named(args.schedule);
    await confirm(args, `the schedule "${schedule.name}" ends, and a run that goes on with it`, schedule.name, io);
    await client.delete(schedule);
    if (args.json) await write(io.stdout, `${JSON.stringify({ schemaVersion: 1, deleted: schedule.id })}\n`);
    return { exit: EXIT.ok, words: `schedule ${schedule.id} is deleted` };
  },
};
