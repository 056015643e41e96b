import { append } from '../../steps/steps.js';
import type { ScanStream, Settled } from '../detector.js';
import type { Finding } from '../../model/finding.js';
import { ISLAND_LEFT, ISLAND_RIGHT, mayBeginSign, nextSign } from './disguises.js';
import { EncodedRuns, type EncodedRun } from './encoded-runs.js';
import { extendIsland, reportedIn, type GrowingIsland, type IslandStream } from './island-scan.js';
import { SeparatedRuns } from './separated-runs.js';
import { heldFrom } from './sign-chain.js';
import { ownCopy } from './own-copy.js';
import { joinReadings } from './join-readings.js';

/** The scans that make up a streamed scan of a text, including its hidden parts. */
export interface Readings<Code extends string> {
  /** The scan of the text as written. */
  readonly plain: ScanStream<Code>;
  /** Creates a scan of a part with hidden letters. */
  readonly hidden: () => IslandStream<Code>;
  /** Scans a decoded run; findings have offsets in the whole text. Without it, runs are not decoded. */
  readonly inRun?: (run: EncodedRun) => readonly Finding<Code>[];
}

/** An island that is not complete yet. */
interface OpenIsland<Code extends string> {
  readonly island: GrowingIsland;
  readonly stream: IslandStream<Code>;
  /** The text from the start of the island to its first sign. */
  readonly left: string;
  /** Offsets in the whole text up to which the island was fed (`fed`) and is settled (`upTo`). */
  fed: number;
  upTo: number;
}

/**
 * Scans a text that arrives in pieces, with the same findings as `scanAll` on the whole text. Text that may become a sign of hidden
 * letters is withheld from all scans until this is decided, so that no scan releases text that is part of another scan's finding.
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
    this.takeRuns((reader) => reader.push(piece));
    this.feed(this.begun + piece, false);
    return this.settle(Infinity);
  }

  end(): Settled<Code> {
    this.takeRuns((reader) => reader.end());
    this.feed(this.begun, true);
    this.closeIsland();
    const { findings, upTo } = this.readings.plain.end();
    append(this.waiting, findings);
    this.plainUpTo = upTo;
    return this.settle(upTo);
  }

  private takeRuns(read: (reader: EncodedRuns | SeparatedRuns) => readonly EncodedRun[]): void {
    const { inRun } = this.readings;
    if (inRun === undefined) return;
    for (const reader of [this.runs, this.rows]) for (const run of read(reader)) append(this.waiting, inRun(run));
  }

  /** Feeds text to all scans: up to each sign, and finally up to the position where a sign may have begun. */
  private feed(text: string, atEnd: boolean): void {
    if (!mayBeginSign(text)) {
      this.pass(text);
      this.begun = '';
      return;
    }
    let sure = atEnd ? text.length : heldFrom(text);
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
      const island = { from, sign: start, to: 0, end };
      const left = this.tail.slice(this.tail.length - (start - from));
      this.open = { island, stream: this.readings.hidden(), left, fed: from, upTo: from };
      this.feedIsland(this.open, left);
    }
    const { island } = this.open;
    island.end = end;
    island.to = Math.max(island.to, end + ISLAND_RIGHT);
  }

  private pass(text: string): void {
    if (text === '') return;
    const { findings, upTo } = this.readings.plain.push(text);
    append(this.waiting, findings);
    this.plainUpTo = upTo;
    this.passIsland(text);
    this.fed += text.length;
    this.tail =
      this.tail.length + text.length > 2 * ISLAND_LEFT
        ? ownCopy((this.tail + text).slice(-ISLAND_LEFT))
        : this.tail + text;
  }

  private passIsland(text: string): void {
    for (let from = 0; this.open !== undefined && from < text.length;) {
      const open: OpenIsland<Code> = this.open;
      const part = text.slice(from, from + open.island.to - open.fed);
      this.feedIsland(open, part);
      from += part.length;
      if (open.fed >= open.island.to && !extendIsland(open.island, open.stream)) this.closeIsland();
    }
  }

  private feedIsland(open: OpenIsland<Code>, text: string): void {
    open.fed += text.length;
    this.addFindingsOfIsland(open, open.stream.push(text));
  }

  private closeIsland(): void {
    if (this.open === undefined) return;
    this.addFindingsOfIsland(this.open, this.open.stream.end());
    this.open = undefined;
  }

  private addFindingsOfIsland(open: OpenIsland<Code>, { findings, upTo }: Settled<Code>): void {
    open.upTo = open.island.from + upTo;
    append(this.waiting, reportedIn(open.island, findings, open.left));
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
    const settledFindings = sorted.slice(0, settled);
    this.waiting = sorted.slice(settled);
    this.upTo = Math.max(this.upTo, Math.min(sure, this.waiting[0]?.start ?? Infinity));
    return { findings: joinReadings(settledFindings), upTo: this.upTo };
  }
}
