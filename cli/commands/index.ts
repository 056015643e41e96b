import { lazily, type LazyCommand } from '../command.js';

/** Commands that share a first word, such as `weir server`. */
export interface CommandGroup {
  readonly name: string;
  readonly summary: string;
  readonly commands: readonly LazyCommand[];
}

/** Every command of `weir`, in the order of the help. None of them is imported before it is called. */
export const COMMANDS: readonly (LazyCommand | CommandGroup)[] = [
  lazily(
    'lint [paths..]',
    'Find what is wrong, doubtful or untested in policies',
    async () => (await import('./lint.js')).lint,
  ),
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
    'diff [rev]',
    'What changed since a revision, and requests that are judged otherwise',
    async () => (await import('./diff.js')).diff,
  ),
  lazily(
    'mutate',
    'Make small mistakes in the policies and tell which of them no test notices',
    async () => (await import('./mutate.js')).mutate,
  ),
  {
    name: 'plugin',
    summary: 'Write detectors',
    commands: [
      lazily(
        'new <id>',
        'Start a detector: code, tests and page, with an example that fails',
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
