/**
 * `npm run check:install`: runs the install lines of README.md, docs/guides/install.md and the pages of the packages in a fresh Debian, as
 * an ordinary user, and prints the time of each step and what was measured. The lines are read from the pages of the last commit; only
 * ports, and the names of packages that are not published yet, are replaced. Uncommitted changes are not checked. `npm test` is not run
 * here: that is the task of `.ci/run`.
 *
 * The lines of README.md run with each major version of Node that a checkout permits. The check fails if what is installed is too large, or
 * if `weir --version` takes too much CPU time. The time until the service is ready is only compared with its goal, because it depends on
 * the machine and its network.
 *
 * The network is that of the machine. On a machine that reaches only the mirror of Debian, npm's registry and PyPI, a passed check shows
 * that nothing else is needed. It takes many minutes, needs root, debootstrap and some GB in the folder of temporary files (`TMPDIR`),
 * and deletes everything at the end. If a fresh system cannot be made, nothing is checked: the script reports this and exits with 3.
 */
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { availableParallelism, constants, loadavg } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { FreshSystem, HOME, programsOf, reasonAgainst } from './fresh-system.mjs';
import { blockWith, lineFrom } from './install-lines.mjs';
import { debianMirror, networkSettings } from './network-settings.mjs';

const NOT_CHECKED = 3;
/** What the pages presuppose besides Node and npm. */
const PACKAGES = ['ca-certificates', 'curl', 'python3-venv'];
/** The major version of npm that comes with each major version of Node. */
const NPM_OF = { 20: '10', 22: '10', 24: '11' };
/** Files of the commit, in a folder for each version of Node, and files that stand in for published ones. */
const checkoutFor = (node) => `${HOME}/weir-${node}`;
const PACKED = `${HOME}/packed`;
const LONG_MS = 1_800_000;
const ASK_EVERY_MS = 200;
/** Longer than WEIR_SHUTDOWN_NOTICE and WEIR_DRAIN_TIMEOUT together. */
const STOP_MS = 60_000;
/** Exit codes of bash after Ctrl-C: of a program that ends in order, and of one that the signal has ended. */
const STOPPED = [0, 130];
/** The SDKs and the clients check at the start only that there are keys and addresses. Nothing is sent to them. */
const OF_SDK = { WEIR_API_KEY: 'unused', WEIR_BASE_URL: 'http://127.0.0.1:9', OPENAI_API_KEY: 'unused' };
const GUARD_IN_NODE = `import OpenAI from 'openai';
import { weir } from 'weir-sdk';
if (typeof weir(new OpenAI()).chat.completions.create !== 'function') throw new Error('no client');`;
const GUARD_IN_PYTHON = `from openai import OpenAI
from weir_sdk import weir
assert callable(weir(OpenAI()).chat.completions.create)`;

/** Limits of the installed files, in MB. */
const MOST_MB = { checkout: 650, command: 25, server: 250 };
/** Goal for README's line from an empty checkout to a ready service, on two quiet cores. */
const READY_GOAL_S = 60;
/** Limit of the CPU time of `weir --version`, which depends less on other work of the machine than the time on the clock. */
const MOST_START_CPU_S = 0.5;

/** The part in which a step failed cannot continue. */
class FailedStep extends Error {}

const { version, engines } = JSON.parse(ofCommit('package.json'));
/** The oldest Node for a checkout, which README.md names, and the oldest one for the packages. */
const [oldNode, newNode] = [engines, JSON.parse(ofCommit('packages/weir-cli/package.json')).engines].map(
  ({ node }) => /\d+/.exec(node)[0],
);
const [, release] = /^FROM node:\d+-(\w+)-slim/m.exec(ofCommit('Dockerfile'));
const [readme, guide] = ['README.md', 'docs/guides/install.md'].map(ofCommit);

/** The major versions of Node that a checkout permits; `npm ci` must not warn on any of them. */
const nodesOfCheckout = Object.keys(NPM_OF).filter((node) => Number(node) >= Number(oldNode));
/** Those that npm's registry does not provide for this machine. */
const leftOut = new Set();

/** A command of the shell that fails if the installed `weir` is missing or another version. */
const SAYS_VERSION = `weir --version | grep -Fx ${version}`;
/** The guide says that the packages install without a registry. */
const WITHOUT_REGISTRY = { npm_config_offline: 'true' };

const reason = reasonAgainst();
if (reason !== undefined) notChecked(reason);
const mirror = debianMirror(release);
if (mirror === undefined) notChecked(`apt of this machine has no mirror of Debian ${release}`);

