import type { Segment } from '../model/call.js';
import { compareText } from '../model/compare-text.js';
import type { LocatedFinding } from '../model/finding.js';
import { atOnce, isStop, sorted, type Steps } from '../steps/steps.js';

/** A range that is masked as one piece, with the finding that names it. */
export interface Span<F extends LocatedFinding> {
  readonly segment: number;
  readonly start: number;
  readonly end: number;
  readonly namedBy: F;
}

/**
 * Merges the findings' ranges: overlapping ranges become one span, adjacent ones stay separate. The longest finding names its span; ties go
 * to the higher score, then to the code, detector and start, so the order of the input makes no difference. Ranges are cut to their text
 * and widened to whole code points (half of a surrogate pair cannot be kept). A finding of an unknown segment or without characters is left
 * out.
 *
 * @returns spans ordered by segment and start
 */
export function mergeSpans<F extends LocatedFinding>(findings: readonly F[], segments: readonly Segment[]): Span<F>[] {
  return atOnce(mergingSpans(findings, segments));
}

/** Like `mergeSpans`, but in steps. */
export function* mergingSpans<F extends LocatedFinding>(
  findings: readonly F[],
  segments: readonly Segment[],
): Steps<Span<F>[]> {
  const spans: Span<F>[] = [];
  yield* visitingSpans({ findings, segments }, (segment, start, end, namedBy) => {
    spans.push({ segment, start, end, namedBy });
  });
  return spans;
}

/** Findings whose ranges are merged. */
export interface SpansOf<F extends LocatedFinding> {
  readonly findings: readonly F[];
  readonly segments: readonly Segment[];
  /** Selects the findings that count; if absent, all findings count. */
  readonly isWanted?: (finding: F) => boolean;
}

/** Receives the parts of a `Span`. */
export type SpanVisitor<F extends LocatedFinding> = (segment: number, start: number, end: number, namedBy: F) => void;

/**
 * The spans of `mergeSpans` in their order, without an object for each: a long text has hundreds of thousands, and collecting them as
 * garbage delays other calls.
 */
export function* visitingSpans<F extends LocatedFinding>(of: SpansOf<F>, visit: SpanVisitor<F>): Steps<void> {
  const merger = new SpanMerger(visit);
  // Detectors report findings in text order, so usually nothing has to be sorted.
  if (yield* areInOrder(of)) {
    for (let index = 0; index < of.findings.length; index++) {
      if (isStop(index)) yield;
      const finding = of.findings[index]!;
      const text = textOf(finding, of);
      if (text !== undefined) merger.add(finding.segment, startIn(text, finding), endIn(text, finding), finding);
    }
  } else {
    const ranges = yield* sortedRanges(of);
    for (let index = 0; index < ranges.length; index++) {
      if (isStop(index)) yield;
      const { segment, start, end, namedBy } = ranges[index]!;
      merger.add(segment, start, end, namedBy);
    }
  }
  merger.finish();
}

/** Whether the ranges of findings are sorted by segment, then by start, longer ones first. */
function* areInOrder<F extends LocatedFinding>(of: SpansOf<F>): Steps<boolean> {
  let [lastSegment, lastStart, lastEnd] = [-1, -1, -1];
  for (let index = 0; index < of.findings.length; index++) {
    if (isStop(index)) yield;
    const finding = of.findings[index]!;
    const text = textOf(finding, of);
    if (text === undefined) continue;
    const { segment } = finding;
    const start = startIn(text, finding);
    const end = endIn(text, finding);
    if (segment < lastSegment) return false;
    if (segment === lastSegment && (start < lastStart || (start === lastStart && end > lastEnd))) return false;
    lastSegment = segment;
    lastStart = start;
    lastEnd = end;
  }
  return true;
}

function* sortedRanges<F extends LocatedFinding>(of: SpansOf<F>): Steps<readonly Span<F>[]> {
  const ranges: Span<F>[] = [];
  for (let index = 0; index < of.findings.length; index++) {
    if (isStop(index)) yield;
    const namedBy = of.findings[index]!;
    const text = textOf(namedBy, of);
    if (text === undefined) continue;
    ranges.push({ segment: namedBy.segment, start: startIn(text, namedBy), end: endIn(text, namedBy), namedBy });
  }
  return yield* sorted(ranges, (a, b) => a.segment - b.segment || a.start - b.start || b.end - a.end);
}

/** Joins ranges that are sorted by segment, then by start, longer ones first. */
class SpanMerger<F extends LocatedFinding> {
  private segment = -1;
  private start = -1;
  private end = -1;
  private namedBy: F | undefined;

  constructor(private readonly visit: SpanVisitor<F>) {}

  add(segment: number, start: number, end: number, finding: F): void {
    if (segment === this.segment && start < this.end) {
      this.end = Math.max(this.end, end);
      this.namedBy = this.namedBy === undefined ? finding : stronger(this.namedBy, finding);
      return;
    }
    this.finish();
    this.segment = segment;
    this.start = start;
    this.end = end;
    this.namedBy = finding;
  }

  /** Visits the last span; nothing is added after it. */
  finish(): void {
    const { segment, start, end, namedBy } = this;
    if (namedBy !== undefined) this.visit(segment, start, end, namedBy);
  }
}

/** The text of a finding that counts; undefined for one that is left out. */
function textOf<F extends LocatedFinding>(finding: F, { segments, isWanted }: SpansOf<F>): string | undefined {
  const text = segments[finding.segment]?.text;
  if (text === undefined || !(Math.max(0, finding.start) < Math.min(text.length, finding.end))) return undefined;
  return isWanted === undefined || isWanted(finding) ? text : undefined;
}

const startIn = (text: string, { start }: LocatedFinding): number => wholeStart(text, Math.max(0, start));
const endIn = (text: string, { end }: LocatedFinding): number => wholeEnd(text, Math.min(text.length, end));

const wholeStart = (text: string, start: number): number => (splitsPair(text, start) ? start - 1 : start);
const wholeEnd = (text: string, end: number): number => (splitsPair(text, end) ? end + 1 : end);

/** Whether position `at` is between the halves of a surrogate pair. */
function splitsPair(text: string, at: number): boolean {
  const before = text.charCodeAt(at - 1);
  const after = text.charCodeAt(at);
  return before >= 0xd800 && before <= 0xdbff && after >= 0xdc00 && after <= 0xdfff;
}

function stronger<F extends LocatedFinding>(a: F, b: F): F {
  const order =
    b.end - b.start - (a.end - a.start) ||
    b.score - a.score ||
    compareText(a.code, b.code) ||
    compareText(a.detector, b.detector) ||
    a.start - b.start;
  return order <= 0 ? a : b;
}
