import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { APP_CONFIG, type AppConfig } from '../config/index.js';
import { LoadedPlugins, SCAN_WORKER } from '../plugin-registry/index.js';
import { WorkerPool } from '../workers/index.js';

const MIB = 1_048_576;
/** Idle threads end after this time. */
const IDLE_MS = 300_000;

/** The threads that scan long texts. They start when they are first needed and end with the service. */
@Injectable()
export class ScanWorkers implements OnApplicationShutdown {
  /** Undefined where there are none: all texts are scanned on the service's own thread. */
  readonly pool: WorkerPool | undefined;

  constructor(@Inject(APP_CONFIG) { scan }: AppConfig, @Inject(LoadedPlugins) { forThreads: data }: LoadedPlugins) {
    if (scan.threads === 0 || data === undefined) return;
    const memoryLimitMb = Math.ceil(scan.threadMemoryBytes / MIB);
    this.pool = new WorkerPool({ file: SCAN_WORKER, threads: scan.threads, memoryLimitMb, idleMs: IDLE_MS, data });
  }

  async onApplicationShutdown(): Promise<void> {
    await this.pool?.close();
  }
}
