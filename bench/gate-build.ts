import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { root } from './shipped-policy.js';

/** Another commit's service, built. */
export interface OtherBuild {
  readonly directory: string;
  remove(): void;
}

/** The step of the build that puts the service into few files; older commits have none. */
const BUNDLER = 'scripts/bundle-server.mjs';

/** Why there is nothing to compare with; that is no fault of the change. */
export class NotComparable extends Error {}

/** A checkout that was built with packages of its own, where the commit's packages are others. */
export function builtIn(directory: string): OtherBuild | undefined {
  if (!existsSync(join(directory, 'dist/src/main.js'))) return undefined;
  return { directory: resolve(directory), remove: () => undefined };
}

/**
 * Builds a commit in a directory of its own, with the packages that are installed here.
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
    // No worktree: that would be written down in the repository, and stay there when this process is killed.
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

/** What a commit says of itself. */
export function messageOf(commit: string): string {
  return tried(`there is no commit ${commit} here`, () => git('log', '-1', '--format=%B', commit));
}

function git(...words: string[]): string {
  return execFileSync('git', words, { cwd: root(), encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trim();
}

/** What is installed, without what a package calls itself. */
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
