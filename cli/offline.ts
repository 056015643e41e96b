import { statSync } from 'node:fs';

/**
 * The commands that need no part of the server. The build bundles their modules, including libraries, into a few files
 * (scripts/bundle.mjs): reading six hundred modules one by one took longer than the commands themselves.
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

/** Settings that say which plugins there are; where none is set, the shipped ones are all. */
const PLUGIN_SETTINGS = ['WEIR_PLUGINS', 'WEIR_CONFIG_FILE'] as const;

/** Whether there may be other plugins than those that come with Weir. */
export function hasPluginSettings(env: NodeJS.ProcessEnv): boolean {
  return PLUGIN_SETTINGS.some((name) => (env[name] ?? '') !== '');
}

/**
 * The module that runs this command line, as seen from this folder: the bundled one for a command that needs no server,
 * and for help, else the one among the single files. Both are made of the same code. A process loads one of the two: with
 * both, each class would be there twice.
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

/** `weir try --body` reads with the proxy's own code. */
function readsBodies(argv: readonly string[]): boolean {
  return argv.some((word) => word === '--body' || word.startsWith('--body='));
}

/** Not where only the compiler ran, as under `npm run dev`: a bundle from before would hold old code. */
function isBundled(here: URL): boolean {
  const [bundled, single] = ['../offline/run.js', './run.js'].map((file) => changedMs(new URL(file, here)));
  return bundled !== undefined && single !== undefined && bundled >= single;
}

function changedMs(file: URL): number | undefined {
  return statSync(file, { throwIfNoEntry: false })?.mtimeMs;
}
