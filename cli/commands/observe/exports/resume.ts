import { SERVER_OPTIONS } from '../../../api/index.js';
import { defineCommand } from '../../../command.js';
import { EXPORT_ARGUMENT, ONE_EXPORT, pauseExport } from '../../../exports/export-argument.js';

/** `weir exports resume`: continues a paused or failed export. */
export const exportsResume = defineCommand({
  usage: 'resume <id>',
  summary: 'Resume a paused or failed export from where it stopped',
  positionals: EXPORT_ARGUMENT,
  options: SERVER_OPTIONS,
  output: ONE_EXPORT,
  run: (args, { io }) => pauseExport(args, false, io),
});