const rows = [];
const system = new FreshSystem(networkSettings());
let signalled;
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  // Also further signals: the first one is enough, and the others must not prevent the deletion.
  process.on(signal, () => {
    signalled ??= signal;
    system.stop();
  });
}
try {
  if (await passes(prepare)) {
    for (const node of nodesOfCheckout.filter((each) => !leftOut.has(each))) {
      await passes(() => checkout(node), `README.md, Node ${node}`);
    }
    for (const part of [packages, command, service, executable, sdkInNode, sdkInPython]) await passes(part);
  }
} finally {
  await system.remove();
  printRows();
}
if (signalled !== undefined) process.exitCode = 128 + constants.signals[signalled];
else if (rows.some(({ isPassed }) => !isPassed)) process.exitCode = 1;

/** The base of all parts. Its times are those of the mirrors and not of Weir. */
async function prepare() {
  await step(`Debian ${release}, from its mirror`, () => system.install({ release, mirror, packages: PACKAGES }));
  for (const node of new Set([oldNode, newNode, ...nodesOfCheckout])) await addNode(node);
  await step('the files of the last commit', async () => {
    execFileSync('git', ['archive', '--output', system.at('/weir.tar'), 'HEAD']);
    await system.run('chmod a+r /weir.tar', { isRoot: true });
    for (const node of nodesOfCheckout) {
      await system.run(`mkdir ${checkoutFor(node)} && tar -xf /weir.tar -C ${checkoutFor(node)}`);
    }
  });
}

/** Without one of the other versions, only the checkout is not tested with it; the other parts need the oldest and the newest one. */
async function addNode(node) {
  try {
    await step(`Node ${node} and npm ${NPM_OF[node]}, from npm's registry`, () => system.addNode(node, NPM_OF[node]));
  } catch (error) {
    if (signalled !== undefined || [oldNode, newNode].includes(node)) throw error;
    console.error(`LEFT OUT: Node ${node} could not be loaded: ${error.message}`);
    Object.assign(rows.at(-1), { isPassed: true, isLeftOut: true });
    leftOut.add(node);
  }
}

/** README.md. The call is made exactly as a reader makes it, in a second terminal. */
async function checkout(node) {
  const options = { ...(await place(`checkout-${node}`, node)), cwd: checkoutFor(node), limitMs: LONG_MS };
  const start = lineFrom(readme, 'npm ci && npm start');
  const page = `README.md, Node ${node}`;
  await withService(page, start, options, async (port, running) => {
    await step(`${page}: the packages, without a warning about engines`, async () => {
      if (running.output.includes('EBADENGINE')) throw new Error(`npm warns about engines:\n${running.output}`);
      return sizeWithin(`${checkoutFor(node)}/node_modules`, MOST_MB.checkout);
    });
    const calls = [
      ['the first guarded call', '/v1/events -H', ['"decision":"redact"', '[EMAIL_1]']],
      ['the query of the log', '/v1/events?limit=5', ['"first"']],
    ];
    for (const [name, mark, expected] of calls) {
      await step(`${page}: ${name}`, async () => {
        const answer = await system.run(atPort(blockWith(readme, mark), port), options);
        const missing = expected.filter((text) => !answer.includes(text));
        if (missing.length > 0) throw new Error(`no ${missing.join(' and no ')} in the answer: ${answer}`);
      });
    }
  });
  const link = lineFrom(readme, 'npm link');
  await step(`${page}: ${link}`, () => system.run(`${link} && ${SAYS_VERSION}`, options));
}

/** The files of a release and the package of the SDK, which the next parts install instead of published packages. */
async function packages() {
  const options = { ...(await place('packages', newNode)), cwd: checkoutFor(newNode), limitMs: LONG_MS };
  await step('pack what a release publishes', async () => {
    const env = { ...options.env, WEIR_RELEASE_DIR: PACKED };
    await system.run('npm run --silent release:pack', { ...options, env });
    await system.run(`npm pack --pack-destination ${PACKED}`, { ...options, cwd: `${checkoutFor(newNode)}/sdk/node` });
  });
}

async function command() {
  const options = await place('command', newNode, WITHOUT_REGISTRY);
  const page = ofCommit('packages/weir-cli/README.md');
  const install = lineFrom(guide, 'npm install --global weir-cli@');
  await step(`install.md: ${install}`, async () => {
    await system.run(`${ofFile(install)} && ${SAYS_VERSION}`, options);
    return sizeWithin(installedBy(options), MOST_MB.command);
  });
  await step('install.md: the start of the command', () => startWithin(options));
  const first = lineFrom(page, 'weir init');
  await step(`README.md of weir-cli: ${first}`, () => system.run(first, options));
  const uninstalled = lineFrom(guide, 'npx --package=weir-cli@');
  await step(`install.md: ${uninstalled}`, () => system.run(ofFile(uninstalled), options));
}

