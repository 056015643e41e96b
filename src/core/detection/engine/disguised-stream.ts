import { append } from '../../steps/steps.js';
import type { ScanStream, Settled } from '../detector.js';
import type { Finding } from '../../model/finding.js';
import { begunSign, ISLAND_LEFT, ISLAND_RIGHT, isReportable, nextSign, type Island } from './disguises.js';
import { EncodedRuns, type EncodedRun } from './encoded-runs.js';
import { SeparatedRuns } from './separated-runs.js';
import { ownCopy } from './own-copy.js';
import { joinReadings } from './disguised-scan.js';

/** The scans that make up a streamed scan of a text, including its hidden parts. */
export interface Readings<Code extends string> {
  /** The scan of the text as written. */
  readonly plain: ScanStream<Code>;
  /** Creates a scan of a part with hidden letters. */
  readonly hidden: () => ScanStream<Code>;
  /** Scans a decoded run; findings have offsets in the whole text. */
  readonly inRun: (run: EncodedRun) => readonly Finding<Code>[];
}

/** An island that is not complete yet. */
interface OpenIsland<Code extends string> {
  readonly island: { readonly from: number; readonly sign: number; to: number };
  readonly stream: ScanStream<Code>;
  /** Offsets in the whole text up to which the island was fed (`fed`) and is settled (`upTo`). */
  fed: number;
  upTo: number;
}

/**
 * Finds in a text that arrives in pieces what `scanAll` finds in the whole text. Text that may become a sign of hidden letters is withheld
 * from all scans until this is decided, so that no scan releases text that is part of another scan's finding.
 */
export class DisguisedStream<Code extends string> implements ScanStream<Code> {
  private readonly runs = new EncodedRuns();
  private readonly rows = new SeparatedRuns();
  /**
   * `tail`: the end of the scanned text, which is the left context of the next island. `begun`: text that may begin a sign, not scanned
   * yet.
   */
  private tail = '';
  private fed = 0;
  private begun = '';
  private plainUpTo = 0;
  private open: OpenIsland<Code> | undefined;
  private waiting: Finding<Code>[] = [];
  private upTo = 0;

  constructor(private readonly readings: Readings<Code>) {}

  push(piece: string): Settled<Code> {
    this.takeRuns(this.runs.push(piece));
    this.takeRuns(this.rows.push(piece));
    this.feed(this.begun + piece, false);
    return this.settle(Infinity);
  }

  end(): Settled<Code> {
    this.takeRuns(this.runs.end());
    this.takeRuns(this.rows.end());
    this.feed(this.begun, true);
    this.closeIsland();
    const { findings, upTo } = this.readings.plain.end();
    append(this.waiting, findings);
    this.plainUpTo = upTo;
    return this.settle(upTo);
  }

  private takeRuns(runs: readonly EncodedRun[]): void {
    for (const run of runs) append(this.waiting, this.readings.inRun(run));
  }

  /** Feeds text to all scans: up to each sign, and finally up to the position where a sign may have begun. */
  private feed(text: string, atEnd: boolean): void {
    let sure = atEnd ? text.length : begunSign(text);
    const base = this.fed;
    let from = 0;
    for (let sign = nextSign(text, 0); sign !== undefined && sign.start < sure; sign = nextSign(text, sign.end)) {
      if (sign.end > sure) {
        sure = sign.start;
        break;
      }
      this.pass(text.slice(from, sign.start));
      from = sign.start;
      this.signAt(base + sign.start, base + sign.end);
    }
    this.pass(text.slice(from, sure));
    this.begun = text.slice(sure);
  }

  private signAt(start: number, end: number): void {
    if (this.open === undefined || start >= this.open.island.to) {
      this.closeIsland();
      const from = Math.max(0, start - ISLAND_LEFT);
      this.open = { island: { from, sign: start, to: 0 }, stream: this.readings.hidden(), fed: from, upTo: from };
      this.feedIsland(this.open, this.tail.slice(this.tail.length - (start - from)));
    }
    this.open.island.to = end + ISLAND_RIGHT;
  }

  private pass(text: string): void {
    if (text === '') return;
    const { findings, upTo } = this.readings.plain.push(text);
    append(this.waiting, findings);
    this.plainUpTo = upTo;
    if (this.open !== undefined) this.feedIsland(this.open, text.slice(0, this.open.island.to - this.open.fed));
    this.fed += text.length;
    this.tail =
      this.tail.length + text.length > 2 * ISLAND_LEFT
        ? ownCopy((this.tail + text).slice(-ISLAND_LEFT))
        : this.tail + text;
    if (this.open !== undefined && this.open.fed >= this.open.island.to) this.closeIsland();
  }

  private feedIsland(open: OpenIsland<Code>, text: string): void {
    open.fed += text.length;
    this.tellIsland(open, open.stream.push(text));
  }

  private closeIsland(): void {
    if (this.open === undefined) return;
    this.tellIsland(this.open, this.open.stream.end());
    this.open = undefined;
  }

  private tellIsland(open: OpenIsland<Code>, { findings, upTo }: Settled<Code>): void {
    const { from } = open.island;
    open.upTo = from + upTo;
    for (const { start, end, ...rest } of findings) {
      const finding: Finding<Code> = { ...rest, start: start + from, end: end + from };
      if (isReportable(open.island satisfies Pick<Island, 'from' | 'sign'>, finding)) this.waiting.push(finding);
    }
  }

  /** Returns the runs of overlapping findings that no further finding can join. */
  private settle(most: number): Settled<Code> {
    const sure = Math.min(
      most,
      this.plainUpTo,
      this.open?.upTo ?? Infinity,
      this.runs.open ?? Infinity,
      this.rows.open ?? Infinity,
    );
    if (this.waiting.length === 0) {
      this.upTo = Math.max(this.upTo, sure);
      return { findings: [], upTo: this.upTo };
    }
    const sorted = this.waiting.sort((a, b) => a.start - b.start || a.end - b.end);
    let settled = 0;
    let end = 0;
    for (let index = 0; index < sorted.length && end <= sure; index++) {
      if (sorted[index]!.start >= end) settled = index;
      end = Math.max(end, sorted[index]!.end);
    }
    if (end <= sure) settled = sorted.length;
    const told = sorted.slice(0, settled);
    this.waiting = sorted.slice(settled);
    this.upTo = Math.max(this.upTo, Math.min(sure, this.waiting[0]?.start ?? Infinity));
    return { findings: joinReadings(told), upTo: this.upTo };
  }
}
