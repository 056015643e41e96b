import { AnswerWatch } from './answer-watch.js';
import type { FromSupervisor, FromWorker } from './messages.js';
import { Switchboard, type CountHit } from './switchboard.js';

const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 30_000;
/** If a worker ends after serving for this long, its start was not the cause. */
const STEADY_MS = 60_000;

/** The supervisor's view of a process. */
export interface WorkerProcess {
  readonly pid: number | undefined;
  send(message: FromSupervisor): void;
  kill(signal: NodeJS.Signals): void;
  onMessage(heard: (message: FromWorker) => void): void;
  onExit(ended: (code: number | null, signal: string | null) => void): void;
}

export interface SupervisorParts {
  /** The number of workers to run. */
  readonly count: number;
  fork(number: number): WorkerProcess;
  readonly countHit: CountHit;
  /** Called when all workers accept requests for the first time. */
  allReady(welcome: string): void;
  /** The time in which workers shut down after a signal. */
  readonly stopWithinMs: number;
  /** Called when workers are being stopped; no new ones are started. */
  stopping(): void;
  /**
   * Called when a worker is killed: because it does not answer any more (`silent`), or because it has not shut down within
   * `stopWithinMs` (`late`).
   */
  killed(number: number, why: 'silent' | 'late'): void;
  /** Called when a worker has ended unexpectedly; another one replaces it after the pause. */
  ended(number: number, how: string, pauseMs: number): void;
  /** Monotonic milliseconds. */
  nowMs(): number;
  /** @returns a function that cancels the work */
  later(work: () => void, ms: number): () => void;
}

/** The slot of a worker, which successive processes fill. */
interface Place {
  readonly number: number;
  worker?: WorkerProcess;
  /** Watches the worker from the moment at which it is ready: a start may take long. */
  watch?: AnswerWatch;
  readySinceMs?: number;
  /** Number of workers in a row that ended here soon after their start. */
  quickEnds: number;
  /** Cancels the pending start of a new worker. */
  callOff?: () => void;
}

/**
 * Keeps the set number of workers running. The first one starts alone, so that an error that prevents the start is reported
 * once. After that, a worker that ends is started again, with longer pauses while workers end soon; if a worker cannot
 * start and no other one serves, the server ends. A worker that serves but does not answer is killed, and so restarted.
 */
export class Supervisor {
  private readonly places: readonly Place[];
  private readonly switchboard: Switchboard;
  private readonly over = Promise.withResolvers<number>();
  private isStopping = false;
  private hasFailed = false;
  private isWelcomed = false;
  private callOffLateEnds: () => void = () => undefined;

  constructor(private readonly parts: SupervisorParts) {
    this.places = Array.from({ length: parts.count }, (_, index) => ({ number: index + 1, quickEnds: 0 }));
    this.switchboard = new Switchboard(parts.countHit, parts.later);
  }

  /** @returns the exit code, when no worker runs and none will be started */
  run(): Promise<number> {
    const [first] = this.places;
    if (first !== undefined) this.start(first);
    return this.over.promise;
  }

  /**
   * Forwards a signal to the workers. They shut down in order, and are killed if this takes too long; `run` resolves when all have ended.
   */
  stop(signal: NodeJS.Signals): void {
    this.isStopping = true;
    this.parts.stopping();
    this.callOffLateEnds = this.parts.later(() => this.endLateOnes(), this.parts.stopWithinMs);
    for (const { callOff, worker } of this.places) {
      callOff?.();
      worker?.kill(signal);
    }
    this.endIfAllHave();
  }

  /** For the end of this process: a worker that is stuck would not notice it, and would keep the port. */
  killUnresponsive(): void {
    for (const { worker, watch } of this.places) if (watch?.hasMissed === true) worker?.kill('SIGKILL');
  }

  private start(place: Place): void {
    delete place.callOff;
    const worker = this.forked(place);
    if (worker === undefined) return;
    place.worker = worker;
    worker.onMessage((message) => {
      if (message.kind === 'ready') this.isReady(place, worker, message.welcome);
      else if (message.kind === 'pong') place.watch?.answered();
      else this.switchboard.heard(worker, message);
    });
    worker.onExit((code, signal) => this.hasEnded(place, code, signal));
  }

  /**
   * Undefined if the system refuses a further process, for example because there is no memory: a later attempt follows.
   *
   * @throws the error of the system if no worker serves
   */
  private forked(place: Place): WorkerProcess | undefined {
    try {
      return this.parts.fork(place.number);
    } catch (error) {
      // Without a worker that serves, the service ends, and the error says why.
      if (this.places.every(({ readySinceMs }) => readySinceMs === undefined)) throw error;
      this.hasEnded(place, 1, (error as NodeJS.ErrnoException).code ?? null);
      return undefined;
    }
  }

  private isReady(place: Place, worker: WorkerProcess, welcome: string): void {
    place.readySinceMs = this.parts.nowMs();
    this.switchboard.add(worker);
    place.watch = new AnswerWatch({
      ask: () => worker.send({ kind: 'ping' }),
      silent: () => this.kill(place, 'silent'),
      later: this.parts.later,
    });
    if (this.isStopping) return;
    for (const other of this.places) {
      if (other.worker === undefined && other.callOff === undefined) this.start(other);
    }
    if (this.isWelcomed || this.places.some(({ readySinceMs }) => readySinceMs === undefined)) return;
    this.isWelcomed = true;
    this.parts.allReady(welcome);
  }

  private hasEnded(place: Place, code: number | null, signal: string | null): void {
    const { worker, watch, readySinceMs } = place;
    watch?.stop();
    if (worker !== undefined) this.switchboard.remove(worker);
    delete place.worker;
    delete place.watch;
    delete place.readySinceMs;
    const hasServed = readySinceMs !== undefined;
    if (this.isStopping) {
      // A worker that was still starting had nothing to shut down.
      this.hasFailed ||= hasServed && code !== 0;
      this.endIfAllHave();
    } else if (!hasServed && this.places.every((each) => each.readySinceMs === undefined)) {
      this.isStopping = true;
      this.over.resolve(code ?? 1);
    } else {
      this.startAgain(place, signal ?? `exit code ${code}`, readySinceMs);
    }
  }

  private startAgain(place: Place, how: string, readySinceMs: number | undefined): void {
    const wasSteady = readySinceMs !== undefined && this.parts.nowMs() - readySinceMs >= STEADY_MS;
    if (wasSteady) place.quickEnds = 0;
    const pauseMs = Math.min(FIRST_PAUSE_MS * 2 ** place.quickEnds, LONGEST_PAUSE_MS);
    place.quickEnds += 1;
    this.parts.ended(place.number, how, pauseMs);
    place.callOff = this.parts.later(() => this.start(place), pauseMs);
  }

  private kill(place: Place, why: 'silent' | 'late'): void {
    this.parts.killed(place.number, why);
    place.worker?.kill('SIGKILL');
  }

  private endLateOnes(): void {
    for (const place of this.places) if (place.worker !== undefined) this.kill(place, 'late');
  }

  private endIfAllHave(): void {
    if (this.places.some(({ worker }) => worker !== undefined)) return;
    this.callOffLateEnds();
    this.over.resolve(this.hasFailed ? 1 : 0);
  }
}
