import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { TaskWatch, type TaskLimits } from './task-watch.js';
import { WorkerFailure, type WorkerFailureKind } from './worker-failure.js';
import type { TaskReply, TaskRequest } from './worker-protocol.js';

/**
 * The memory that V8 may use above the watched limit. A thread that exceeds V8's own limit with one large allocation ends the whole
 * process, so that limit must never be reached: the watch ends the thread long before.
 */
const HEADROOM_MB = 4_096;

export interface ThreadOptions {
  readonly file: URL;
  readonly memoryLimitMb: number;
  readonly newValuesMb?: number;
  readonly data?: unknown;
}

interface Running {
  readonly watch: TaskWatch;
  readonly resolve: (value: unknown) => void;
  readonly reject: (failure: WorkerFailure) => void;
}

/** One thread of a pool: it runs one task at a time, and ends if a task fails in a way other than throwing. */
export class WorkerThread {
  private readonly worker: Worker;
  private running: Running | undefined;
  private failure: WorkerFailureKind = 'crashed';
  private idleTimer: NodeJS.Timeout | undefined;
  /** Resolves to whether the thread can be given tasks. */
  readonly ready: Promise<boolean>;

  constructor(options: ThreadOptions, onEnd: () => void) {
    const { file, memoryLimitMb, newValuesMb, data } = options;
    this.worker = new Worker(file, {
      workerData: data,
      // A thread does not need the service's settings and secrets.
      env: {},
      execArgv: fromSource(file) ? loadingSources() : [],
      resourceLimits: {
        maxOldGenerationSizeMb: memoryLimitMb + HEADROOM_MB,
        ...(newValuesMb === undefined ? {} : { maxYoungGenerationSizeMb: newValuesMb }),
      },
    });
    const begun = Promise.withResolvers<boolean>();
    this.ready = begun.promise;
    this.worker.on('message', (reply: TaskReply) => {
      if ('ready' in reply) begun.resolve(true);
      else this.settle(reply);
    });
    this.worker.on('error', (error: unknown) => {
      if (error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY')
        this.failure = 'memory';
    });
    this.worker.on('exit', () => {
      begun.resolve(false);
      clearTimeout(this.idleTimer);
      onEnd();
      this.taken()?.reject(new WorkerFailure(this.failure));
    });
  }

  run(request: TaskRequest, { workMs, memoryMb }: TaskLimits): Promise<unknown> {
    clearTimeout(this.idleTimer);
    this.worker.ref();
    return new Promise((resolve, reject) => {
      const watch = new TaskWatch(this.worker, { workMs, memoryMb }, (why) => this.end(why));
      this.running = { watch, resolve, reject };
      try {
        this.worker.postMessage(request);
      } catch {
        // Input that cannot be cloned never reaches the thread.
        this.settle({ ok: false });
      }
    });
  }

  /** Marks the thread as idle: it no longer keeps the process alive, and ends automatically after a while. */
  rest(idleMs: number): void {
    this.worker.unref();
    this.idleTimer = setTimeout(() => this.end('cancelled'), idleMs).unref();
  }

  /** Ends the thread, and its task with this failure. */
  end(why: WorkerFailureKind): void {
    this.failure = why;
    void this.worker.terminate();
  }

  /** Ends the thread; resolves when it has. */
  async close(): Promise<void> {
    this.failure = 'cancelled';
    await this.worker.terminate();
  }

  private settle(reply: Exclude<TaskReply, { ready: true }>): void {
    const running = this.taken();
    if (reply.ok) running?.resolve(reply.value);
    else running?.reject(new WorkerFailure('threw'));
  }

  private taken(): Running | undefined {
    const { running } = this;
    this.running = undefined;
    running?.watch.stop();
    return running;
  }
}

function fromSource(file: URL): boolean {
  return extname(file.pathname) === '.ts';
}

/** Tests run the sources: `./x.js` is then `./x.ts`, compiled in the same way. A built service has no such file. */
function loadingSources(): string[] {
  const loader = new URL('../../test/support/register-typescript.mjs', import.meta.url);
  return ['--disable-warning=ExperimentalWarning', '--import', loader.href];
}
