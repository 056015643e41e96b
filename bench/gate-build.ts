import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { root } from './shipped-policy.js';

/** The built service of another commit. */
export interface OtherBuild {
  readonly directory: string;
  remove(): void;
}

/** Script of the build that bundles the service into few files; older commits do not have it. */
const BUNDLER = 'scripts/bundle-server.mjs';

/** Why no comparison is possible. This is not a failure of the change. */
export class NotComparable extends Error {}

/**
 * The build in a checkout with its own packages, for commits that need other packages than this one. @returns undefined if the
 * directory has no build
 */
export function builtIn(directory: string): OtherBuild | undefined {
  if (!existsSync(join(directory, 'dist/src/main.js'))) return undefined;
  return { directory: resolve(directory), remove: () => undefined };
}

/**
 * Builds a commit in a temporary directory, with the packages that are installed in this checkout.
 * @throws NotComparable when there is no such commit, it needs other packages, or it cannot be built in time
 */
export function buildOf(commit: string, limitMs: number): OtherBuild {
  const id = tried(`there is no commit ${commit} here`, () => git('rev-parse', '--verify', `${commit}^{commit}`));
  const lock = tried('it has no lock file', () => git('show', `${id}:package-lock.json`));
  if (packagesOf(lock) !== packagesOf(readFileSync(join(root(), 'package-lock.json'), 'utf8')))
    throw new NotComparable(`${commit} needs other packages`);
  const directory = mkdtempSync(join(tmpdir(), 'weir-gate-'));
  const remove = (): void => rmSync(directory, { recursive: true, force: true });
  try {
    // Not a git worktree: its entry would remain in the repository if this process is killed.
    tried(`${commit} cannot be unpacked`, () => {
      const archive = execFileSync('git', ['archive', id], { cwd: root(), maxBuffer: 1024 * 1024 * 1024 });
      execFileSync('tar', ['-x', '-C', directory], { input: archive });
    });
    symlinkSync(join(root(), 'node_modules'), join(directory, 'node_modules'));
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

/** The message of a commit. */
export function messageOf(commit: string): string {
  return tried(`there is no commit ${commit} here`, () => git('log', '-1', '--format=%B', commit));
}

function git(...words: string[]): string {
  return execFileSync('git', words, { cwd: root(), encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trim();
}

/** Paths and versions of the installed packages in a lock file, without the repository's own entry. */
function packagesOf(lock: string): string {
  const { packages } = JSON.parse(lock) as { packages: Record<string, { version?: string }> };
  return JSON.stringify(
    Object.entries(packages)
      .filter(([path]) => path.startsWith('node_modules/'))
      .map(([path, { version }]) => [path, version])
      .sort(),
  );
}

function tried<T>(otherwise: string, work: () => T): T {
  try {
    return work();
  } catch {
    throw new NotComparable(otherwise);
  }
}
