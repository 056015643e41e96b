import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { CliError, EXIT } from '../exit-code.js';

const run = promisify(execFile);
const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;

/** Why git did not answer. */
export class GitError extends CliError {
  override readonly name = 'GitError';

  constructor(
    readonly why: 'no git' | 'no repository' | 'no revision' | 'not trusted' | 'failed',
    message: string,
  ) {
    super(EXIT.usage, message);
  }
}

/** Runs git in a folder and returns its output. @throws GitError (exit 2) */
export async function git(folder: string, args: readonly string[]): Promise<string> {
  try {
    const { stdout } = await run('git', ['-c', 'core.quotePath=off', ...args], {
      cwd: folder,
      maxBuffer: MAX_OUTPUT_BYTES,
      // The messages of git are read below.
      env: { ...process.env, LC_ALL: 'C' },
    });
    return stdout;
  } catch (error) {
    throw explained(error as { readonly code?: unknown; readonly stderr?: string });
  }
}

function explained({ code, stderr = '' }: { readonly code?: unknown; readonly stderr?: string }): GitError {
  if (code === 'ENOENT') return new GitError('no git', 'git was not found: it is needed to read revisions');
  // As in a container whose checkout belongs to another user.
  const [remedy] = /git config --global --add safe\.directory .+/.exec(stderr) ?? [];
  if (remedy !== undefined)
    return new GitError('not trusted', `git does not read this folder, because another user owns it; run: ${remedy}`);
  if (stderr.includes('not a git repository'))
    return new GitError('no repository', 'this folder is not in a git repository, so it has no revisions');
  // `rev-parse --verify --quiet` says nothing else.
  if (code === 1 && stderr === '') return new GitError('no revision', 'there is no such revision');
  const [first = ''] = stderr.split('\n');
  return new GitError('failed', `git failed: ${first.replace(/^fatal: /, '')}`);
}
