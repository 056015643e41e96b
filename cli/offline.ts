import { statSync } from 'node:fs';

/**
 * The commands that need no server code. The build bundles their modules and libraries into a few files (scripts/bundle.mjs): loading
 * six hundred modules one by one took longer than the commands themselves.
 */
export const OFFLINE: ReadonlySet<string> = new Set([
  'bench',
  'diff',
  'docs',
  'explain-rule',
  'fmt',
  'import',
  'init',
  'lint',
  'mutate',
  'render',
  'repl',
  'test',
  'try',
]);

/**
 * Settings that can add plugins; if none is set, only the built-in plugins exist. The names are repeated here because this module is
 * loaded before all others and is also in the bundle, which must not contain the settings of the server.
 */
const PLUGIN_SETTINGS = ['WEIR_PLUGINS', 'WEIR_CONFIG'] as const;

/** Whether there may be plugins besides the built-in ones. */
export function hasPluginSettings(env: NodeJS.ProcessEnv): boolean {
  return PLUGIN_SETTINGS.some((name) => (env[name] ?? '') !== '');
}

/**
 * The module that runs this command line, as seen from this folder: the bundle for help and for commands that need no server, else the
 * single modules. Both are built from the same code. A process loads only one of them: with both, every class would exist twice.
 *
 * @param here the folder of this module
 */
export function runModule(
  argv: readonly string[],
  env: NodeJS.ProcessEnv,
  here: URL = new URL('.', import.meta.url),
): './run.js' | '../offline/run.js' {
  const [first = '--help'] = argv;
  const isOffline = OFFLINE.has(first) || (argv.length <= 1 && first.startsWith('-'));
  return isOffline && !readsBodies(argv) && !hasPluginSettings(env) && isBundled(here)
    ? '../offline/run.js'
    : './run.js';
}

/** `weir try --body` parses the body with the code of the proxy, which is not in the bundle. */
function readsBodies(argv: readonly string[]): boolean {
  return argv.some((word) => word === '--body' || word.startsWith('--body='));
}

/** False if only the compiler ran, as under `npm run dev`: an older bundle would contain outdated code. */
function isBundled(here: URL): boolean {
  const [bundled, single] = ['../offline/run.js', './run.js'].map((file) => changedMs(new URL(file, here)));
  return bundled !== undefined && single !== undefined && bundled >= single;
}

function changedMs(file: URL): number | undefined {
  return statSync(file, { throwIfNoEntry: false })?.mtimeMs;
}
