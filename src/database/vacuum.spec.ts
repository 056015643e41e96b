import type { Database } from './database.js';
import { noAnswer, toDatabaseError } from './database-error.js';
import { vacuum } from './vacuum.js';

const MIB = 1_048_576;
const SIZES = { a_small: MIB, b_huge: 9_000 * MIB, c_large: 9_000 * MIB, d_small: MIB };

/** A database with the tables of `SIZES`, on which the VACUUM of one table fails. */
function someDatabase(kind: Database['kind'], failing: string, failure: Error) {
  const statements: string[] = [];
  let silences = 2;
  const query = async (sql: string): Promise<object[]> => {
    if (!sql.startsWith('VACUUM')) return Object.entries(SIZES).map(([name, bytes]) => ({ name, bytes }));
    statements.push(sql.replace(/ +/, ' '));
    if (sql.endsWith(failing)) throw failure;
    return [];
  };
  const ping = async (): Promise<void> => {
    statements.push('ping');
    silences -= 1;
    if (silences >= 0) throw noAnswer();
  };
  return { statements, database: { kind, sql: { query }, ping } as unknown as Database };
}

describe('vacuum', () => {
  it('waits for the end of a vacuum of the embedded database that takes too long, and skips tables as large', async () => {
    const { statements, database } = someDatabase('embedded', 'b_huge', noAnswer());
    expect(await vacuum(database, Object.keys(SIZES))).toBe(false);
    expect(statements).toEqual([
      'VACUUM (FULL) a_small',
      'VACUUM b_huge',
      'ping',
      'ping',
      'ping',
      'VACUUM (FULL) d_small',
    ]);
  });

  it('continues with the next table after PostgreSQL has cancelled a vacuum', async () => {
    const cancelled = toDatabaseError(Object.assign(new Error(), { code: '57014' }));
    const { statements, database } = someDatabase('postgres', 'b_huge', cancelled);
    expect(await vacuum(database, Object.keys(SIZES))).toBe(false);
    expect(statements).toEqual(Object.keys(SIZES).map((name) => `VACUUM ${name}`));
  });

  it('ends before the next table when the process stops', async () => {
    const ending = new AbortController();
    const { statements, database } = someDatabase('postgres', 'none', noAnswer());
    const { query } = database.sql;
    const stopping = async (sql: string): Promise<object[]> => {
      if (sql.endsWith('a_small')) ending.abort();
      return query(sql);
    };
    const stopped = { ...database, sql: { query: stopping } } as unknown as Database;
    await expect(vacuum(stopped, Object.keys(SIZES), ending.signal)).rejects.toMatchObject({ name: 'AbortError' });
    expect(statements).toEqual(['VACUUM a_small']);
  });

  it('does not wait for PostgreSQL when the process stops', async () => {
    const ending = new AbortController();
    const { database } = someDatabase('postgres', 'none', noAnswer());
    const { query } = database.sql;
    const endless = (sql: string): Promise<object[]> => {
      if (!sql.startsWith('VACUUM')) return query(sql);
      setImmediate(() => ending.abort());
      return new Promise(() => undefined);
    };
    const stopped = { ...database, sql: { query: endless } } as unknown as Database;
    await expect(vacuum(stopped, Object.keys(SIZES), ending.signal)).rejects.toMatchObject({ name: 'AbortError' });
  });

  it('fails if PostgreSQL does not answer', async () => {
    const { database } = someDatabase('postgres', 'b_huge', noAnswer());
    await expect(vacuum(database, Object.keys(SIZES))).rejects.toMatchObject({ isSilence: true });
  });
});