/** The line that starts the service is the last of the block. */
async function service() {
  const options = await place('service', newNode, WITHOUT_REGISTRY);
  const lines = blockWith(guide, 'npm install --global weir-server@').trim().split('\n');
  const start = lines.pop();
  for (const line of lines) await step(`install.md: ${line}`, () => system.run(ofFile(line), options));
  await step('install.md: the size of the service', () => sizeWithin(installedBy(options), MOST_MB.server));
  await withService('install.md', start, options, () => undefined);
}

/** As root, because the lines write to /usr/local, and without Node. The attestation is not checked: it needs a release on GitHub. */
async function executable() {
  const options = { ...(await place('executable')), isRoot: true };
  const block = blockWith(guide, 'sha256sum --check').replaceAll('linux-x64', `linux-${process.arch}`);
  const lines = block.split('\n').filter((line) => line !== '' && !line.startsWith('gh '));
  for (const line of lines) {
    await step(`install.md: ${line}`, () => system.run(line, { ...options, cwd: PACKED }));
  }
  const first = `! command -v node && ${SAYS_VERSION} && weir init && weir lint && weir test`;
  await step('the executable alone', () => system.run(first, { ...options, isRoot: false }));
}

async function sdkInNode() {
  const options = await place('sdk-in-node', oldNode, OF_SDK);
  const install = lineFrom(ofCommit('sdk/node/README.md'), 'npm install weir-sdk');
  const { version: ofSdk } = JSON.parse(ofCommit('sdk/node/package.json'));
  await step(`README.md of weir-sdk for Node.js: ${install}`, async () => {
    await system.run(install.replace('weir-sdk', `${PACKED}/weir-sdk-${ofSdk}.tgz`), options);
    await system.run('node --input-type=module --eval "$GUARD"', withEnv(options, { GUARD: GUARD_IN_NODE }));
  });
}

/** In a virtual environment, because Debian refuses to mix packages of PyPI with its own. */
async function sdkInPython() {
  const options = await place('sdk-in-python', undefined, OF_SDK);
  const install = lineFrom(ofCommit('sdk/python/README.md'), 'pip install weir-sdk');
  await step(`README.md of weir-sdk for Python: ${install}`, async () => {
    const inEnvironment = { ...options, path: [`${options.cwd}/environment/bin`] };
    await system.run('python3 -m venv environment', options);
    await system.run(install.replace('weir-sdk', `${checkoutFor(newNode)}/sdk/python`), inEnvironment);
    await system.run('python -c "$GUARD"', withEnv(inEnvironment, { GUARD: GUARD_IN_PYTHON }));
  });
}

/**
 * Starts a service, waits until it is ready, lets the work use its port, and ends it as Ctrl-C does. If the work fails, the service is
 * killed.
 */
async function withService(page, line, options, work) {
  const port = await freePort();
  const running = system.start(line, withEnv({ limitMs: LONG_MS, ...options }, { PORT: String(port) }));
  try {
    await step(`${page}: ${line.replace(/ +#.*/, '')}, until it is ready`, async () => {
      const startMs = performance.now();
      await untilReady(running, port);
      return { figure: comparedWithGoal((performance.now() - startMs) / 1000) };
    });
    await work(port, running);
    await step(`${page}: Ctrl-C`, async () => {
      running.signal('SIGINT');
      const late = delay(STOP_MS, { reason: `did not end in ${STOP_MS / 1000} s` }, { ref: false });
      const { status, reason } = await Promise.race([running.ended, late]);
      if (!STOPPED.includes(status)) throw new Error(`the service ${reason}:\n${running.output}`);
    });
  } finally {
    running.signal('SIGKILL');
    await running.ended;
  }
}

/** The time is that of README's line. The lines of the packages start what is installed already, so they take less. */
function comparedWithGoal(seconds) {
  const found = seconds <= READY_GOAL_S ? 'within' : 'LONGER THAN';
  const machine = `${availableParallelism()} cores, load ${loadavg()[0].toFixed(1)}`;
  return `${found} the goal of ${READY_GOAL_S} s on two quiet cores; here ${machine}`;
}

