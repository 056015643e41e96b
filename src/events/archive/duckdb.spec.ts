import { existsSync, rmSync } from 'node:fs';
import { ParquetQueries, type DuckDb } from './duckdb.js';

/** A DuckDB without data, which notes the folders for its temporary files. */
function duckDb(folders: string[]): DuckDb {
  const connection = {
    run: (sql: string): Promise<void> => {
      const [, folder] = /^SET temp_directory = '(.*)'$/.exec(sql) ?? [];
      if (folder !== undefined) folders.push(folder);
      return Promise.resolve();
    },
    runAndReadAll: () => Promise.resolve({ columnNames: () => [], getRowsJS: () => [] }),
    closeSync: () => undefined,
  };
  const instance = { connect: () => Promise.resolve(connection), closeSync: () => undefined };
  return { DuckDBInstance: { create: () => Promise.resolve(instance) } };
}

describe('The queries of archived parts', () => {
  it('write temporary files to another folder, if another machine has deleted theirs', async () => {
    const folders: string[] = [];
    const queries = new ParquetQueries(() => Promise.resolve(duckDb(folders)));
    await queries.rows('SELECT 1');
    rmSync(folders[0] ?? '', { recursive: true });
    await queries.rows('SELECT 1');
    expect(folders.map((folder) => existsSync(folder))).toEqual([false, true]);
    await queries.close();
    expect(folders.map((folder) => existsSync(folder))).toEqual([false, false]);
  });
});
