import type { Violation } from './errors.js';
import type { Settings } from './options.js';
import { joined } from './pieces.js';
import { fetchStraight, pause, quietTimer, runtimeProcess } from './runtime.js';
import { USER_AGENT } from './version.js';

/** The end of a call, as it is reported to Weir. */
export interface Report {
  readonly callId: string;
  /** The provider's status; undefined when it never answered. */
  readonly status: number | undefined;
  readonly contentType: string | undefined;
  readonly ended: 'complete' | 'aborted' | 'error' | 'unsent';
  readonly error?: 'upstream_unreachable' | 'upstream_timeout';
  readonly latencyMs: number | undefined;
  readonly body: Uint8Array<ArrayBuffer>;
}

interface Waiting {
  readonly report: Report;
  readonly header: Uint8Array;
  attempts: number;
  settle(violations: readonly Violation[] | undefined): void;
}

export interface ReportCounts {
  reported: number;
  dropped: number;
  queued: number;
  queuedBytes: number;
}

const BATCH_MAX_REPORTS = 50;
const BATCH_MAX_BYTES = 8 * 1024 * 1024;
const MOST_ATTEMPTS = 5;
const FIRST_PAUSE_MS = 200;
const LONGEST_PAUSE_MS = 10_000;

/**
 * A queue that sends reports to Weir in the background. The number of reports and their bytes are limited; reports beyond a limit are
 * dropped and counted. One request is in flight at a time; reports that are added meanwhile are batched into the next.
 */
export class ReportQueue {
  readonly counts: ReportCounts = { reported: 0, dropped: 0, queued: 0, queuedBytes: 0 };
  private readonly waiting: Waiting[] = [];
  private sending: Promise<void> | undefined;
  private stopSending: AbortController | undefined;
  private wakeUp: (() => void) | undefined;
  private troubleSinceMs: number | undefined;
  private idle: (() => void)[] = [];
  private batchMaxReports = BATCH_MAX_REPORTS;
  /** Whether the process is about to end, so that failed reports are not retried. */
  private isLeaving = false;

