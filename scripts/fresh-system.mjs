/**
 * A fresh Debian in a temporary folder, in which commands run like in a container: with a file system, processes and devices of their own,
 * as an ordinary user. debootstrap makes it. The network is that of the machine, because commands need the registries.
 *
 * Every command gets its own namespaces of mounts and processes. Its mounts are therefore never visible outside, and end with it, so that
 * nothing has to be unmounted even after a crash; and when it ends or is killed, the kernel also ends every process that it has started.
 */
import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

export const HOME = '/home/reader';
const READER = 1000;
const SYSTEM_PATH = '/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin';
const LIMIT_MS = 600_000;
/** Characters of the output of a command that are kept: the end, where the error is. */
const KEPT_CHARS = 20_000;
/** Options of unshare with which no mount and no process of a command outlives it. */
const APART = ['--mount', '--pid', '--fork', '--kill-child', '--mount-proc'];
/**
 * Arguments: root, user, working folder, PATH, home, command. The shell must not be replaced by chroot, as it would be by a last command:
 * the kernel forgets for a process that changes its user that it is to be killed with its parent. And it must be bash: after Ctrl-C, dash
 * would report 130 whatever the exit code of the program.
 */
const ENTER = `set -e
umask 022
mount -t proc proc "$1/proc"
for device in null zero full random urandom; do
  touch "$1/dev/$device"
  mount --bind "/dev/$device" "$1/dev/$device"
done
chroot --userspec="$2:$2" "$1" /usr/bin/env --chdir="$3" PATH="$4" HOME="$5" bash -c "$6"
exit $?`;

/** The folder of the programs of a major version of Node that was added. */
export const programsOf = (node) => `/opt/node-${node}/bin`;

/** Returns why no fresh system can be made on this machine; undefined if it can. */
export function reasonAgainst() {
  if (process.platform !== 'linux') return 'the system is not Linux';
  if (process.getuid() !== 0) return 'it needs root';
  if (!succeeds('debootstrap', '--version')) return 'debootstrap is not installed';
  if (!succeeds('unshare', ...APART, 'true')) return 'processes here may not have their own mounts';
  return undefined;
}

export class FreshSystem {
  #root;
  #network;
  #running = new Set();
  #isStopped = false;

