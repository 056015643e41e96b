import { lazily, type CommandGroup, type LazyCommand } from '../command.js';
import { EXPORT_COMMANDS } from './exports.js';

/** Every command of `weir`, in the order of the help. None of them is imported before it is called. */
export const COMMANDS: readonly (LazyCommand | CommandGroup)[] = [
  lazily(
    'init [folder]',
    'Start a policies folder: rules, tests and schemas that work',
    async () => (await import('./init.js')).init,
  ),
  lazily(
    'lint [paths..]',
    'Find what is wrong, doubtful or untested in policies',
    async () => (await import('./lint.js')).lint,
  ),
  lazily(
    'fmt [paths..]',
    'Write policy files in canonical form, comments kept',
    async () => (await import('./fmt.js')).fmt,
  ),
  {
    name: 'schema',
    summary: 'What editors complete and check policies with',
    commands: [
      lazily(
        'write',
        'Write the JSON Schemas of the formats, with the facts of the loaded plugins',
        async () => (await import('./schema-write.js')).schemaWrite,
      ),
    ],
  },
  lazily(
    'scan [files..]',
    'Find things in texts: JSON lines {id, text} in, {id, findings} out',
    async () => (await import('./scan.js')).scan,
  ),
  lazily(
    'eval <corpus..>',
    'Measure detectors on labelled texts: precision, recall, false hits, speed',
    async () => (await import('./eval.js')).evalCommand,
  ),
  lazily(
    'test [filter]',
    'Run the tests of a policies folder, with coverage by condition',
    async () => (await import('./test.js')).test,
  ),
  lazily(
    'try [text]',
    'Judge one text, request, answer or tool call by a policies folder, without a server',
    async () => (await import('./try.js')).tryCommand,
  ),
  lazily(
    'repl',
    'Judge line by line, and change one thing after the other',
    async () => (await import('./repl.js')).repl,
  ),
  lazily(
    'render <environment>',
    'Print the policy of an environment as it is in force, with the origin of each line',
    async () => (await import('./render.js')).render,
  ),
  lazily(
    'explain-rule <id>',
    'Say in sentences what a rule does, where it stands, who answers for it, and which tests cover it',
    async () => (await import('./explain-rule.js')).explainRule,
  ),
  lazily('docs', 'Write a page of the policies in force, for reviewers', async () => (await import('./docs.js')).docs),
  lazily('bench', 'Measure how long a decision takes', async () => (await import('./bench.js')).bench),
  lazily(
    'diff [rev]',
    'What changed since a revision, and requests that are judged otherwise',
    async () => (await import('./diff.js')).diff,
  ),
  lazily(
    'mutate',
    'Make small mistakes in the policies and tell which of them no test notices',
    async () => (await import('./mutate.js')).mutate,
  ),
  lazily(
    'build <environment>',
    'Put a policy, its tests and where they come from into one file',
    async () => (await import('./build.js')).build,
  ),
  lazily('sign <bundle>', 'Sign a bundle with an Ed25519 key', async () => (await import('./sign.js')).sign),
  lazily(
    'verify <bundle>',
    'Check that a bundle is whole, compiles and is signed',
    async () => (await import('./verify.js')).verify,
  ),
  lazily('plan <environment>', 'What deploying would change', async () => (await import('./plan.js')).plan),
  lazily(
    'deploy <environment>',
    'Put a policy in force on every replica',
    async () => (await import('./deploy.js')).deploy,
  ),
  lazily(
    'promote <from> <to>',
    'Deploy what another environment runs',
    async () => (await import('./promote.js')).promote,
  ),
  lazily(
    'rollback <environment>',
    'Bring an earlier deployment back; needs the server alone',
    async () => (await import('./rollback.js')).rollback,
  ),
  lazily('history <environment>', 'What was deployed', async () => (await import('./history.js')).history),
  lazily(
    'show <environment> [number]',
    'One deployment, and what each replica runs',
    async () => (await import('./show.js')).show,
  ),
  lazily(
    'drift [environment]',
    'Whether every replica runs what the sources say',
    async () => (await import('./drift.js')).drift,
  ),
  lazily(
    'pull <environment>',
    'What the server has and the files have not, as a patch',
    async () => (await import('./pull.js')).pull,
  ),
  lazily(
    'backtest',
    'What the policy would have decided about recorded calls',
    async () => (await import('./backtest.js')).backtest,
  ),
  lazily(
    'explain <event>',
    'Why a call was decided as it was, and whether that comes out again',
    async () => (await import('./explain.js')).explain,
  ),
  lazily(
    'capture <event>',
    'Make a policy test of a recorded decision',
    async () => (await import('./capture.js')).capture,
  ),
  {
    name: 'exceptions',
    summary: 'Look after exceptions and their ends',
    commands: [
      lazily(
        'list [environment]',
        'Which exceptions there are, and when they end',
        async () => (await import('./exceptions-list.js')).exceptionsList,
      ),
      lazily(
        'preview <id>',
        'Which requests are judged otherwise once it has ended',
        async () => (await import('./exceptions-preview.js')).exceptionsPreview,
      ),
      lazily(
        'renew <id>',
        'Move the end of an exception in its file',
        async () => (await import('./exceptions-renew.js')).exceptionsRenew,
      ),
    ],
  },
  {
    name: 'rules',
    summary: 'How rules do',
    commands: [
      lazily(
        'stats [environment]',
        'How often each rule in force fired, and when last',
        async () => (await import('./rules-stats.js')).rulesStats,
      ),
    ],
  },
  {
    name: 'apps',
    summary: 'Programs of the account',
    commands: [
      lazily('list', 'Which apps there are', async () => (await import('./apps-list.js')).appsList),
      lazily(
        'show <app>',
        'One app, its limits, and how they are used',
        async () => (await import('./apps-show.js')).appsShow,
      ),
      lazily('create <name>', 'Make an app', async () => (await import('./apps-create.js')).appsCreate),
      lazily(
        'rename <app> <name>',
        'Give an app another name',
        async () => (await import('./apps-rename.js')).appsRename,
      ),
      lazily(
        'limits <app>',
        'Say how many calls an app may make',
        async () => (await import('./apps-limits.js')).appsLimits,
      ),
      lazily(
        'archive <app>',
        'End an app and its keys; its events stay',
        async () => (await import('./apps-archive.js')).appsArchive,
      ),
    ],
  },
  {
    name: 'keys',
    summary: 'API keys',
    commands: [
      lazily(
        'create',
        'Make a key; its secret is shown once',
        async () => (await import('./keys-create.js')).keysCreate,
      ),
      lazily(
        'list',
        'Which keys there are, when they end, which nobody uses',
        async () => (await import('./keys-list.js')).keysList,
      ),
      lazily(
        'rotate <id>',
        'A new key in the place of another one; both work for a while',
        async () => (await import('./keys-rotate.js')).keysRotate,
      ),
      lazily('delete <id>', 'End a key, within a second', async () => (await import('./keys-delete.js')).keysDelete),
      lazily(
        'inspect',
        'What a key says about itself, without a server',
        async () => (await import('./keys-inspect.js')).keysInspect,
      ),
    ],
  },
  {
    name: 'tokens',
    summary: 'Management tokens',
    commands: [
      lazily(
        'create',
        'Make a token; its secret is shown once',
        async () => (await import('./tokens-create.js')).tokensCreate,
      ),
      lazily('list', 'Which tokens there are', async () => (await import('./tokens-list.js')).tokensList),
      lazily(
        'delete <id>',
        'End a token, within a second',
        async () => (await import('./tokens-delete.js')).tokensDelete,
      ),
    ],
  },
  {
    name: 'budgets',
    summary: 'What may be spent, and what has been',
    commands: [
      lazily('list', 'What every budget has used', async () => (await import('./budgets-list.js')).budgetsList),
      lazily('show <budget>', 'One budget, for everybody', async () => (await import('./budgets-show.js')).budgetsShow),
      lazily(
        'forecast <budget>',
        'Where a budget will stand at the end of its window',
        async () => (await import('./budgets-forecast.js')).budgetsForecast,
      ),
      lazily(
        'entries <budget>',
        'The ledger of one window, newest first',
        async () => (await import('./budgets-entries.js')).budgetsEntries,
      ),
      lazily(
        'adjust <budget>',
        'Correct what a budget has used, with the reason',
        async () => (await import('./budgets-adjust.js')).budgetsAdjust,
      ),
      lazily(
        'audit',
        'Compare events, ledger and budgets, exactly',
        async () => (await import('./budgets-audit.js')).budgetsAudit,
      ),
    ],
  },
  {
    name: 'events',
    summary: 'Read the log, and say what was right',
    commands: [
      lazily('list', 'What the log holds, newest first', async () => (await import('./events-list.js')).eventsList),
      lazily('show <event>', 'One event', async () => (await import('./events-show.js')).eventsShow),
      lazily('tail', 'New events as they come in', async () => (await import('./events-tail.js')).eventsTail),
      lazily(
        'mark <event> <mark>',
        'Say whether a rule was right about a call',
        async () => (await import('./events-mark.js')).eventsMark,
      ),
      lazily(
        'marks',
        'What people said of decisions, newest first',
        async () => (await import('./events-marks.js')).eventsMarks,
      ),
      lazily(
        'export',
        'Every event that matches, as JSON lines or CSV',
        async () => (await import('./events-export.js')).eventsExport,
      ),
    ],
  },
  {
    name: 'views',
    summary: 'Filters of events under a name',
    commands: [
      lazily('list', 'Which views there are', async () => (await import('./views-list.js')).viewsList),
      lazily('save <name>', 'Keep filters under a name', async () => (await import('./views-save.js')).viewsSave),
      lazily('delete <view>', 'Delete a view', async () => (await import('./views-delete.js')).viewsDelete),
    ],
  },
  ...EXPORT_COMMANDS,
  lazily('attention', 'What somebody should look at', async () => (await import('./attention.js')).attention),
  lazily('audit', 'Who changed what, when and from where', async () => (await import('./audit.js')).audit),
  lazily('login', 'Keep a server and a token under a name', async () => (await import('./login.js')).login),
  lazily('logout', 'Forget the token of a server', async () => (await import('./logout.js')).logout),
  lazily('whoami', 'Whose token is in use, and what it may do', async () => (await import('./whoami.js')).whoami),
  {
    name: 'context',
    summary: 'The servers that are known here',
    commands: [
      lazily('list', 'Show them', async () => (await import('./context-list.js')).contextList),
      lazily('use <name>', 'Talk to this one from now on', async () => (await import('./context-use.js')).contextUse),
      lazily('remove <name>', 'Forget one', async () => (await import('./context-remove.js')).contextRemove),
    ],
  },
  lazily(
    'doctor',
    'Look at everything that has to be right, and say what to do',
    async () => (await import('./doctor.js')).doctor,
  ),
  lazily(
    'completion <shell>',
    'Make bash, zsh or fish complete commands and flags',
    async () => (await import('./completion.js')).completion,
  ),
  {
    name: 'subscriptions',
    summary: 'What accounts have paid for (on the server)',
    commands: [
      lazily(
        'show <account>',
        'What an account has',
        async () => (await import('./subscriptions-show.js')).subscriptionsShow,
      ),
      lazily(
        'set <account> <state>',
        'What an account has from now on',
        async () => (await import('./subscriptions-set.js')).subscriptionsSet,
      ),
    ],
  },
  {
    name: 'plugin',
    summary: 'Write detectors',
    commands: [
      lazily(
        'new <id>',
        'Start a detector: code, tests that pass, and page',
        async () => (await import('./plugin-new.js')).pluginNew,
      ),
    ],
  },
  {
    name: 'server',
    summary: 'Run the service',
    commands: [
      lazily('start', 'Start the service', async () => (await import('./server-start.js')).serverStart),
      lazily(
        'migrate',
        'Bring the database up to date',
        async () => (await import('./server-migrate.js')).serverMigrate,
      ),
      lazily(
        'bootstrap',
        'Create the first account, app, keys and token in an empty database',
        async () => (await import('./server-bootstrap.js')).serverBootstrap,
      ),
    ],
  },
];
