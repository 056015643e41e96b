import { refusalOfBody } from './call-info.js';
import type { Violation } from './errors.js';
import type { Settings } from './options.js';
import { joined, unlessAborted } from './pieces.js';
import { headOf, shortened, type Report } from './report.js';
import { fetchStraight, LONGEST_TIMER_MS, pause, quietTimer, runtimeProcess } from './runtime.js';
import { USER_AGENT } from './version.js';

interface Waiting {
  /** Shorter than the report that was added if that was too large for Weir. */
  report: Report;
  readonly sinceMs: number;
  /** The attempts that failed because of the report itself, and not because Weir was unavailable. */
  failures: number;
  /** The greatest number of reports in a batch with this one. It shrinks while Weir refuses its batches as a whole. */
  mostInBatch: number;
  settle(violations: readonly Violation[] | undefined): void;
}

export interface ReportCounts {
  reported: number;
  dropped: number;
  queued: number;
  queuedBytes: number;
}

/** Weir's response to one batch. */
interface Answer {
  readonly status: number;
  readonly body: unknown;
  readonly retryAfterMs: number;
}

/** The reports of a batch that are sent again, and whether to pause first. */
interface Left {
  readonly waiting: readonly Waiting[];
  readonly trouble: boolean;
}

const BATCH_MAX_REPORTS = 50;
const BATCH_MAX_BYTES = 8 * 1024 * 1024;
const MOST_FAILURES = 5;
const LONGEST_WAIT_MS = 3_600_000;
const FIRST_PAUSE_MS = 200;
const LONGEST_PAUSE_MS = 10_000;
const LONGEST_POST_MS = 30_000;
/** The delay of a timer above which the turn that waits for it counts as stopped. */
const STOPPED_AFTER_MS = 5_000;

/** Statuses of a report, or of a batch, that say nothing about it: Weir is busy, or still processes an earlier attempt. */
const FOR_NOW: ReadonlySet<unknown> = new Set([408, 409, 429, 503]);

/**
 * A queue that sends reports to Weir in the background. The number of reports and their bytes are limited; reports beyond a limit are
 * dropped and counted. One request is in flight at a time; reports that are added meanwhile are batched into the next. While Weir is
 * unavailable, reports are sent again and again for an hour.
 */
export class ReportQueue {
  readonly counts: ReportCounts = { reported: 0, dropped: 0, queued: 0, queuedBytes: 0 };
  private readonly waiting: Waiting[] = [];
  private sending: Promise<void> | undefined;
  /** The number of times that sending has begun. Only the last turn goes on. */
  private turn = 0;
  /** The reports of the current request. */
  private inFlight: readonly Waiting[] = [];
  /** The time by which the current request or pause ends, if its timer fires. */
  private stepEndsMs = Infinity;
  private stopSending: AbortController | undefined;
  private wakeUp: (() => void) | undefined;
  private troubleSinceMs: number | undefined;
  private idle: (() => void)[] = [];
  /**
   * The number of reports that fit into a batch, and the number in the next one: batches shrink while they fail. The limit grows slowly
   * after a batch that was too large, because later reports may be smaller.
   */
  private batchLimit = BATCH_MAX_REPORTS;
  private batchMaxReports = BATCH_MAX_REPORTS;
  /** The time that one request may take. */
  private patienceMs: number;
  /** Whether the process is about to end, so that failed reports are not retried. */
  private isLeaving = false;

  constructor(private readonly settings: Settings) {
    this.patienceMs = this.leastPatienceMs;
  }

  /** Resolves with the rules that fired on the answer, or with undefined when the report was dropped. */
  add(report: Report): Promise<readonly Violation[] | undefined> {
    return new Promise((settle) => {
      const { queueMaxReports, queueMaxBytes, warn } = this.settings;
      if (this.counts.queued >= queueMaxReports || this.counts.queuedBytes + report.body.length > queueMaxBytes) {
        this.counts.dropped++;
        warn('Weir: a report was dropped, because the queue is full');
        settle(undefined);
        return;
      }
      this.isLeaving = false;
      const unsent = { sinceMs: performance.now(), failures: 0, mostInBatch: BATCH_MAX_REPORTS };
      this.waiting.push({ report, ...unsent, settle });
      this.counts.queued++;
      this.counts.queuedBytes += report.body.length;
      flushAtExit(this);
      this.keepSending();
    });
  }

  /** Sends all queued reports. Resolves with false when some are still queued after the timeout. */
  async flush(timeoutMs: number = this.settings.flushTimeoutMs): Promise<boolean> {
    if (this.counts.queued === 0) return true;
    this.keepSending();
    this.wakeUp?.();
    const done = new Promise<boolean>((resolve) => this.idle.push(() => resolve(true)));
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<boolean>((resolve) => {
      timer = setTimeout(() => resolve(false), Math.min(timeoutMs, LONGEST_TIMER_MS));
    });
    const sent = await Promise.race([done, late]);
    clearTimeout(timer);
    return sent;
  }