  /** @param {{ env: Record<string, string>, files: string[] }} network see network-settings.mjs */
  constructor(network) {
    this.#network = network;
    this.#root = mkdtempSync(join(tmpdir(), 'weir-fresh-system-'));
    // The ordinary user must be able to enter the folder, which is the root of that user's file system.
    chmodSync(this.#root, 0o755);
  }

  /** Path of a file of the system on this machine. */
  at(path) {
    return join(this.#root, path);
  }

  /** Installs the smallest Debian with additional packages, and the settings of the network. Signatures are always checked. */
  async install({ release, mirror, packages }) {
    const options = ['--variant=minbase', '--force-check-gpg', `--include=${packages.join(',')}`];
    const words = [...APART, 'sh', '-c', 'umask 022; debootstrap "$@"; exit $?', 'sh'];
    await this.#done('debootstrap', this.#spawn('unshare', [...words, ...options, release, this.#root, mirror]));
    for (const file of this.#network.files) {
      mkdirSync(dirname(this.at(file)), { recursive: true });
      // It could be a link, through which the file of this machine would be overwritten.
      rmSync(this.at(file), { force: true });
      copyFileSync(file, this.at(file));
      chmodSync(this.at(file), 0o644);
    }
    await this.run(`useradd --create-home --uid ${READER} --shell /bin/bash reader`, { isRoot: true, cwd: '/' });
  }

  /**
   * Adds the newest Node of a major version with its npm, in the layout of the archives of nodejs.org, from two packages of npm's registry.
   * npm on this machine loads them, because the fresh system has none yet.
   */
  async addNode(node, npm) {
    const folder = `/opt/packages-${node}`;
    const specs = [`node-linux-${process.arch}@${node}`, `npm@${npm}`];
    mkdirSync(this.at(folder), { recursive: true });
    const words = ['pack', '--ignore-scripts', '--loglevel', 'error', ...specs];
    await this.#done(`npm pack ${specs.join(' ')}`, this.#spawn('npm', words, { cwd: this.at(folder) }));
    const bin = programsOf(node);
    const modules = `${dirname(bin)}/lib/node_modules`;
    const lines = [
      `mkdir -p ${modules}/npm`,
      `tar -xzf node-linux-*.tgz -C ${dirname(bin)} --strip-components=1 --no-same-owner`,
      `tar -xzf npm-*.tgz -C ${modules}/npm --strip-components=1 --no-same-owner`,
      `chmod +x ${bin}/node ${modules}/npm/bin/*.js`,
      `ln -s ../lib/node_modules/npm/bin/npm-cli.js ${bin}/npm`,
      `ln -s ../lib/node_modules/npm/bin/npx-cli.js ${bin}/npx`,
      // So that any user may look at the packages, whatever the modes in the archives.
      'chmod -R a+rX /opt',
    ];
    await this.run(lines.join(' && '), { isRoot: true, cwd: folder });
  }

  /**
   * Runs lines of bash to their end.
   *
   * @param {string} lines
   * @param {{ path?: string[], cwd?: string, env?: Record<string, string>, isRoot?: boolean, limitMs?: number }} [options] `path`: folders
   *   of programs before those of the system
   * @returns {Promise<string>} its output
   */
  async run(lines, options = {}) {
    return this.#done(lines, this.start(lines, options));
  }

  /** Starts lines of bash, with the options of `run`. */
  start(lines, { path = [], cwd = HOME, env = {}, isRoot = false, limitMs } = {}) {
    const user = isRoot ? 0 : READER;
    const inside = [this.#root, user, cwd, [...path, SYSTEM_PATH].join(':'), isRoot ? '/root' : HOME, lines];
    return this.#spawn('unshare', [...APART, 'bash', '-c', ENTER, 'bash', ...inside.map(String)], {
      limitMs,
      // Only what the network needs: variables of this machine must not help a command.
      env: { LANG: 'C.UTF-8', ...this.#network.env, ...env, PATH: SYSTEM_PATH },
    });
  }

  /** Ends every command now, and lets no further one start. */
  stop() {
    this.#isStopped = true;
    for (const task of this.#running) task.signal('SIGKILL');
  }

  /** Ends every command and deletes the system. */
  async remove() {
    this.stop();
    await Promise.all([...this.#running].map((task) => task.ended));
    // A precaution: if a mount were visible here, its content would not be deleted.
    spawnSync('rm', ['-rf', '--one-file-system', this.#root], { stdio: ['ignore', 2, 2] });
  }

  #spawn(command, words, { limitMs = LIMIT_MS, ...options } = {}) {
    if (this.#isStopped) throw new Error('stopped by a signal');
    const task = new Task(command, words, options, limitMs);
    this.#running.add(task);
    void task.ended.then(() => this.#running.delete(task));
    return task;
  }

  async #done(name, task) {
    const { status, reason } = await task.ended;
    if (status !== 0) throw new Error(`${name}\n  ${reason}; the end of its output:\n${task.output}`);
    return task.output;
  }
}

/** A running program in its own process group, so that a signal reaches all its processes, as Ctrl-C in a terminal does. */
class Task {
  output = '';
  #child;
  #isLate = false;

  constructor(command, words, options, limitMs) {
    this.#child = spawn(command, words, { ...options, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream.setEncoding('utf8').on('data', (text) => (this.output = (this.output + text).slice(-KEPT_CHARS)));
    }
    const timer = setTimeout(() => {
      this.#isLate = true;
      this.signal('SIGKILL');
    }, limitMs);
    /** Resolves when all processes that could write output have ended; never rejects. */
    this.ended = new Promise((resolve) => {
      this.#child.once('error', (error) => resolve({ reason: error.message }));
      this.#child.once('close', (status, signal) => {
        const limit = `did not end in ${limitMs / 1000} s`;
        resolve({ status, reason: this.#isLate ? limit : `ended with ${status ?? signal}` });
      });
    }).finally(() => clearTimeout(timer));
  }

  get isRunning() {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  signal(name) {
    if (!this.isRunning || this.#child.pid === undefined) return;
    try {
      process.kill(-this.#child.pid, name);
    } catch (error) {
      // The group has just ended, and its exit is not reported yet.
      if (error.code !== 'ESRCH') throw error;
    }
  }
}

function succeeds(command, ...words) {
  return spawnSync(command, words, { stdio: 'ignore' }).status === 0;
}
