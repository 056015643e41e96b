import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { CliError, EXIT, usageError } from '../exit-code.js';
import type { ProjectFile } from './project.js';

const run = promisify(execFile);
const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;

export interface Revision {
  /** The path as it was requested. */
  readonly name: string;
  readonly commit: string;
  /** Every YAML file below the folder at that commit, with the paths that messages show. */
  readonly files: readonly ProjectFile[];
}

/**
 * Reads the YAML files of a folder at a revision. Works in any subfolder of a repository, without a checkout.
 *
 * @param root absolute path of the folder
 * @param nameOf converts an absolute path to the path that messages show
 * @throws CliError exit 2 without a repository or git, or if the revision does not exist
 */
export async function filesAt(revision: string, root: string, nameOf: (file: string) => string): Promise<Revision> {
  if (revision.startsWith('-') || revision === '') throw usageError(`"${revision}" is not a git revision`);
  await git(
    root,
    ['rev-parse', '--git-dir'],
    'this folder is not in a git repository, so there is no revision to compare with',
  );
  const commit = (
    await git(
      root,
      ['rev-parse', '--verify', '--quiet', `${revision}^{commit}`],
      `there is no revision "${revision}" in this repository`,
    )
  ).trim();
  const listed = await git(
    root,
    ['ls-tree', '-r', '-z', '--name-only', commit, '.'],
    `cannot list the files of ${revision}`,
  );
  const names = listed.split('\0').filter((name) => /\.ya?ml$/.test(name));
  const files: ProjectFile[] = [];
  for (const name of names) {
    const text = await git(root, ['show', `${commit}:./${name}`], `cannot read ${name} at ${revision}`);
    files.push({ path: nameOf(path.join(root, name)), text });
  }
  return { name: revision, commit, files };
}

async function git(cwd: string, args: readonly string[], otherwise: string): Promise<string> {
  try {
    const { stdout } = await run('git', ['-c', 'core.quotePath=off', ...args], { cwd, maxBuffer: MAX_OUTPUT_BYTES });
    return stdout;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw code === 'ENOENT'
      ? new CliError(EXIT.usage, 'git was not found: it is needed to read the compared revisions')
      : usageError(otherwise);
  }
}
