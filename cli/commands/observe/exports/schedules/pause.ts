import { SERVER_OPTIONS } from '../../../../api/index.js';
import { defineCommand } from '../../../../command.js';
import { ONE_SCHEDULE, pause, SCHEDULE_ARGUMENT } from '../../../../exports/schedule-argument.js';

/** `weir exports schedules pause`: pauses a schedule: no export starts until it is resumed. */
export const exportsSchedulesPause = defineCommand({
  usage: 'pause <schedule>',
  summary: 'Pause a schedule until it is resumed',
  positionals: SCHEDULE_ARGUMENT,
  options: SERVER_OPTIONS,
  output: ONE_SCHEDULE,
  run: (args, { io }) => pause(args, true, io),
});
