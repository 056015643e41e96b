/**
 * Records on disk that wait for the database: an SQLite file and its key, in a folder of the data directory. Synchronous: a record is on
 * disk when `add` returns. It is written only while the database is unavailable.
 */
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { JournalKey } from './journal-key.js';

const FILE = 'records.db';
const KEY_FILE = 'journal.key';
const PAGE_BYTES = 4096;
const LEAST_PAGES = 8;
/** Several processes may share a data directory: each waits this long for the others. */
const BUSY_MS = 500;
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
  private constructor(
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
  static of(db: DatabaseSync, key: JournalKey, limitBytes: number): JournalFile {
    return new JournalFile(db, key, limitBytes);
  }

  /** Records that wait. */
  get size(): number {
    return count(this.db);
  }

  /** Size of the file on disk. */
  get bytes(): number {
    const { page_count: pages } = this.db.prepare('PRAGMA page_count').get() as { page_count: number };
    return pages * PAGE_BYTES;
  }

  /** The record is on disk when this returns. @throws JournalRefusal */
  add(id: string, content: Buffer): void {
    try {
      this.db.prepare('INSERT OR REPLACE INTO records (id, sealed) VALUES (?, ?)').run(id, this.key.seal(id, content));
    } catch (error) {
      if (primaryCode(error) !== SQLITE_FULL) throw refusalOf(error);
      const isAtLimit = this.bytes + PAGE_BYTES + content.length > this.limitBytes;
      throw new JournalRefusal('full', isAtLimit ? 'is full' : 'has no space left on its disk');
    }
  }

  /** The oldest records. @throws JournalRefusal */
  oldest(most: number): JournalRecord[] {
    try {
      const rows = this.db.prepare('SELECT id, sealed FROM records ORDER BY n LIMIT ?').all(most);
      return (rows as unknown as { id: string; sealed: Uint8Array }[]).map(({ id, sealed }) => ({
        id,
        content: this.key.open(id, sealed),
      }));
    } catch (error) {
      throw refusalOf(error);
    }
  }

  /** @throws JournalRefusal */
  delete(id: string): void {
    try {
      this.db.prepare('DELETE FROM records WHERE id = ?').run(id);
    } catch (error) {
      throw refusalOf(error);
    }
  }

  close(): void {
    this.db.close();
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
    return JournalFile.of(db, key, limitBytes);
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
