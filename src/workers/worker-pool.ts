import { FairQueue } from '../overload/index.js';
import { WorkerFailure, type WorkerFailureKind } from './worker-failure.js';
import { WorkerThread } from './worker-thread.js';

export interface WorkerPoolOptions {
  /** The file that calls `serveTasks`. It is in the same folder as its user: .js when built, .ts when run from source. */
  readonly file: URL;
  /** Tasks that run at the same time. Threads are started when they are needed. */
  readonly threads: number;
  /** Memory limit of one thread, in MiB. A task that needs more ends only its own thread. */
  readonly memoryLimitMb: number;
  /** The part of `memoryLimitMb` for V8's young generation, in MiB: a smaller one is collected sooner. Absent: V8's default. */
  readonly newValuesMb?: number;
  /** Milliseconds after which an idle thread ends. */
  readonly idleMs: number;
  /** The `workerData` of the file; cloned. */
  readonly data?: unknown;
}

export interface RunOptions {
  /** CPU time that the task may take. Waiting for a thread does not count. */
  readonly workMs: number;
  /** The caller, such as account and key: callers take turns. */
  readonly for: readonly string[];
  /** A task that may take long: one thread is always reserved for the others, if there is more than one. */
  readonly long?: boolean;
  /** Cancels the task, even while it runs. */
  readonly signal?: AbortSignal;
}

interface Task {
  readonly name: string;
  readonly input: unknown;
  readonly options: RunOptions;
  readonly resolve: (value: unknown) => void;
  readonly reject: (failure: WorkerFailure) => void;
  thread?: WorkerThread;
}

/**
 * Threads for work that would block the event loop. Any failure of a task (too long, too large, a crash) is a `WorkerFailure` of that
 * task; the pool continues with a new thread.
 */
export class WorkerPool {
  private readonly short = new FairQueue<Task>();
  private readonly long = new FairQueue<Task>();
  private readonly threads = new Set<WorkerThread>();
  private readonly idle = new Set<WorkerThread>();
  private starting = 0;
  private longRunning = 0;
  private closed = false;

  constructor(private readonly options: WorkerPoolOptions) {}

  /** The numbers of tasks that wait for a thread, of threads, and of busy threads. */
  get state(): { readonly waiting: number; readonly threads: number; readonly busy: number } {
    const { threads, idle, starting } = this;
    return {
      waiting: this.short.size + this.long.size,
      threads: threads.size,
      busy: threads.size - idle.size - starting,
    };
  }

  /** Tasks of one path of `RunOptions.for` that wait for a thread. */
  waitingOf(path: readonly string[]): number {
    return this.short.sizeOf(path) + this.long.sizeOf(path);
  }

  /**
   * Runs a task of the pool's file in a thread.
   *
   * @param name the task's name in the argument of `serveTasks`
   * @param input cloned; keep it small, since cloning blocks the event loop
   * @throws WorkerFailure when there is no result
   */
  async run<Output>(name: string, input: unknown, options: RunOptions): Promise<Output> {
    const { signal } = options;
    if (this.closed || signal?.aborted === true) throw new WorkerFailure('cancelled');
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    const task: Task = { name, input, options, resolve, reject };
    const cancel = (): void => this.cancel(task);
    signal?.addEventListener('abort', cancel, { once: true });
    (options.long === true ? this.long : this.short).push(options.for, task);
    this.dispatch();
    try {
      return (await promise) as Output;
    } finally {
      signal?.removeEventListener('abort', cancel);
    }
  }

  /** Ends the threads and all tasks. */
  async close(): Promise<void> {
    this.closed = true;
    this.rejectWaiting('cancelled');
    await Promise.all([...this.threads].map((thread) => thread.close()));
  }

  private rejectWaiting(kind: WorkerFailureKind): void {
    for (const queue of [this.short, this.long]) {
      for (const { reject } of queue.removeAll(() => true)) reject(new WorkerFailure(kind));
    }
  }

  private cancel(task: Task): void {
    if (task.thread !== undefined) return task.thread.end('cancelled');
    const queue = task.options.long === true ? this.long : this.short;
    if (queue.removeAll((one) => one === task).length > 0) task.reject(new WorkerFailure('cancelled'));
  }

  /** Gives waiting tasks to idle threads, and starts threads for those that are left. */
  private dispatch(): void {
    for (const thread of this.idle) {
      const task = this.next();
      if (task === undefined) return;
      void this.work(thread, task);
    }
    const wanted = this.short.size + this.long.size;
    while (!this.closed && this.starting < wanted && this.threads.size < this.options.threads) {
      if (!this.start()) return;
    }
  }

  private next(): Task | undefined {
    const task = this.short.shift();
    if (task !== undefined) return task;
    return this.longRunning < Math.max(1, this.options.threads - 1) ? this.long.shift() : undefined;
  }

  /** @returns false if the system starts no further thread, for example because of a limit of the container */
  private start(): boolean {
    let thread: WorkerThread;
    try {
      thread = new WorkerThread(this.options, () => {
        this.threads.delete(thread);
        this.idle.delete(thread);
      });
    } catch {
      // The other threads take the waiting tasks. Without any, no task waits forever.
      if (this.threads.size === 0) this.rejectWaiting('crashed');
      return false;
    }
    this.starting++;
    this.threads.add(thread);
    void thread.ready.then((ready) => {
      this.starting--;
      // If threads cannot be started, the waiting tasks are rejected one by one, so that none waits forever.
      if (ready) this.release(thread);
      else this.next()?.reject(new WorkerFailure('crashed'));
      this.dispatch();
    });
    return true;
  }

  private async work(thread: WorkerThread, task: Task): Promise<void> {
    const { name, input, options } = task;
    this.idle.delete(thread);
    task.thread = thread;
    if (options.long === true) this.longRunning++;
    try {
      const limits = { workMs: options.workMs, memoryMb: this.options.memoryLimitMb };
      task.resolve(await thread.run({ name, input }, limits));
      this.release(thread);
    } catch (error) {
      const failure = error instanceof WorkerFailure ? error : new WorkerFailure('crashed');
      if (failure.kind === 'threw') this.release(thread);
      task.reject(failure);
    } finally {
      if (options.long === true) this.longRunning--;
      this.dispatch();
    }
  }

  private release(thread: WorkerThread): void {
    if (!this.threads.has(thread)) return;
    this.idle.add(thread);
    thread.rest(this.options.idleMs);
  }
}
