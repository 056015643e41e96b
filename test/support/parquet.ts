/** Reads Parquet as an analyst does, with DuckDB. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';

/** @param query on the view `events`, which has the rows of the file in their order */
export async function rowsOfParquet(bytes: Uint8Array, query: string): Promise<unknown[][]> {
  const folder = mkdtempSync(join(tmpdir(), 'weir-parquet-'));
  const path = join(folder, 'events.parquet');
  writeFileSync(path, bytes);
  const instance = await DuckDBInstance.create(':memory:');
  const duck = await instance.connect();
  try {
    await duck.run(`CREATE VIEW events AS SELECT * FROM read_parquet('${path}')`);
    return (await duck.runAndReadAll(query)).getRowsJS() as unknown[][];
  } finally {
    duck.closeSync();
    instance.closeSync();
    rmSync(folder, { recursive: true });
  }
}
