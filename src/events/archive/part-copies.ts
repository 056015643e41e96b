import { randomUUID } from 'node:crypto';
import { access, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ArchivePart } from './catalogue.js';
import { deleteAbandonedFolders, openCopiesFolder, type CopiesFolder } from './copies-folder.js';
import { differs, isWhole, PartChanged, type ArchiveFiles } from './rewrite-part.js';

/** A copy is deleted this long after its last use, so that an object replaced by an erasure is not read for longer. */
const KEPT_MS = 30_000;
/** Maximum number of copies that are not being read. */
const MOST_COPIES = 8;

interface Copy {
  readonly key: string;
  readonly path: Promise<string>;
  readers: number;
  timer?: NodeJS.Timeout | undefined;
}

/** Local copies of objects, kept while they are read, and readable only by this user. */
export class PartCopies {
  private readonly copies = new Map<string, Copy>();
  /** Fulfilled when the folders of ended processes are deleted. */
  private readonly tidied = deleteAbandonedFolders();
  private folder: Promise<CopiesFolder> | undefined;

  constructor(private readonly files: Pick<ArchiveFiles, 'store'>) {}

  /**
   * Runs `work` on the copies of parts, none of which is deleted meanwhile.
   *
   * @throws PartChanged if an object no longer exists | PartDiffers if it is not the archived one | NotStored
   */
  async reading<Result>(
    parts: readonly ArchivePart[],
    work: (paths: readonly string[]) => Promise<Result>,
  ): Promise<Result> {
    const taken: Copy[] = [];
    try {
      const paths: string[] = [];
      for (const part of parts) {
        paths.push(await this.pathOf(part, taken));
      }
      return await work(paths);
    } finally {
      for (const copy of taken) this.giveBack(copy);
      await this.trim();
    }
  }

  async close(): Promise<void> {
    for (const copy of [...this.copies.values()]) await this.forget(copy);
    const folder = await this.folder?.catch(() => undefined);
    await folder?.close();
    await this.tidied;
  }

  /**
   * The path of a copy that exists: another machine with the same folder for temporary files cannot reach the socket of this process, and
   * deletes its folder.
   */
  private async pathOf(part: ArchivePart, taken: Copy[]): Promise<string> {
    const copy = this.take(part);
    taken.push(copy);
    const path = await copy.path;
    if (await exists(path)) return path;
    this.drop(copy);
    const again = this.take(part);
    taken.push(again);
    return again.path;
  }

  private take(part: ArchivePart): Copy {
    const copy = this.copies.get(part.key) ?? { key: part.key, path: this.fetch(part), readers: 0 };
    // Moved to the end, as the most recently used copy.
    this.copies.delete(copy.key);
    this.copies.set(copy.key, copy);
    clearTimeout(copy.timer);
    copy.readers += 1;
    copy.path.catch(() => this.drop(copy));
    return copy;
  }

  private giveBack(copy: Copy): void {
    copy.readers -= 1;
    if (copy.readers > 0) return;
    copy.timer = setTimeout(() => void this.forget(copy), KEPT_MS).unref();
  }

  /** Deletes the least recently used copies beyond the maximum. */
  private async trim(): Promise<void> {
    const unread = [...this.copies.values()].filter(({ readers }) => readers === 0);
    for (const copy of unread.slice(0, -MOST_COPIES)) await this.forget(copy);
  }

  private async fetch(part: ArchivePart): Promise<string> {
    const bytes = await this.files.store.get(part.key);
    if (bytes === null) throw new PartChanged('the object of a part is missing');
    if (!isWhole(part, bytes)) throw differs(part);
    const folder = await this.openFolder();
    // A new path each time: an earlier copy of the same part may still be in deletion.
    const path = join(folder.path, `${randomUUID()}.parquet`);
    try {
      await writeFile(path, bytes, { mode: 0o600 });
    } catch (error) {
      // Part of a copy would keep a full disk full.
      await rm(path, { force: true }).catch(() => undefined);
      throw error;
    }
    return path;
  }

  /** The folder of this process; another one if it was deleted. */
  private async openFolder(): Promise<CopiesFolder> {
    const opening = (this.folder ??= openCopiesFolder());
    const folder = await opening.catch((error: unknown) => {
      if (this.folder === opening) this.folder = undefined;
      throw error;
    });
    if (await exists(folder.path)) return folder;
    if (this.folder === opening) {
      this.folder = undefined;
      await folder.close();
    }
    return this.openFolder();
  }

  /** Never rejects: a copy that cannot be deleted is deleted with the folder. */
  private async forget(copy: Copy): Promise<void> {
    clearTimeout(copy.timer);
    this.drop(copy);
    const path = await copy.path.catch(() => undefined);
    if (path !== undefined) await rm(path, { force: true }).catch(() => undefined);
  }

  /** The next reader makes a new copy. */
  private drop(copy: Copy): void {
    if (this.copies.get(copy.key) === copy) this.copies.delete(copy.key);
  }
}

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
