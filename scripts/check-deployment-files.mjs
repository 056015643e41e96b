/**
 * `npm run check:deployment-files`: checks `compose.yaml` with `docker compose config`, and the unit for systemd with `systemd-analyze
 * verify`. A tool that is missing is reported with what was not checked, and the script exits with 3.
 */
import { spawnSync } from 'node:child_process';
import { basename } from 'node:path';

const COMPOSE = 'compose.yaml';
const UNIT = 'deploy/systemd/weir.service';
const NOT_CHECKED = 3;
/** The values for which `compose.yaml` asks. They are not used. */
const SECRETS = { WEIR_TOKEN_SECRET: 'unused', POSTGRES_PASSWORD: 'unused' };

const results = [checkCompose(), checkUnit()];
if (results.includes('failed')) process.exitCode = 1;
else if (results.includes('left out')) process.exitCode = NOT_CHECKED;

/** @returns {'passed' | 'failed' | 'left out'} */
function checkCompose() {
  const version = ran('docker', ['compose', 'version', '--short']);
  if (version.status !== 0) return leftOut(COMPOSE, 'there is no docker compose on this machine');
  const { status, output } = ran('docker', ['compose', '--file', COMPOSE, 'config', '--quiet'], SECRETS);
  if (status === 0) return passed(COMPOSE, `docker compose ${version.output}`);
  return failed(COMPOSE, output);
}

/**
 * Some versions of systemd-analyze end with 0 although they report problems, and some report problems of other units of the machine. So the
 * lines about this unit decide.
 *
 * @returns {'passed' | 'failed' | 'left out'}
 */
function checkUnit() {
  const version = ran('systemd-analyze', ['--version']);
  if (version.status !== 0) return leftOut(UNIT, 'there is no systemd-analyze on this machine');
  const { status, output } = ran('systemd-analyze', ['verify', '--man=no', `./${UNIT}`]);
  const problems = output.split('\n').filter((line) => line.includes(basename(UNIT)));
  if (problems.length > 0) return failed(UNIT, problems.join('\n'));
  if (status !== 0) return leftOut(UNIT, `systemd-analyze cannot verify a unit on this machine:\n${output}`);
  return passed(UNIT, version.output.split('\n', 1)[0]);
}

function passed(file, tool) {
  console.log(`${file}: no findings of ${tool}`);
  return 'passed';
}

function failed(file, output) {
  console.error(`${file}:\n${output}`);
  return 'failed';
}

function leftOut(file, reason) {
  console.error(`NOT CHECKED: ${file}: ${reason}`);
  return 'left out';
}

/** Runs a program to its end. Without the program, the status is null. */
function ran(command, words, env = {}) {
  const { status, stdout, stderr } = spawnSync(command, words, { encoding: 'utf8', env: { ...process.env, ...env } });
  return { status, output: `${stdout ?? ''}${stderr ?? ''}`.trim() };
}
