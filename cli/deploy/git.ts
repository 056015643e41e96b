import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { usageError } from '../exit-code.js';
import { filesAt } from '../input/git-files.js';

const execute = promisify(execFile);

/** The git commit of a folder, and whether the files match it. */
export interface GitSource {
  /** The checked-out commit; null outside a repository. */
  readonly commit: string | null;
  /** True if the folder is identical to the commit, apart from ignored files. */
  readonly clean: boolean;
}

/** Determines the git state of a folder. Missing git or a missing repository is no error: then there is no commit. */
export async function gitSource(folder: string): Promise<GitSource> {
  const commit = await git(folder, ['rev-parse', '--verify', 'HEAD']);
  if (commit === undefined) return { commit: null, clean: false };
  const changes = await git(folder, ['status', '--porcelain', '--untracked-files=all', '--', '.']);
  return { commit, clean: changes === '' };
}

/**
 * Runs `work` with a temporary copy of a folder at a revision.
 *
 * @throws CliError (exit 2) if the revision does not exist, or has no such folder
 */
export async function atRevision<T>(
  folder: string,
  revision: string,
  work: (copy: string, commit: string) => Promise<T>,
): Promise<T> {
  const { commit, files } = await filesAt(revision, folder, (file) => path.relative(folder, file));
  if (files.length === 0) throw usageError(`the revision has no policies in ${path.basename(folder)}`);
  const home = await mkdtemp(path.join(tmpdir(), 'weir-revision-'));
  const copy = path.join(home, path.basename(folder));
  try {
    for (const file of files) {
      const target = path.join(copy, file.path);
      await mkdir(path.dirname(target), { recursive: true });
      await writeFile(target, file.text);
    }
    return await work(copy, commit);
  } finally {
    await rm(home, { recursive: true, force: true });
  }
}

async function git(folder: string, args: readonly string[]): Promise<string | undefined> {
  try {
    return (await execute('git', ['-C', folder, ...args], { encoding: 'utf8' })).stdout.trim();
  } catch {
    return undefined;
  }
}
