/**
 * Running policy tests in parts, again after each change, and writing expectations back. The tests are judged in
 * src/authoring/policy-test.
 */
import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';

const LOOK_EVERY_MS = 300;

/**
 * Runs now, and again whenever a file of the folder is another than before, until the signal is aborted. It looks by
 * itself: what operating systems tell of changes misses files that are replaced, as git and many editors do, and
 * everything on some network drives.
 */
export async function runAtChanges(folder: string, run: () => Promise<void>, signal: AbortSignal): Promise<void> {
  let seen: string | undefined;
  while (!signal.aborted) {
    const now = await stateOf(folder);
    if (now !== seen) {
      seen = now;
      await run();
    } else await setTimeout(LOOK_EVERY_MS, undefined, { signal }).catch(() => undefined);
  }
}

/** Names, sizes and times of all files below a folder, as one text. */
async function stateOf(folder: string): Promise<string> {
  const names = await readdir(folder, { recursive: true }).catch(() => []);
  const files = names.filter((name) => !name.split(path.sep).includes('node_modules')).sort();
  const states = await Promise.all(
    files.map(async (name) => {
      const found = await stat(path.join(folder, name)).catch(() => undefined);
      return found?.isFile() === true ? `${name} ${found.size} ${found.mtimeMs} ${found.ino}` : '';
    }),
  );
  return states.join('\n');
}
