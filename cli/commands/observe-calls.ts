import { lazily, type CommandSection } from '../command.js';

/** The commands that show what the service recorded, decided and spent. */
export const OBSERVING: CommandSection = {
  title: 'Observe calls',
  commands: [
    {
      name: 'events',
      summary: 'Events of the audit log, and marks on decisions',
      commands: [
        lazily('list', 'List events, newest first', async () => (await import('./events-list.js')).eventsList),
        lazily('show <event>', 'Show one event', async () => (await import('./events-show.js')).eventsShow),
        lazily('tail', 'Print new events as they arrive', async () => (await import('./events-tail.js')).eventsTail),
        lazily(
          'mark <event> <mark>',
          'Mark the decision of a rule as right or wrong',
          async () => (await import('./events-mark.js')).eventsMark,
        ),
        lazily(
          'marks',
          'List marks on decisions, newest first',
          async () => (await import('./events-marks.js')).eventsMarks,
        ),
        lazily(
          'export',
          'Print every matching event as JSON Lines or CSV',
          async () => (await import('./events-export.js')).eventsExport,
        ),
      ],
    },
    {
      name: 'views',
      summary: 'Saved event filters',
      commands: [
        lazily('list', 'List saved filters', async () => (await import('./views-list.js')).viewsList),
        lazily('save <name>', 'Save filters under a name', async () => (await import('./views-save.js')).viewsSave),
        lazily('delete <view>', 'Delete saved filters', async () => (await import('./views-delete.js')).viewsDelete),
      ],
    },
    lazily(
      'explain <event>',
      'Explain the decision on a recorded call, and reproduce it',
      async () => (await import('./explain.js')).explain,
    ),
    {
      name: 'rules',
      summary: 'Rule statistics',
      commands: [
        lazily(
          'stats [environment]',
          'Count how often each active rule fired, with the last time',
          async () => (await import('./rules-stats.js')).rulesStats,
        ),
      ],
    },
    lazily('attention', 'List what needs attention', async () => (await import('./attention.js')).attention),
    {
      name: 'budgets',
      summary: 'Budgets and spending',
      commands: [
        lazily('list', 'List budgets with their spending', async () => (await import('./budgets-list.js')).budgetsList),
        lazily(
          'show <budget>',
          'Show one budget across all of its scopes',
          async () => (await import('./budgets-show.js')).budgetsShow,
        ),
        lazily(
          'forecast <budget>',
          'Forecast the spending at the end of the window',
          async () => (await import('./budgets-forecast.js')).budgetsForecast,
        ),
        lazily(
          'entries <budget>',
          'List the ledger entries of one window, newest first',
          async () => (await import('./budgets-entries.js')).budgetsEntries,
        ),
        lazily(
          'adjust <budget>',
          'Correct the recorded spending, with a reason',
          async () => (await import('./budgets-adjust.js')).budgetsAdjust,
        ),
        lazily(
          'audit',
          'Compare events, ledger and budgets exactly',
          async () => (await import('./budgets-audit.js')).budgetsAudit,
        ),
      ],
    },
    {
      name: 'exports',
      summary: 'Event files that the service writes in the background',
      commands: [
        lazily('list', 'List exports', async () => (await import('./exports-list.js')).exportsList),
        lazily(
          'create',
          'Start an export of any size',
          async () => (await import('./exports-create.js')).exportsCreate,
        ),
        lazily(
          'fetch <id>',
          'Download the file of an export; an interrupted download is resumed',
          async () => (await import('./exports-fetch.js')).exportsFetch,
        ),
        lazily(
          'cancel <id>',
          'Cancel an export and delete its file',
          async () => (await import('./exports-cancel.js')).exportsCancel,
        ),
      ],
    },
    {
      name: 'exports schedules',
      summary: 'Recurring exports',
      commands: [
        lazily(
          'list',
          'List schedules',
          async () => (await import('./exports-schedules-list.js')).exportsSchedulesList,
        ),
        lazily(
          'create <name>',
          'Create a daily, weekly or monthly export',
          async () => (await import('./exports-schedules-create.js')).exportsSchedulesCreate,
        ),
        lazily(
          'runs <schedule>',
          'List the runs of a schedule with their failures',
          async () => (await import('./exports-schedules-runs.js')).exportsSchedulesRuns,
        ),
        lazily(
          'update <schedule>',
          'Change the time, content or destination of a schedule',
          async () => (await import('./exports-schedules-update.js')).exportsSchedulesUpdate,
        ),
        lazily(
          'pause <schedule>',
          'Pause a schedule until it is resumed',
          async () => (await import('./exports-schedules-pause.js')).exportsSchedulesPause,
        ),
        lazily(
          'resume <schedule>',
          'Resume a schedule where its last file ended',
          async () => (await import('./exports-schedules-resume.js')).exportsSchedulesResume,
        ),
        lazily(
          'delete <schedule>',
          'Delete a schedule and its credentials',
          async () => (await import('./exports-schedules-delete.js')).exportsSchedulesDelete,
        ),
      ],
    },
    lazily(
      'audit',
      'List administrative changes: actor, action, time and origin',
      async () => (await import('./audit.js')).audit,
    ),
  ],
};
