/** Copies a folder whose files are still being written: it repeatedly copies changed files until no file changes. */
import { createHash } from 'node:crypto';
import { constants, createReadStream, type Stats } from 'node:fs';
import { copyFile, mkdir, open, readdir, realpath, rm, stat } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { pipeline } from 'node:stream/promises';

/** Whether a path, relative to the folder, is skipped with everything below it. */
type Leaves = (path: string) => boolean;
const nothing: Leaves = () => false;

interface Seen {
  readonly bytes: number;
  readonly changedNs: bigint;
  /** Whether every later write is certain to give the file a new time. */
  readonly isSettled: boolean;
}

const NS_PER_MS = 1_000_000n;
/** Longer than the resolution of file times: within one step, two changes of a file have the same time. */
const STEP_NS = 100n * NS_PER_MS;

export interface CopiedFile {
  /** Relative to the copied folder, with slashes. */
  readonly path: string;
  readonly bytes: number;
  readonly sha256: string;
}

export class FolderCopy {
  private readonly seen = new Map<string, Seen>();

  /** @param leaves whether a path is skipped */
  constructor(
    private readonly from: string,
    private readonly to: string,
    private readonly leaves: Leaves = nothing,
  ) {}

  /**
   * Copies new files and files changed since the last pass, and removes deleted ones.
   * @returns the number of copied bytes
   */
  async pass(): Promise<number> {
    let bytes = 0;
    const found = new Set<string>();
    for (const path of await filesOf(this.from, this.leaves)) {
      const source = join(this.from, path);
      const now = await look(source);
      if (now === undefined) continue;
      found.add(path);
      const before = this.seen.get(path);
      if (before?.isSettled === true && before.bytes === now.bytes && before.changedNs === now.changedNs) continue;
      const target = join(this.to, path);
      await mkdir(dirname(target), { recursive: true, mode: 0o700 });
      // Deleted since it was listed; the next pass removes it.
      if (!(await copied(source, target))) continue;
      this.seen.set(path, now);
      bytes += now.bytes;
    }
    for (const path of this.seen.keys()) {
      if (found.has(path)) continue;
      this.seen.delete(path);
      await rm(join(this.to, path), { force: true });
    }
    return bytes;
  }
}

interface Entry {
  /** Relative to the folder, with slashes. */
  readonly path: string;
  readonly isFolder: boolean;
}

/** The paths of all files in a folder, relative to it and sorted. @param leaves whether a path is skipped */
export function filesOf(folder: string, leaves: Leaves = nothing): Promise<string[]> {
  return pathsOf(folder, leaves, false);
}

/**
 * The paths of all folders in a folder, which are listed because PostgreSQL does not create missing ones.
 *
 * @param leaves whether a path is skipped
 */
export function foldersOf(folder: string, leaves: Leaves): Promise<string[]> {
  return pathsOf(folder, leaves, true);
}

async function pathsOf(folder: string, leaves: Leaves, areFolders: boolean): Promise<string[]> {
  const paths: string[] = [];
  for await (const { path, isFolder } of walk(folder, '', leaves)) if (isFolder === areFolders) paths.push(path);
  return paths.sort();
}

/**
 * Follows links: operators move folders of a data directory to other disks, and a copy without them would be worthless.
 *
 * @param above the real paths of the folders around this one
 */
async function* walk(
  root: string,
  below: string,
  leaves: Leaves,
  above: readonly string[] = [],
): AsyncGenerator<Entry> {
  const folder = join(root, below);
  const entered = [...above, await realpath(folder)];
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = below === '' ? entry.name : `${below}/${entry.name}`;
    if (leaves(path)) continue;
    const found = entry.isSymbolicLink() ? await linked(join(root, path), entered) : entry;
    if (found?.isFile() === true) yield { path, isFolder: false };
    if (found?.isDirectory() !== true) continue;
    yield { path, isFolder: true };
    yield* walk(root, path, leaves, entered);
  }
}

/**
 * What a link leads to; undefined if that does not exist, or contains a folder through which the link was reached.
 *
 * @param entered the real paths of these folders
 */
async function linked(link: string, entered: readonly string[]): Promise<Stats | undefined> {
  try {
    const real = await realpath(link);
    const isAround = entered.some((folder) => relative(real, folder).split(sep)[0] !== '..');
    return isAround ? undefined : await stat(link);
  } catch {
    return undefined;
  }
}

/** Flushes all files of a folder to the disk, and returns their sizes and digests. */
export async function sealed(folder: string): Promise<CopiedFile[]> {
  const files: CopiedFile[] = [];
  for (const path of await filesOf(folder)) {
    const file = await open(join(folder, path), 'r');
    try {
      await file.sync();
      files.push({ path, bytes: (await file.stat()).size, sha256: await digestOf(join(folder, path)) });
    } finally {
      await file.close();
    }
  }
  return files;
}

export async function digestOf(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return hash.digest('hex');
}

/** Copies a file, with copy-on-write on file systems that support it, so that no data is written. */
async function copied(source: string, target: string): Promise<boolean> {
  try {
    await copyFile(source, target, constants.COPYFILE_FICLONE);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw error;
  }
}

async function look(path: string): Promise<Seen | undefined> {
  const nowNs = BigInt(Date.now()) * NS_PER_MS;
  try {
    const { size, mtimeNs } = await stat(path, { bigint: true });
    return { bytes: Number(size), changedNs: mtimeNs, isSettled: nowNs - mtimeNs > STEP_NS };
  } catch {
    return undefined;
  }
}
