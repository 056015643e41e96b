/**
 * Runs a test file with jest's own framework, but loads modules with Node's loader: once for all files that a worker runs,
 * instead of once per file. Loading the service takes about four seconds of CPU time, which was most of the time of
 * most files. So a test must not rely on fresh modules of the sources. See docs/adr/0058-files-of-tests-share-modules.md.
 */
const { createHash } = require('node:crypto');
const { appendFileSync, existsSync, readFileSync } = require('node:fs');
const { dirname, join, relative } = require('node:path');
const { flushCompileCache, registerHooks } = require('node:module');
const { pathToFileURL } = require('node:url');

const FRAMEWORK = join(dirname(require.resolve('jest-circus/runner')), 'jestAdapterInit.js');
const ROOT = join(__dirname, '..', '..');
const SUPPORT = pathToFileURL(join(ROOT, 'test/')).href;
/** The number of times that this worker has run each test file. */
const runs = new Map();
/** Marks the modules that the current test file loads anew. */
let run = '';

module.exports = async function runNatively(globalConfig, config, environment, runtime, testPath, sendMessageToJest) {
  const { sourceMaps } = await hooks();
  if (config.displayName?.name !== 'unit') pglite ??= await compiledPglite();
  const { initialize, runAndTransformResultsToJestFormat } = freshFramework();
  const cost = costOf();
  const before = { env: { ...process.env }, console: globalThis.console, directory: process.cwd() };
  const global = { console: environment.global.console };
  globalThis.console = global.console;
  await initialize({
    config,
    environment: { global },
    globalConfig,
    localRequire: require,
    parentProcess: process,
    runtime,
    // Files of unit tests take seconds at most: two messages about each of their ten thousand tests would show nothing in time.
    sendMessageToJest: config.displayName?.name === 'unit' ? undefined : sendMessageToJest,
    setGlobalsForRuntime: (globals) => Object.assign(globalThis, globals),
    testPath,
  });
  try {
    run = markOf(testPath);
    for (const path of config.setupFilesAfterEnv) await import(pathToFileURL(path).href);
    await import(`${pathToFileURL(testPath).href}?run=${run}`);
    return await runAndTransformResultsToJestFormat({ config, globalConfig, testPath });
  } finally {
    note(testPath, cost);
    // A worker that jest replaces is killed, and would not write the compiled code for the next one.
    flushCompileCache();
    for (const [url, map] of sourceMaps) runtime.getSourceMaps().set(url, map);
    globalThis.console = before.console;
    process.chdir(before.directory);
    for (const name of Object.keys(process.env)) if (!(name in before.env)) delete process.env[name];
    Object.assign(process.env, before.env);
  }
};

let pglite;

/**
 * The WebAssembly program of the embedded database. V8 shares the machine code of a program between all threads while one of them holds the
 * program. Otherwise each test file would translate PostgreSQL again, once for the first calls and once more for frequent functions:
 * about a second of CPU time.
 */
function compiledPglite() {
  return WebAssembly.compile(readFileSync(join(dirname(require.resolve('@electric-sql/pglite')), 'pglite.wasm')));
}

/**
 * The mark is the same in each worker, so that V8 finds the compiled modules of an earlier worker or run. A file that runs again, as in watch
 * mode, gets another one, so that it is loaded again.
 */
function markOf(testPath) {
  const path = relative(ROOT, testPath);
  const times = (runs.get(path) ?? 0) + 1;
  runs.set(path, times);
  return createHash('sha256').update(`${times} ${path}`).digest('hex').slice(0, 8);
}

/** CPU time of this process and its ended children, in seconds. */
function costOf() {
  const { user, system } = process.cpuUsage();
  // Fields 16 and 17 of proc(5) count the children, in hundredths of a second; the name before them may contain spaces.
  const stat = existsSync('/proc/self/stat')
    ? readFileSync('/proc/self/stat', 'utf8')
        .replace(/^.*\) /, '')
        .split(' ')
    : [];
  return (user + system) / 1e6 + (Number(stat[13] ?? 0) + Number(stat[14] ?? 0)) / 100;
}

/** If `WEIR_TEST_COSTS` names a file, writes the CPU time of each test file to it. */
function note(testPath, before) {
  const file = process.env.WEIR_TEST_COSTS;
  if (file) appendFileSync(file, `${(costOf() - before).toFixed(2)} ${relative(ROOT, testPath)}\n`);
}

let hooked;

/** Compiles sources, and replaces the fast-check package by the tests' own module, as `moduleNameMapper` does. */
function hooks() {
  if (hooked === undefined) {
    const fastCheck = pathToFileURL(join(__dirname, 'fast-check.mjs')).href;
    registerHooks({
      resolve(specifier, context, next) {
        const resolved = next(specifier === 'fast-check' ? fastCheck : specifier, context);
        // Support modules may register hooks such as `beforeEach`, so they are loaded again for each file.
        const isSupport = resolved.url.startsWith(SUPPORT) && resolved.url.endsWith('.ts');
        return isSupport ? { ...resolved, url: `${resolved.url}?run=${run}` } : resolved;
      },
    });
    hooked = import('./register-typescript.mjs');
  }
  return hooked;
}

/** Makes the framework load anew: it keeps a file's tests in its module and its listeners in a global, which belong to the last file. */
function freshFramework() {
  delete globalThis[Symbol.for('EVENT_HANDLERS')];
  delete require.cache[FRAMEWORK];
  return require(FRAMEWORK);
}
