import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ArchivePart } from './catalogue.js';
import { PartChanged, type ArchiveFiles } from './rewrite-part.js';

/** A copy lives this long after it was last used: an object that an erasure replaced is not read from for longer. */
const KEPT_MS = 30_000;
const MOST_COPIES = 8;

interface Copy {
  readonly path: Promise<string>;
  timer: NodeJS.Timeout;
}

/** Copies of objects on this machine for as long as they are read, readable by this user alone. */
export class PartCopies {
  private readonly copies = new Map<string, Copy>();
  private folder: Promise<string> | undefined;

  constructor(private readonly files: Pick<ArchiveFiles, 'store'>) {}

  /** The path of a copy. @throws PartChanged when the object is gone | NotStored */
  async of(part: ArchivePart): Promise<string> {
    const known = this.copies.get(part.key);
    if (known !== undefined) {
      this.copies.delete(part.key);
      this.copies.set(part.key, known);
      clearTimeout(known.timer);
      known.timer = this.timerOf(part.key);
      return known.path;
    }
    const copy: Copy = { path: this.fetch(part), timer: this.timerOf(part.key) };
    this.copies.set(part.key, copy);
    try {
      return await copy.path;
    } catch (error) {
      await this.forget(part.key);
      throw error;
    }
  }

  /** Deletes what was not used for longest, down to a few. */
  async trim(): Promise<void> {
    for (const key of [...this.copies.keys()].slice(0, -MOST_COPIES)) await this.forget(key);
  }

  async close(): Promise<void> {
    for (const key of [...this.copies.keys()]) await this.forget(key);
    const folder = await this.folder;
    if (folder !== undefined) await rm(folder, { recursive: true, force: true });
  }

  private timerOf(key: string): NodeJS.Timeout {
    return setTimeout(() => void this.forget(key), KEPT_MS).unref();
  }

  private async fetch({ key, id }: ArchivePart): Promise<string> {
    const bytes = await this.files.store.get(key);
    if (bytes === null) throw new PartChanged('the object of a part is gone');
    this.folder ??= mkdtemp(join(tmpdir(), 'weir-archive-'));
    const path = join(await this.folder, `${id}.parquet`);
    await writeFile(path, bytes, { mode: 0o600 });
    return path;
  }

  private async forget(key: string): Promise<void> {
    const copy = this.copies.get(key);
    if (copy === undefined) return;
    clearTimeout(copy.timer);
    this.copies.delete(key);
    const path = await copy.path.catch(() => undefined);
    if (path !== undefined) await rm(path, { force: true });
  }
}