/** @throws Error if the folder takes more space than allowed */
async function sizeWithin(folder, mostMb) {
  const mb = Number(await system.run(`du -sm ${folder} | cut -f 1`));
  if (!(mb <= mostMb)) throw new Error(`${folder} takes ${mb} MB, more than ${mostMb} MB`);
  return { figure: `${mb} MB, at most ${mostMb} MB` };
}

/** The first run of the command writes a cache of its compiled code, so the second one is measured. @throws Error if it takes too long */
async function startWithin(options) {
  const twice = `weir --version && TIMEFORMAT='%R %U %S' && { time weir --version >/dev/null; } 2>&1`;
  const [, clock, user, kernel] = /^([\d.]+) ([\d.]+) ([\d.]+)$/m.exec(await system.run(twice, options)) ?? [];
  const cpuS = Number(user) + Number(kernel);
  const figure = `${clock} s on the clock, ${cpuS.toFixed(2)} s of CPU time, at most ${MOST_START_CPU_S} s`;
  if (!(cpuS <= MOST_START_CPU_S)) throw new Error(`weir --version takes too long: ${figure}`);
  return { figure };
}

async function untilReady(running, port) {
  while (running.isRunning) {
    const isReady = await fetch(`http://127.0.0.1:${port}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isReady) return;
    await delay(ASK_EVERY_MS);
  }
  const { reason } = await running.ended;
  throw new Error(`it ${reason} before it was ready:\n${running.output}`);
}

/** A free port of the loopback interface, which the fresh system shares with the machine. */
async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}

/**
 * Makes an empty folder, and the folder for `npm install --global`. Each part has its own, because two packages contain a command `weir`,
 * and because an ordinary user may not write to the folder of Node.
 */
async function place(name, node, env = {}) {
  const [cwd, prefix] = [`${HOME}/in-${name}`, `${HOME}/global-${name}`];
  await system.run(`mkdir -p ${cwd} ${prefix}/bin ${prefix}/lib`);
  if (node === undefined) return { cwd, env };
  return { cwd, path: [`${prefix}/bin`, programsOf(node)], env: { ...env, npm_config_prefix: prefix } };
}

/** The folder of what `npm install --global` has installed. */
function installedBy({ env }) {
  return `${env.npm_config_prefix}/lib/node_modules`;
}

function withEnv(options, env) {
  return { ...options, env: { ...options.env, ...env } };
}

/** Replaces the names of the packages, which may not be published yet, with their files. */
function ofFile(line) {
  return line.replace(/\b(weir-(?:cli|server))@[\d.]*\d/, `${PACKED}/$1-${version}.tgz`);
}

function atPort(lines, port) {
  return lines.replaceAll('localhost:8080', `localhost:${port}`);
}

/** Runs a part. Its first failed step is printed and ends it; the other parts are independent of it, or fail themselves. */
async function passes(part, name = part.name) {
  if (signalled !== undefined) return false;
  try {
    await part();
    return true;
  } catch (error) {
    console.error(error.cause ?? error);
    // An error outside of the steps, such as a line that a page does not have any more.
    if (!(error instanceof FailedStep)) rows.push({ name, seconds: 0, isPassed: false });
    return false;
  }
}

/** Runs a step. Its work may return a measured `figure`, which is printed with the result. */
async function step(name, work) {
  console.log(`== ${name}`);
  const startMs = performance.now();
  const add = (isPassed, figure) =>
    rows.push({ name, seconds: (performance.now() - startMs) / 1000, isPassed, figure });
  try {
    const { figure } = (await work()) ?? {};
    add(true, figure);
  } catch (error) {
    add(false);
    throw new FailedStep(error.message, { cause: error });
  }
}

function printRows() {
  console.log('\n| step | seconds | result |\n|---|---|---|');
  for (const { name, seconds, isPassed, isLeftOut = false, figure } of rows) {
    const result = isLeftOut ? 'LEFT OUT' : isPassed ? 'passed' : 'FAILED';
    console.log(`| ${name} | ${seconds.toFixed(1)} | ${[result, figure].filter(Boolean).join(': ')} |`);
  }
}

function ofCommit(path) {
  return execFileSync('git', ['show', `HEAD:${path}`], { encoding: 'utf8' });
}

/** Ends the script with a separate status, so that CI can distinguish a missing tool from a failed check. */
function notChecked(why) {
  console.error(`NOT CHECKED: ${why}. Run npm run check:install as root on Debian with debootstrap.`);
  // Nothing has begun: the tools are looked for before the system is created.
  process.exit(NOT_CHECKED);
}
