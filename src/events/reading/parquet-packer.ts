import { extname } from 'node:path';
import { WorkerPool } from '../../workers/index.js';
import type { FileEndInput, RowGroupInput, RowGroupPiece } from './parquet-file.js';

const FILE = new URL(`./parquet-worker${extname(import.meta.url)}`, import.meta.url);
const IDLE_MS = 30_000;
const MEMORY_MB = 256;
/**
 * A group of rows leaves megabytes of garbage; without this limit, the thread would keep a hundred megabytes before it collects.
 */
const NEW_VALUES_MB = 6;
const WORK_MS = 60_000;

/** Packs Parquet in a separate thread, which accounts share in turns. */
export class ParquetPacker {
  private readonly pool = new WorkerPool({
    ...{ file: FILE, threads: 1, memoryLimitMb: MEMORY_MB, newValuesMb: NEW_VALUES_MB, idleMs: IDLE_MS },
  });

  /** @throws WorkerFailure */
  rowGroup(input: RowGroupInput, accountId: string): Promise<RowGroupPiece> {
    return this.pool.run('rowGroup', input, { workMs: WORK_MS, for: [accountId] });
  }

  /** @throws WorkerFailure */
  fileEnd(input: FileEndInput, accountId: string): Promise<Uint8Array> {
    return this.pool.run('fileEnd', input, { workMs: WORK_MS, for: [accountId] });
  }

  async close(): Promise<void> {
    await this.pool.close();
  }
}
