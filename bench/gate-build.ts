import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { differingPackages } from './gate-packages.js';
import { root } from './shipped-policy.js';

/** The built service of another commit. */
export interface OtherBuild {
  readonly directory: string;
  remove(): void;
}

/** Script of the build that bundles the service into few files; older commits do not have it. */
const BUNDLER = 'scripts/bundle-server.mjs';
/** Time limit for installing the packages of a commit that needs other ones than this checkout. */
const INSTALL_MS = 180_000;
const INSTALL = ['ci', '--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund', '--loglevel', 'error'];

/** Why no comparison is possible. This is not a failure of the change. */
export class NotComparable extends Error {}

/**
 * The build in a checkout with its own packages. @returns undefined if the directory has no build
 */
export function builtIn(directory: string): OtherBuild | undefined {
  if (!existsSync(join(directory, 'dist/src/main.js'))) return undefined;
  return { directory: resolve(directory), remove: () => undefined };
}

/**
 * Builds a commit in a temporary directory: with the packages that are installed in this checkout if it needs the same ones, and otherwise
 * with its own, which are installed there. Differences are printed, since they can also change the cost of a call.
 * @throws NotComparable when there is no such commit, its packages cannot be installed, or it cannot be built in time
 */
export function buildOf(commit: string, limitMs: number): OtherBuild {
  const id = tried(`there is no commit ${commit} here`, () => git('rev-parse', '--verify', `${commit}^{commit}`));
  const lock = tried('it has no lock file', () => git('show', `${id}:package-lock.json`));
  const differing = differingPackages(lock, readFileSync(join(root(), 'package-lock.json'), 'utf8'));
  const directory = mkdtempSync(join(tmpdir(), 'weir-gate-'));
  const remove = (): void => rmSync(directory, { recursive: true, force: true });
  try {
    // Not a git worktree: its entry would remain in the repository if this process is killed.
    tried(`${commit} cannot be unpacked`, () => {
      const archive = execFileSync('git', ['archive', id], { cwd: root(), maxBuffer: 1024 * 1024 * 1024 });
      execFileSync('tar', ['-x', '-C', directory], { input: archive });
    });
    if (differing.length === 0) symlinkSync(join(root(), 'node_modules'), join(directory, 'node_modules'));
    else install(commit, directory, differing);
    const step = (...words: string[]): boolean =>
      spawnSync(process.execPath, words, { cwd: directory, stdio: 'ignore', timeout: limitMs }).status === 0;
    const isBuilt =
      step(join('node_modules', '@nestjs', 'cli', 'bin', 'nest.js'), 'build') &&
      (!existsSync(join(directory, BUNDLER)) || step(BUNDLER));
    if (!isBuilt || !existsSync(join(directory, 'dist/src/main.js')))
      throw new NotComparable(`${commit} cannot be built within ${limitMs / 1_000} s`);
    return { directory, remove };
  } catch (error) {
    remove();
    throw error;
  }
}

/** @throws NotComparable with the differing packages, if those of the commit cannot be installed */
function install(commit: string, directory: string, differing: readonly string[]): void {
  process.stdout.write(`PACKAGES DIFFER from ${commit}, so a difference may be theirs:\n`);
  for (const line of differing) process.stdout.write(`  ${line}\n`);
  const { status } = spawnSync('npm', INSTALL, { cwd: directory, stdio: 'ignore', timeout: INSTALL_MS });
  if (status !== 0)
    throw new NotComparable(
      `its other packages (${differing.join(', ')}) cannot be installed in ${INSTALL_MS / 1_000} s`,
    );
}

/** The message of a commit. */
export function messageOf(commit: string): string {
  return tried(`there is no commit ${commit} here`, () => git('log', '-1', '--format=%B', commit));
}

function git(...words: string[]): string {
  return execFileSync('git', words, {
    cwd: root(),
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    maxBuffer: 64 * 1024 * 1024,
  }).trim();
}

function tried<T>(otherwise: string, work: () => T): T {
  try {
    return work();
  } catch {
    throw new NotComparable(otherwise);
  }
}