  /** The last flush before the process ends. The time for which sending has already failed counts towards the timeout. */
  async flushForGood(): Promise<void> {
    const spentMs = this.troubleSinceMs === undefined ? 0 : performance.now() - this.troubleSinceMs;
    const sent = await this.flush(Math.max(0, this.settings.flushTimeoutMs - spentMs));
    if (sent) return;
    this.settings.warn(`Weir: ${this.counts.queued} reports could not be sent before the process ended`);
    this.isLeaving = true;
    leaveExit(this);
    for (const each of this.waiting.splice(0)) this.drop(each);
    this.stopSending?.abort();
    this.wakeUp?.();
  }

  /**
   * Begins to send, also if an earlier turn has stopped: when a request to a worker is over, timers and requests that it has begun never
   * end. That turn's reports are sent again, which Weir answers as before.
   */
  private keepSending(): void {
    const hasStopped = performance.now() > this.stepEndsMs + STOPPED_AFTER_MS;
    if (this.sending !== undefined && !hasStopped) return;
    this.waiting.unshift(...this.inFlight);
    this.inFlight = [];
    const stop = this.stopSending;
    this.sending = this.send(++this.turn);
    try {
      if (hasStopped) stop?.abort();
    } catch {
      // A worker may refuse to end what another request has begun.
    }
  }

