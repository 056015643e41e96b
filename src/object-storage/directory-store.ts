import { mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join, relative, sep } from 'node:path';
import { NotStored, type ObjectStore } from './object-store.js';

/**
 * Prefix for the names of objects that are still being written. A crash leaves such objects behind: no listing shows them, and they are
 * deleted with their key.
 */
const UNFINISHED = '.unfinished-';

/**
 * Objects as files below a directory. A file is complete and on disk before it has its name.
 *
 * @param flush for tests: replaces the flush of a directory
 */
export function directoryStore(root: string, flush: (folder: string) => Promise<void> = flushed): ObjectStore {
  const pathOf = (key: string): string => {
    const path = join(root, ...key.split('/'));
    if (relative(root, path).startsWith('..')) throw new NotStored('a key points outside the directory');
    return path;
  };
  return {
    put: (key, content) => mapErrors(() => write(pathOf(key), content, flush)),
    get: (key) => mapErrors(() => orNull(() => readFile(pathOf(key)))),
    delete: (key) =>
      mapErrors(async () => {
        const path = pathOf(key);
        await rm(unfinishedOf(path), { force: true });
        await rm(path, { force: true });
      }),
    async *list() {
      const reading = () => readdir(root, { recursive: true, withFileTypes: true });
      const entries = (await mapErrors(() => orNull(reading))) ?? [];
      for (const entry of entries) {
        if (!entry.isFile() || entry.name.startsWith(UNFINISHED)) continue;
        yield relative(root, join(entry.parentPath, entry.name)).split(sep).join('/');
      }
    },
    end: () => undefined,
    isEnded: false,
    close: () => Promise.resolve(),
  };
}

/** The path of an unfinished object. It is derived from the key, so that deleting the key also deletes the remains of a crash. */
const unfinishedOf = (path: string): string => join(dirname(path), `${UNFINISHED}${basename(path)}`);

async function write(path: string, content: Uint8Array, flush: (folder: string) => Promise<void>): Promise<void> {
  const folder = dirname(path);
  const firstNew = await mkdir(folder, { recursive: true, mode: 0o700 });
  const unfinished = unfinishedOf(path);
  try {
    const file = await open(unfinished, 'w', 0o600);
    try {
      await file.writeFile(content);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(unfinished, path);
  } catch (error) {
    await rm(unfinished, { force: true }).catch(() => undefined);
    throw error;
  }
  await flush(folder);
  // The names of new folders are in the folders above them.
  for (let above = folder; firstNew !== undefined && above !== dirname(firstNew);) {
    above = dirname(above);
    await flush(above);
  }
}

/** Flushes the directory, so that the names in it are on disk as well. */
async function flushed(folder: string): Promise<void> {
  const file = await open(folder, 'r');
  try {
    if ((await stat(folder)).isDirectory()) await file.sync();
  } finally {
    await file.close();
  }
}

async function orNull<Result>(work: () => Promise<Result>): Promise<Result | null> {
  try {
    return await work();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

async function mapErrors<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof NotStored) throw error;
    const { code = 'unknown error' } = error as NodeJS.ErrnoException;
    throw new NotStored(`the directory of the archive cannot be used: ${code}`);
  }
}
