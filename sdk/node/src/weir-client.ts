import type { Violation } from './errors.js';
import { settingsOf, type Settings, type WeirOptions } from './options.js';
import type { Report } from './report.js';
import { ReportQueue } from './reports.js';
import { branded } from './shared.js';
import { watchForUnguarded } from './unguarded.js';

/** Counts of the outcomes of calls so far. */
export interface WeirStats {
  /** Calls that Weir was asked about. */
  readonly asked: number;
  readonly allowed: number;
  readonly redacted: number;
  readonly refused: number;
  /** Calls refused because Weir was unavailable. */
  readonly unavailable: number;
  /** Calls sent unjudged, because Weir was unavailable and `failMode` is `open`. */
  readonly passedOpen: number;
  readonly reported: number;
  /** Reports that Weir never received. */
  readonly dropped: number;
  /** Reports that are waiting to be sent. */
  readonly queued: number;
  readonly queuedBytes: number;
}

type Count = 'asked' | 'allowed' | 'redacted' | 'refused' | 'unavailable' | 'passedOpen';

const WARNINGS_EVERY_MS = 60_000;

/** One connection to Weir: its settings, and the queue of its reports. Several clients may share it. */
export class Weir {
  /** @internal */
  readonly settings: Settings;
  private readonly queue: ReportQueue;
  private readonly counts: Record<Count, number> = {
    asked: 0,
    allowed: 0,
    redacted: 0,
    refused: 0,
    unavailable: 0,
    passedOpen: 0,
  };

  static {
    branded(this, 'Weir');
  }

  /** @throws WeirConfigError that names every option that is wrong */
  constructor(options: WeirOptions = {}) {
    const settings = settingsOf(options);
    this.settings = { ...settings, warn: seldom(settings.warn) };
    // The key must not appear when this object is logged or serialized as JSON.
    Object.defineProperty(this, 'settings', { enumerable: false });
    this.queue = new ReportQueue(this.settings);
    Object.defineProperty(this, 'queue', { enumerable: false });
    watchForUnguarded(this.settings.baseUrl, this.settings.warn);
  }

  /**
   * Sends all queued reports. Call it before a process ends by `process.exit()`, and in workers:
   * `ctx.waitUntil(weir.flush())`.
   *
   * @returns false when reports are still queued after `timeoutMs`
   */
  flush(timeoutMs?: number): Promise<boolean> {
    return this.queue.flush(timeoutMs);
  }

  stats(): WeirStats {
    return { ...this.counts, ...this.queue.counts };
  }

  /** @internal */
  count(what: Count): void {
    this.counts[what]++;
  }

  /** @internal */
  report(report: Report): Promise<readonly Violation[] | undefined> {
    return this.queue.add(report);
  }
}

/**
 * Passes on the same warning at most once a minute, because an outage must not fill a disk with logs. Errors of the function that receives
 * it are ignored: they would end the queue of reports, and usually the process.
 */
function seldom(warn: (message: string) => unknown): (message: string) => void {
  const lastMs = new Map<string, number>();
  return (message) => {
    const kind = message.replace(/\d+/g, '#');
    const nowMs = performance.now();
    if (nowMs - (lastMs.get(kind) ?? -Infinity) < WARNINGS_EVERY_MS) return;
    lastMs.set(kind, nowMs);
    new Promise((settle) => settle(warn(message))).catch(() => undefined);
  };
}
