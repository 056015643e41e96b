import { lazily, type CommandGroup } from '../command.js';

/** The commands about files of events that the service writes. */
export const EXPORT_COMMANDS: readonly CommandGroup[] = [
  {
    name: 'exports',
    summary: 'Files of events that the service writes by itself',
    commands: [
      lazily('list', 'Which exports there are', async () => (await import('./exports-list.js')).exportsList),
      lazily(
        'create',
        'Have a file of events written, whatever its size',
        async () => (await import('./exports-create.js')).exportsCreate,
      ),
      lazily(
        'fetch <id>',
        'Have the file of an export, also in several goes',
        async () => (await import('./exports-fetch.js')).exportsFetch,
      ),
      lazily(
        'cancel <id>',
        'End an export, and delete its file',
        async () => (await import('./exports-cancel.js')).exportsCancel,
      ),
    ],
  },
  {
    name: 'exports schedules',
    summary: 'Exports that repeat',
    commands: [
      lazily(
        'list',
        'Which schedules there are',
        async () => (await import('./exports-schedules-list.js')).exportsSchedulesList,
      ),
      lazily(
        'create <name>',
        'Have a file written each day, week or month',
        async () => (await import('./exports-schedules-create.js')).exportsSchedulesCreate,
      ),
      lazily(
        'runs <schedule>',
        'What a schedule asked for, and what failed',
        async () => (await import('./exports-schedules-runs.js')).exportsSchedulesRuns,
      ),
      lazily(
        'update <schedule>',
        'Change when it runs, what is in its files, or where they go',
        async () => (await import('./exports-schedules-update.js')).exportsSchedulesUpdate,
      ),
      lazily(
        'pause <schedule>',
        'Begin no file until it is resumed',
        async () => (await import('./exports-schedules-pause.js')).exportsSchedulesPause,
      ),
      lazily(
        'resume <schedule>',
        'Go on where the last file ended',
        async () => (await import('./exports-schedules-resume.js')).exportsSchedulesResume,
      ),
      lazily(
        'delete <schedule>',
        'Delete a schedule and its credentials',
        async () => (await import('./exports-schedules-delete.js')).exportsSchedulesDelete,
      ),
    ],
  },
];
