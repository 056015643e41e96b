import { SERVER_OPTIONS } from '../../../api/index.js';
import { defineCommand } from '../../../command.js';
import { EXPORT_ARGUMENT, ONE_EXPORT, pauseExport } from '../../../exports/export-argument.js';

/** `weir exports pause`: pauses an export; its finished parts are kept. */
export const exportsPause = defineCommand({
  usage: 'pause <id>',
  summary: 'Pause an export until it is resumed',
  positionals: EXPORT_ARGUMENT,
  options: SERVER_OPTIONS,
  output: ONE_EXPORT,
  run: (args, { io }) => pauseExport(args, true, io),
});