  constructor(private readonly settings: Settings) {}

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
      this.waiting.push({ report, header: headerOf(report), attempts: 0, settle });
      this.counts.queued++;
      this.counts.queuedBytes += report.body.length;
      flushAtExit(this);
      this.sending ??= this.send();
    });
  }

  /** Sends all queued reports. Resolves with false when some are still queued after the timeout. */
  async flush(timeoutMs: number = this.settings.flushTimeoutMs): Promise<boolean> {
    if (this.counts.queued === 0) return true;
    this.wakeUp?.();
    const done = new Promise<boolean>((resolve) => this.idle.push(() => resolve(true)));
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<boolean>((resolve) => {
      timer = setTimeout(() => resolve(false), timeoutMs);
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

  private async send(): Promise<void> {
    // Reports that are added in the same turn are sent in the same batch.
    await Promise.resolve();
    let failures = 0;
    while (this.waiting.length > 0) {
      const batch = this.nextBatch();
      const startedMs = performance.now();
      const again = await this.sendBatch(batch);
      this.waiting.unshift(...again.waiting);
      failures = again.trouble ? failures + 1 : 0;
      if (!again.trouble) {
        this.troubleSinceMs = undefined;
        continue;
      }
      this.troubleSinceMs ??= startedMs;
      if (this.waiting.length === 0) break;
      const backOffMs = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** failures) * (0.5 + Math.random() / 2);
      await this.rest(Math.max(backOffMs, again.retryAfterMs));
    }
    this.sending = undefined;
    leaveExit(this);
    for (const tell of this.idle.splice(0)) tell();
  }

  private nextBatch(): Waiting[] {
    let bytes = 0;
    let count = 0;
    for (const { report } of this.waiting) {
      bytes += report.body.length;
      if (count === this.batchMaxReports || (count > 0 && bytes > BATCH_MAX_BYTES)) break;
      count++;
    }
    return this.waiting.splice(0, count);
  }

  private async sendBatch(
    batch: readonly Waiting[],
  ): Promise<{ waiting: readonly Waiting[]; trouble: boolean; retryAfterMs: number }> {
    for (const each of batch) each.attempts++;
    let answer: { status: number; items: unknown; retryAfterMs: number };
    try {
      answer = await this.post(batch);
    } catch {
      return { ...this.again(batch), retryAfterMs: 0 };
    }
    const { status, items, retryAfterMs } = answer;
    if (status === 200 && Array.isArray(items)) return { ...this.settleAll(batch, items), retryAfterMs };
    if (status === 413 && batch.length > 1) {
      this.batchMaxReports = Math.floor(batch.length / 2);
      return { waiting: batch, trouble: false, retryAfterMs };
    }
    if (status === 429 || status >= 500 || status === 200) return { ...this.again(batch), retryAfterMs };
    this.settings.warn(`Weir: ${batch.length} reports were refused (status ${status})`);
    for (const each of batch) this.drop(each);
    return { waiting: [], trouble: false, retryAfterMs: 0 };
  }

  private async post(batch: readonly Waiting[]): Promise<{ status: number; items: unknown; retryAfterMs: number }> {
    this.stopSending = new AbortController();
    const timer = setTimeout(() => this.stopSending?.abort(), Math.max(100, this.settings.flushTimeoutMs));
    try {
      const response = await fetchStraight(this.settings.fetch, `${this.settings.baseUrl}/v1/calls/answers`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${this.settings.apiKey}`,
          'content-type': 'application/vnd.weir.answers',
          'user-agent': USER_AGENT,
        },
        body: joined(batch.flatMap(({ header, report }) => [header, report.body, NEW_LINE])),
        signal: this.stopSending.signal,
      });
      const text = await response.text();
      const seconds = Number(response.headers.get('retry-after') ?? 0);
      const retryAfterMs = Number.isFinite(seconds) ? Math.min(seconds * 1000, LONGEST_PAUSE_MS) : 0;
      const items = response.status === 200 ? (JSON.parse(text) as { answers?: unknown }).answers : undefined;
      return { status: response.status, items, retryAfterMs };
    } finally {
      clearTimeout(timer);
    }
  }

  /** Settles each report of a batch with its own item of the response; the items have the order of the reports. */
  private settleAll(batch: readonly Waiting[], items: readonly unknown[]): { waiting: Waiting[]; trouble: boolean } {
    const failed: Waiting[] = [];
    batch.forEach((each, index) => {
      const { status, violations } = (items[index] ?? {}) as { status?: unknown; violations?: unknown };
      if (status === 200) this.done(each, Array.isArray(violations) ? (violations as Violation[]) : []);
      else if (typeof status !== 'number' || status >= 500 || status === 429) failed.push(each);
      else this.drop(each);
    });
    return failed.length === 0 ? { waiting: [], trouble: false } : this.again(failed);
  }

  private again(batch: readonly Waiting[]): { waiting: Waiting[]; trouble: boolean } {
    const hopeless = this.isLeaving ? batch : batch.filter(({ attempts }) => attempts >= MOST_ATTEMPTS);
    if (hopeless.length > 0) this.settings.warn(`Weir: ${hopeless.length} reports could not be sent and were dropped`);
    for (const each of hopeless) this.drop(each);
    return { waiting: batch.filter((each) => !hopeless.includes(each)), trouble: true };
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

function headerOf({ callId, status, contentType, ended, error, latencyMs, body }: Report): Uint8Array {
  return new TextEncoder().encode(
    `${JSON.stringify({
      call: callId,
      ...(status === undefined ? {} : { status }),
      ended,
      ...(contentType === undefined ? {} : { content_type: contentType }),
      ...(error === undefined ? {} : { error }),
      ...(latencyMs === undefined ? {} : { latency_ms: latencyMs }),
      length: body.length,
    })}\n`,
  );
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