  private async send(turn: number): Promise<void> {
    this.stepEndsMs = performance.now();
    // Reports that are added in the same turn are sent in the same batch.
    await Promise.resolve();
    let troubles = 0;
    while (this.waiting.length > 0) {
      const batch = this.nextBatch();
      const startedMs = performance.now();
      this.inFlight = batch;
      this.stepEndsMs = startedMs + this.patienceMs;
      const answer = await this.post(batch).catch(() => undefined);
      if (turn !== this.turn) return;
      this.inFlight = [];
      const { waiting, trouble } = answer === undefined ? this.unavailable(batch) : this.leftOf(batch, answer);
      // Behind the others, which one report that Weir never accepts must not delay.
      this.waiting.push(...waiting);
      if (!trouble || waiting.length < batch.length) {
        troubles = 0;
        this.troubleSinceMs = undefined;
      }
      if (!trouble) continue;
      troubles++;
      this.troubleSinceMs ??= startedMs;
      if (this.waiting.length === 0) break;
      const backOffMs = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** troubles) * (0.5 + Math.random() / 2);
      const restMs = Math.max(backOffMs, answer?.retryAfterMs ?? 0);
      this.stepEndsMs = performance.now() + restMs;
      await this.rest(restMs);
      if (turn !== this.turn) return;
    }
    this.stepEndsMs = Infinity;
    this.sending = undefined;
    leaveExit(this);
    for (const resolve of this.idle.splice(0)) resolve();
  }

  private nextBatch(): Waiting[] {
    let bytes = 0;
    let count = 0;
    let most = this.batchMaxReports;
    for (const { report, mostInBatch } of this.waiting) {
      bytes += report.body.length;
      most = Math.min(most, mostInBatch);
      if (count >= most || (count > 0 && bytes > BATCH_MAX_BYTES)) break;
      count++;
    }
    return this.waiting.splice(0, count);
  }

  private leftOf(batch: readonly Waiting[], { status, body }: Answer): Left {
    const { answers } = (body ?? {}) as { answers?: unknown };
    if (status === 200 && Array.isArray(answers)) return this.settleAll(batch, answers);
    if (status === 413 && batch.length > 1) {
      this.batchLimit = this.batchMaxReports = Math.floor(batch.length / 2);
      return { waiting: batch, trouble: false };
    }
    if (status < 400 || status >= 500 || FOR_NOW.has(status)) return this.unavailable(batch);
    if (status === 422 && batch.length > 1 && refusalOfBody(body) !== undefined) return this.halved(batch);
    if (status === 413) return this.shortened(batch);
    if (refusalOfBody(body) !== undefined) {
      this.refuse(batch, status);
      return { waiting: [], trouble: false };
    }
    // Another server's answer: it may stand in for Weir, or have something against this report.
    if (batch.length === 1) for (const each of batch) each.failures++;
    return this.unavailable(batch);
  }

  /** Halves a batch that Weir refuses as a whole because it cannot read one of the reports: at last, this report is alone in its batch. */
  private halved(batch: readonly Waiting[]): Left {
    for (const each of batch) each.mostInBatch = Math.floor(batch.length / 2);
    return { ...this.again(batch), trouble: false };
  }

  /**
   * Halves the answer of a report that is too large for Weir, or for a server in front of it: the beginning of an answer is worth more
   * than no record. A report that is too large even without an answer is dropped.
   */
  private shortened(alone: readonly Waiting[]): Left {
    const cut = alone.filter(({ report }) => report.body.length > 0);
    if (cut.length === 0) {
      this.refuse(alone, 413);
      return { waiting: [], trouble: false };
    }
    for (const each of cut) {
      const before = each.report.body.length;
      each.report = shortened(each.report);
      this.counts.queuedBytes -= before - each.report.body.length;
    }
    this.settings.warn('Weir: an answer is too large for a report, so only its beginning is reported');
    return { ...this.again(cut), trouble: false };
  }

  /** Smaller batches separate a report that causes the failure from the others, and take less time. */
  private unavailable(batch: readonly Waiting[]): Left {
    this.batchMaxReports = Math.max(1, Math.floor(batch.length / 2));
    return this.again(batch);
  }

  private async post(batch: readonly Waiting[]): Promise<Answer> {
    const stop = new AbortController();
    this.stopSending = stop;
    const startedMs = performance.now();
    const timer = setTimeout(() => {
      this.patienceMs = Math.min(2 * this.patienceMs, Math.max(LONGEST_POST_MS, this.leastPatienceMs));
      stop.abort();
    }, this.patienceMs);
    try {
      const response = await fetchStraight(this.settings.fetch, `${this.settings.baseUrl}/v1/calls/answers`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${this.settings.apiKey}`,
          'content-type': 'application/vnd.weir.answers',
          'user-agent': USER_AGENT,
        },
        body: joined(batch.flatMap(({ report }) => [headOf(report), report.body, NEW_LINE])),
        signal: stop.signal,
      });
      const text = await unlessAborted(response.text(), stop.signal);
      if (performance.now() - startedMs < this.leastPatienceMs) this.patienceMs = this.leastPatienceMs;
      const seconds = Number(response.headers.get('retry-after') ?? 0);
      const retryAfterMs = Number.isFinite(seconds) ? Math.min(seconds * 1000, LONGEST_PAUSE_MS) : 0;
      return { status: response.status, body: jsonOf(text), retryAfterMs };
    } finally {
      clearTimeout(timer);
    }
  }

  /**
   * A process that is about to end waits for the request in flight, so the first one may take only as long as a flush. If the process does
   * not end in the pause after it, the next one may take longer.
   */
  private get leastPatienceMs(): number {
    return Math.max(100, this.settings.flushTimeoutMs);
  }

  /** Settles each report of a batch with its own item of the response; the items have the order of the reports. */
  private settleAll(batch: readonly Waiting[], items: readonly unknown[]): Left {
    this.batchLimit = Math.min(BATCH_MAX_REPORTS, this.batchLimit + 1);
    this.batchMaxReports = Math.min(this.batchLimit, 2 * this.batchMaxReports);
    const failed: Waiting[] = [];
    const refused = new Map<number, Waiting[]>();
    for (const [index, each] of batch.entries()) {
      const { status, violations } = (items[index] ?? {}) as { status?: unknown; violations?: unknown };
      if (status === 200) this.done(each, Array.isArray(violations) ? (violations as Violation[]) : []);
      else if (typeof status === 'number' && status < 500 && !FOR_NOW.has(status)) {
        refused.set(status, [...(refused.get(status) ?? []), each]);
      } else {
        if (!FOR_NOW.has(status)) each.failures++;
        failed.push(each);
      }
    }
    for (const [status, some] of refused) this.refuse(some, status);
    return failed.length === 0 ? { waiting: [], trouble: false } : this.again(failed);
  }

  /** Keeps reports for another attempt, except those for which there have been enough. */
  private again(batch: readonly Waiting[]): Left {
    const oldMs = performance.now() - LONGEST_WAIT_MS;
    const hopeless = batch.filter(
      ({ failures, sinceMs }) => this.isLeaving || failures >= MOST_FAILURES || sinceMs <= oldMs,
    );
    if (hopeless.length > 0) this.settings.warn(`Weir: ${hopeless.length} reports could not be sent and were dropped`);
    for (const each of hopeless) this.drop(each);
    return { waiting: batch.filter((each) => !hopeless.includes(each)), trouble: true };
  }

  private refuse(batch: readonly Waiting[], status: number): void {
    this.settings.warn(`Weir: ${batch.length} reports were refused (status ${status})`);
    for (const each of batch) this.drop(each);
  }

  private done(each: Waiting, violations: readonly Violation[]): void {
    this.counts.reported++;
    this.leave(each);
    each.settle(violations);
  }

  private drop(each: Waiting): void {
    this.counts.dropped++;
    this.leave(each);
    each.settle(undefined);
  }

  private leave({ report }: Waiting): void {
    this.counts.queued--;
    this.counts.queuedBytes -= report.body.length;
  }

  /** The pause between two attempts. It does not keep the process alive; a flush ends it. */
  private rest(delayMs: number): Promise<void> {
    return new Promise((resolve) => {
      const cancel = quietTimer(resolve, delayMs);
      this.wakeUp = () => {
        cancel();
        // Not immediately: repeated flushes must not cause a storm of requests.
        void pause(50).then(resolve);
      };
    });
  }
}

const NEW_LINE = new TextEncoder().encode('\n');

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const waitingAtExit = new Set<ReportQueue>();
let listens = false;

/** One listener for all queues, added only when there is a report to send. */
function flushAtExit(queue: ReportQueue): void {
  waitingAtExit.add(queue);
  if (listens) return;
  listens = true;
  runtimeProcess()?.on?.('beforeExit', () => {
    for (const each of waitingAtExit) void each.flushForGood();
  });
}

function leaveExit(queue: ReportQueue): void {
  waitingAtExit.delete(queue);
}
