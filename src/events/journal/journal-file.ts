/**
 * Records on disk that wait for the database: an SQLite file and its key, in a folder of the data directory. Synchronous: a record is on
 * disk when `add` returns. It is written only while the database is unavailable.
 */
import { constants, existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { access, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { JournalKey } from './journal-key.js';

const FILE = 'records.db';
const KEY_FILE = 'journal.key';
const PAGE_BYTES = 4096;
const LEAST_PAGES = 8;
/** Several processes may share a data directory: each waits this long for the others. */
const BUSY_MS = 500;
/** With less free space, the disk counts as full: SQLite needs some pages in addition to those of a record. */
const LEAST_FREE_BYTES = 1024 * 1024;
/** Records are read and decrypted on the main thread and are in memory together, so only this much is read at once. */
const MOST_READ_BYTES = 4 * 1024 * 1024;
/** Verifies that a key is the one with which the file was created. */
const SEAL = 'seal';

/** https://www.sqlite.org/rescode.html, primary codes */
const SQLITE_FULL = 13;
const REASONS: Readonly<Record<number, string>> = {
  5: 'is locked by another process',
  6: 'is locked by another process',
  8: 'cannot be written',
  10: 'cannot be read or written: the disk reports an error',
  11: 'is damaged',
  14: 'cannot be opened',
  26: 'is damaged',
};
const isDamage = (error: unknown): boolean => [11, 26].includes(primaryCode(error) ?? 0);

/**
 * A record cannot be kept. The message gives the reason as the rest of a sentence whose subject is the
 * journal.
 */
export class JournalRefusal extends Error {
  override readonly name = 'JournalRefusal';

  constructor(
    readonly kind: 'full' | 'unusable',
    message: string,
  ) {
    super(message);
  }
}

export interface JournalRecord {
  readonly id: string;
  /** Undefined when the record was changed on disk, or was sealed with another key. */
  readonly content: Buffer | undefined;
}

export class JournalFile {
  /** The operations that failed the last time. */
  private readonly failed = new Set<'read' | 'write' | 'check'>();
  private lastSize = 0;
  private lastBytes = 0;

  private constructor(
    private readonly path: string,
    private readonly db: DatabaseSync,
    private readonly key: JournalKey,
    private readonly limitBytes: number,
  ) {}

  /**
   * Opens the journal of a folder, or begins one. A file that is damaged or whose key is gone is set aside under
   * another name, and a new one begun.
   *
   * @param setAside called with the reason and the new location of the file
   * @throws JournalRefusal when no journal can be kept there
   */
  static open(folder: string, limitBytes: number, setAside: (why: string, path: string) => void): JournalFile {
    try {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      return attempt(folder, limitBytes, setAside) ?? attempt(folder, limitBytes, setAside)!;
    } catch (error) {
      throw refusalOf(error);
    }
  }

  /** @internal */
  static of(path: string, db: DatabaseSync, key: JournalKey, limitBytes: number): JournalFile {
    return new JournalFile(path, db, key, limitBytes);
  }

  /** Records that wait; their last known number, if the file cannot be read. */
  get size(): number {
    this.lastSize = this.figure(() => count(this.db), this.lastSize);
    return this.lastSize;
  }

  /** Size of the file on disk; its last known size, if the file cannot be read. */
  get bytes(): number {
    this.lastBytes = this.figure(() => pagesOf(this.db) * PAGE_BYTES, this.lastBytes);
    return this.lastBytes;
  }

  /** Whether the last read, the last write and the last check of the disk succeeded. */
  get isUp(): boolean {
    return this.failed.size === 0;
  }

  /** The record is on disk when this returns. @throws JournalRefusal */
  add(id: string, content: Buffer): void {
    this.perform('write', () => {
      const insertion = this.db.prepare('INSERT OR REPLACE INTO records (id, sealed) VALUES (?, ?)');
      try {
        insertion.run(id, this.key.seal(id, content));
      } catch (error) {
        if (primaryCode(error) !== SQLITE_FULL) throw error;
        const isAtLimit = this.bytes + PAGE_BYTES + content.length > this.limitBytes;
        throw new JournalRefusal('full', isAtLimit ? 'is full' : 'has no space left on its disk');
      }
    });
  }

  /**
   * The oldest records, without those of the ids `except`: not more than `most`, and not more than `MOST_READ_BYTES`, but at least one.
   *
   * @throws JournalRefusal
   */
  oldest(most: number, except: ReadonlySet<string> = new Set()): JournalRecord[] {
    return this.perform('read', () => {
      const contentOf = this.db.prepare('SELECT sealed FROM records WHERE id = ?');
      return this.oldestIds(most, except).flatMap((id) => {
        const row = contentOf.get(id) as { readonly sealed: Uint8Array } | undefined;
        // Another process that shares the data directory may have deleted the record.
        return row === undefined ? [] : [{ id, content: this.key.open(id, row.sealed) }];
      });
    });
  }

  /** @throws JournalRefusal */
  delete(id: string): void {
    this.perform('write', () => this.db.prepare('DELETE FROM records WHERE id = ?').run(id));
  }

  /**
   * Checks whether the file may be written and its disk has space. Without this check, a disk that becomes full or read-only would be
   * noticed only when the first record is lost. Never rejects: the result is part of `isUp`.
   */
  async checkDisk(): Promise<void> {
    try {
      await access(this.path, constants.W_OK);
      const { bavail: freeBlocks, bsize: blockBytes } = await statfs(this.path);
      if (freeBlocks * blockBytes < LEAST_FREE_BYTES) this.failed.add('check');
      else this.failed.delete('check');
    } catch {
      this.failed.add('check');
    }
  }

  close(): void {
    if (this.db.isOpen) this.db.close();
  }

  /** Reads no contents: SQLite knows the length of a blob without reading it. */
  private oldestIds(most: number, except: ReadonlySet<string>): string[] {
    const rows = this.db
      .prepare('SELECT id, length(sealed) AS bytes FROM records ORDER BY n LIMIT ?')
      .all(most + except.size) as unknown as { readonly id: string; readonly bytes: number }[];
    const ids: string[] = [];
    let totalBytes = 0;
    for (const { id, bytes } of rows) {
      if (except.has(id)) continue;
      totalBytes += bytes;
      if (ids.length === most || (ids.length > 0 && totalBytes > MOST_READ_BYTES)) break;
      ids.push(id);
    }
    return ids;
  }

  private perform<Result>(kind: 'read' | 'write', work: () => Result): Result {
    try {
      const result = work();
      this.failed.delete(kind);
      return result;
    } catch (error) {
      this.failed.add(kind);
      throw refusalOf(error);
    }
  }

  /** Reads a figure for the metrics: a failed disk must not make all other metrics unavailable. */
  private figure(read: () => number, last: number): number {
    try {
      return this.perform('read', read);
    } catch {
      return last;
    }
  }
}

/** @returns undefined if an existing file had to be set aside */
function attempt(
  folder: string,
  limitBytes: number,
  setAside: (why: string, path: string) => void,
): JournalFile | undefined {
  const path = join(folder, FILE);
  const keyPath = join(folder, KEY_FILE);
  const aside = (why: string): undefined => {
    const kept = `${path}.${new Date().toISOString().replaceAll(/[:.]/g, '-')}`;
    renameSync(path, kept);
    // SQLite's rollback journal belongs to the file.
    if (existsSync(`${path}-journal`)) renameSync(`${path}-journal`, `${kept}-journal`);
    setAside(why, kept);
    return undefined;
  };
  let db: DatabaseSync | undefined;
  try {
    db = new DatabaseSync(path, { timeout: BUSY_MS });
    prepare(db, limitBytes);
    const seal = db.prepare('SELECT sealed FROM seal').get() as { sealed: Uint8Array } | undefined;
    const found = JournalKey.read(keyPath);
    if (seal !== undefined && found?.open(SEAL, seal.sealed) === undefined) {
      const waiting = count(db);
      if (waiting > 0) {
        db.close();
        const why =
          found === undefined ? `its key ${keyPath} is missing or damaged` : `${keyPath} contains another key`;
        return aside(`contains ${waiting} ${waiting === 1 ? 'record' : 'records'} that cannot be read, because ${why}`);
      }
      db.exec('DELETE FROM seal');
    }
    if (found === undefined && existsSync(keyPath)) rmSync(keyPath);
    const key = found ?? JournalKey.make(keyPath);
    db.prepare('INSERT OR IGNORE INTO seal (one, sealed) VALUES (1, ?)').run(key.seal(SEAL, Buffer.alloc(0)));
    return JournalFile.of(path, db, key, limitBytes);
  } catch (error) {
    if (db?.isOpen === true) db.close();
    if (isDamage(error)) return aside('is damaged');
    throw error;
  }
}

function prepare(db: DatabaseSync, limitBytes: number): void {
  db.exec(`PRAGMA page_size = ${PAGE_BYTES}; PRAGMA synchronous = EXTRA`);
  const [check] = db.prepare('PRAGMA quick_check(1)').all() as unknown as { quick_check: string }[];
  if (check?.quick_check !== 'ok') throw Object.assign(new Error('damaged'), { errcode: 11 });
  db.exec(`PRAGMA max_page_count = ${Math.max(LEAST_PAGES, Math.floor(limitBytes / PAGE_BYTES))};
    CREATE TABLE IF NOT EXISTS records (n INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, sealed BLOB NOT NULL);
    CREATE TABLE IF NOT EXISTS seal (one INTEGER PRIMARY KEY CHECK (one = 1), sealed BLOB NOT NULL)`);
}

function count(db: DatabaseSync): number {
  return (db.prepare('SELECT count(*) AS n FROM records').get() as { n: number }).n;
}

function pagesOf(db: DatabaseSync): number {
  return (db.prepare('PRAGMA page_count').get() as { page_count: number }).page_count;
}

function primaryCode(error: unknown): number | undefined {
  const code: unknown = error instanceof Error ? Reflect.get(error, 'errcode') : undefined;
  return typeof code === 'number' ? code & 0xff : undefined;
}

function refusalOf(error: unknown): JournalRefusal {
  if (error instanceof JournalRefusal) return error;
  const code = primaryCode(error);
  if (code === SQLITE_FULL) return new JournalRefusal('full', 'has no space left on its disk');
  const own = (error as NodeJS.ErrnoException | undefined)?.code ?? 'unknown error';
  const reason = code === undefined ? `cannot be used (${own})` : (REASONS[code] ?? `cannot be used (SQLite ${code})`);
  return new JournalRefusal('unusable', reason);
}
