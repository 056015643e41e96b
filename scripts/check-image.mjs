/**
 * `npm run check:image`: builds the image for the architecture of this machine, and starts it with the restrictions of the deployment
 * files: as user 1000, with a read-only file system and no capabilities. The service must become ready, and end without an error after
 * SIGTERM. Without Docker, or if containers cannot reach the registry of npm, nothing is checked: the script reports this and exits with 3.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

const NOT_CHECKED = 3;
const IMAGE = 'weir:check';
const CONTAINER = `weir-check-${process.pid}`;
/** The names of architectures in Node.js and in Docker. */
const ARCHITECTURES = { x64: 'amd64', arm64: 'arm64' };
const READY_MS = 120_000;
const ASK_EVERY_MS = 500;
/** Longer than WEIR_SHUTDOWN_NOTICE and WEIR_DRAIN_TIMEOUT together. */
const STOP_S = 40;

const [, base] = /^FROM (\S+) AS build$/m.exec(readFileSync('Dockerfile', 'utf8'));
const { version } = JSON.parse(readFileSync('package.json', 'utf8'));

if (!docker('version', '--format', '{{.Server.Version}}').isDone) notChecked('there is no Docker on this machine');
if (!docker('run', '--rm', base, 'npm', 'ping').isDone) {
  notChecked('the base image cannot be loaded, or a container cannot reach the registry of npm');
}

const built = spawnSync('docker', ['build', '--tag', IMAGE, '.'], { stdio: ['ignore', 1, 2] });
if (built.status !== 0) fail('the image cannot be built');
expect('architecture', docker('image', 'inspect', '--format', '{{.Architecture}}', IMAGE), ARCHITECTURES[process.arch]);
const offline = ['run', '--rm', '--network', 'none'];
expect('version', docker(...offline, IMAGE, '--version'), version);
// Prints the paths of package managers, of which there must be none, and the user.
const managers = 'for name in npm npx yarn corepack; do command -v "$name"; done; id -u';
expect('list of package managers and user', docker(...offline, '--entrypoint', 'sh', IMAGE, '-c', managers), '1000');

const limits = ['--read-only', '--tmpfs', '/tmp', '--cap-drop', 'ALL', '--security-opt', 'no-new-privileges:true'];
try {
  const started = docker('run', '--detach', '--name', CONTAINER, ...limits, IMAGE);
  if (!started.isDone) fail(`the container does not start: ${started.output}`);
  const health = await untilHealthy();
  if (health !== 'healthy') fail(`the service does not become ready (${health}):\n${logs()}`);
  docker('stop', '--time', String(STOP_S), CONTAINER);
  const ended = docker('inspect', '--format', '{{.State.ExitCode}}', CONTAINER);
  if (ended.output !== '0') fail(`the service ended with ${ended.output} after SIGTERM:\n${logs()}`);
  console.log(`The image for ${ARCHITECTURES[process.arch]} was built, and its service became ready and ended.`);
} finally {
  docker('rm', '--force', '--volumes', CONTAINER);
}

/** The state of the health check of the image when it is healthy, has ended, or at the time limit. */
async function untilHealthy() {
  const untilMs = Date.now() + READY_MS;
  for (;;) {
    const { output } = docker('inspect', '--format', '{{.State.Status}} {{.State.Health.Status}}', CONTAINER);
    const [status, health] = output.split(' ');
    if (health === 'healthy' || status !== 'running' || Date.now() > untilMs) return health ?? status;
    await delay(ASK_EVERY_MS);
  }
}

function logs() {
  return docker('logs', CONTAINER).output;
}

function docker(...words) {
  const { status, stdout, stderr } = spawnSync('docker', words, { encoding: 'utf8' });
  return { isDone: status === 0, output: `${stdout ?? ''}${stderr ?? ''}`.trim() };
}

function expect(what, { output }, wanted) {
  if (output !== wanted) fail(`the ${what} of the image is not ${wanted}: ${output}`);
}

/** Throws, so that the container is removed. */
function fail(reason) {
  throw new Error(reason);
}

/** Ends the script with a separate status, so that CI can distinguish a missing tool from a failed check. */
function notChecked(reason) {
  console.error(`NOT CHECKED: ${reason}. Run npm run check:image where both are available.`);
  process.exit(NOT_CHECKED);
}
