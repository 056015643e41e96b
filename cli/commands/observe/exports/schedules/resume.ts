import { SERVER_OPTIONS } from '../../../../api/index.js';
import { defineCommand } from '../../../../command.js';
import { ONE_SCHEDULE, pause, SCHEDULE_ARGUMENT } from '../../../../exports/schedule-argument.js';

/** `weir exports schedules resume`: resumes a schedule: the next file begins where the last one ended. */
export const exportsSchedulesResume = defineCommand({
  usage: 'resume <schedule>',
  summary: 'Resume a schedule where its last file ended',
  positionals: SCHEDULE_ARGUMENT,
  options: SERVER_OPTIONS,
  output: ONE_SCHEDULE,
  run: (args, { io }) => pause(args, false, io),
});
