import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { usageError } from '../exit-code.js';
import { git, GitError } from '../input/git.js';
import { filesAt } from '../input/git-files.js';
import { write, type Io } from '../io.js';

/** The reasons for which a folder simply has no commit. */
const NO_COMMIT: ReadonlySet<GitError['why']> = new Set(['no git', 'no repository', 'no revision']);

/** The git commit of a folder, and whether the files match it. */
export interface GitSource {
  /** The checked-out commit; null outside a repository. */
  readonly commit: string | null;
  /** True if the folder is identical to the commit, apart from ignored files. */
  readonly clean: boolean;
}

/**
 * Determines the git state of a folder. Without git, a repository or a commit there is no commit; for any other reason, a note on stderr
 * says why.
 */
export async function gitSource(folder: string, io: Pick<Io, 'stderr'>): Promise<GitSource> {
  let commit: string;
  try {
    commit = (await git(folder, ['rev-parse', '--verify', '--quiet', 'HEAD'])).trim();
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    if (!NO_COMMIT.has(error.why)) await write(io.stderr, `no git commit is recorded: ${error.message}\n`);
    return { commit: null, clean: false };
  }
  const changes = await git(folder, ['status', '--porcelain', '--untracked-files=all', '--', '.']).catch(
    () => undefined,
  );
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
