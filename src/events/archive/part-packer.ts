import { extname } from 'node:path';
import { WorkerPool } from '../../workers/index.js';
import type { PackedPart, PartRows, UnpackedPart } from './part-file.js';

const FILE = new URL(`./part-worker${extname(import.meta.url)}`, import.meta.url);
const IDLE_MS = 10_000;
/** A part with one event may be as large as the largest call, and is in memory as rows, as columns and as a file. */
const MEMORY_MB = 1_024;
const WORK_MS = 120_000;

/** Packs and reads parts in a separate thread, which accounts share in turns. */
export class PartPacker {
  private readonly pool = new WorkerPool({ file: FILE, threads: 1, memoryLimitMb: MEMORY_MB, idleMs: IDLE_MS });

  /** @throws WorkerFailure */
  pack(rows: PartRows, accountId: string): Promise<PackedPart> {
    return this.pool.run('packPart', rows, { workMs: WORK_MS, for: [accountId] });
  }

  /** @throws WorkerFailure, also for bytes that are not a Parquet file */
  unpack(bytes: Uint8Array, accountId: string): Promise<UnpackedPart> {
    return this.pool.run('unpackPart', bytes, { workMs: WORK_MS, for: [accountId] });
  }

  async close(): Promise<void> {
    await this.pool.close();
  }
}
