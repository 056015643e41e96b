import type { Worker } from 'node:worker_threads';

export interface TaskLimits {
  /** CPU time that the task may take. */
  readonly workMs: number;
  /** Memory limit of the thread, in MiB: heap and buffers. */
  readonly memoryMb: number;
}

const LOOK_EVERY_MS = 20;
/** A task that waits, or runs on a very busy machine, is ended after its CPU time limit multiplied by this. */
const PATIENCE = 20;
const LEAST_PATIENCE_MS = 10_000;
const MIB = 1_048_576;

/** Watches the thread of one task from outside: code in the thread, such as an endless regular expression, cannot block the watch. */
export class TaskWatch {
  private timer: NodeJS.Timeout | undefined;
  private stopped = false;
  private readonly startedMs = performance.now();
  private readonly before: Promise<NodeJS.CpuUsage>;

  constructor(
    private readonly worker: Worker,
    private readonly limits: TaskLimits,
    private readonly end: (why: 'timeout' | 'memory') => void,
  ) {
    this.before = worker.cpuUsage();
    this.before.catch(() => undefined);
    this.lookLater();
  }

  stop(): void {
    this.stopped = true;
    clearTimeout(this.timer);
  }

  private lookLater(): void {
    this.timer = setTimeout(() => void this.look().catch(() => undefined), Math.min(LOOK_EVERY_MS, this.limits.workMs));
  }

  /** Rejects if the thread has ended, which is reported to the pool in another way. */
  private async look(): Promise<void> {
    const { workMs, memoryMb } = this.limits;
    const [used, heap] = await Promise.all([this.worker.cpuUsage(await this.before), this.worker.getHeapStatistics()]);
    if (this.stopped) return;
    const passedMs = performance.now() - this.startedMs;
    const tooLong = (used.user + used.system) / 1_000 > workMs;
    if (tooLong || passedMs > Math.max(LEAST_PATIENCE_MS, PATIENCE * workMs)) this.end('timeout');
    else if (heap.used_heap_size + heap.external_memory > memoryMb * MIB) this.end('memory');
    else this.lookLater();
  }
}
