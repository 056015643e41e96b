/**
 * Running policy tests in shards or after each change, and updating expectations. The tests are judged in src/authoring/policy-test.
 */
import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';

const LOOK_EVERY_MS = 300;

/**
 * Runs now, and again after each change of a file in the folder, until the signal is aborted. It polls the folder: change notifications
 * of operating systems miss replaced files, as written by git and many editors, and all changes on some network drives.
 *
 * @param written the absolute path of the file that each run writes: it may be in the folder, and is no reason to run again
 */
export async function runAtChanges(
  folder: string,
  run: () => Promise<void>,
  signal: AbortSignal,
  written?: string,
): Promise<void> {
  let seen: string | undefined;
  while (!signal.aborted) {
    const now = await stateOf(folder, written);
    if (now !== seen) {
      seen = now;
      await run();
    } else await setTimeout(LOOK_EVERY_MS, undefined, { signal }).catch(() => undefined);
  }
}

/** Names, sizes, modification times and inodes of all files below a folder, as one text for comparison. */
async function stateOf(folder: string, written: string | undefined): Promise<string> {
  const names = await readdir(folder, { recursive: true }).catch(() => []);
  const files = names
    .filter((name) => !name.split(path.sep).includes('node_modules') && path.join(folder, name) !== written)
    .sort();
  const states = await Promise.all(
    files.map(async (name) => {
      const found = await stat(path.join(folder, name)).catch(() => undefined);
      return found?.isFile() === true ? `${name} ${found.size} ${found.mtimeMs} ${found.ino}` : '';
    }),
  );
  return states.join('\n');
}
