import type { Segment } from '../model/call.js';
import type { LocatedFinding } from '../model/finding.js';
import { atOnce, filtered, mapped, sorted, isStop, type Steps } from '../steps/steps.js';

/** A range that is masked as one piece, with the finding that names it. */
export interface Span<F extends LocatedFinding> {
  readonly segment: number;
  readonly start: number;
  readonly end: number;
  readonly namedBy: F;
}

/**
 * The union of the findings' ranges: overlapping ranges become one span, touching ones stay apart. The longest finding
 * names its span; ties go to the higher score, then to the code, detector and start, so the order of the input never
 * shows. Ranges are cut to their text and widened to whole code points (half a surrogate pair is no character that
 * could be kept). A finding of an unknown segment or without characters is left out.
 *
 * @returns spans ordered by segment and start
 */
export function mergeSpans<F extends LocatedFinding>(findings: readonly F[], segments: readonly Segment[]): Span<F>[] {
  return atOnce(mergingSpans(findings, segments));
}

/** The same in steps. */
export function* mergingSpans<F extends LocatedFinding>(
  findings: readonly F[],
  segments: readonly Segment[],
): Steps<Span<F>[]> {
  const merger = new SpanMerger<F>();
  for (let index = 0; index < findings.length; index++) {
    if (isStop(index)) yield;
    // Detectors find in the order of the text: usually nothing has to be sorted.
    if (!addFinding(merger, findings[index]!, segments)) return yield* sortedSpans(findings, segments);
  }
  return merger.finish();
}

function* sortedSpans<F extends LocatedFinding>(
  findings: readonly F[],
  segments: readonly Segment[],
): Steps<Span<F>[]> {
  const known = yield* mapped(findings, (finding) => rangeOf(finding, segments));
  const ranges = yield* sorted(
    yield* filtered(known, (range): range is NonNullable<typeof range> => range !== undefined),
    (a, b) => a.segment - b.segment || a.start - b.start || b.end - a.end,
  );
  const merger = new SpanMerger<F>();
  for (let index = 0; index < ranges.length; index++) {
    if (isStop(index)) yield;
    const { segment, start, end, namedBy } = ranges[index]!;
    merger.add(segment, start, end, namedBy);
  }
  return merger.finish();
}

/** Joins ranges that come in order: by segment, then by start, the longer ones first. */
class SpanMerger<F extends LocatedFinding> {
  private readonly spans: Span<F>[] = [];
  private segment = -1;
  private start = -1;
  private end = -1;
  private namedBy: F | undefined;
  private lastStart = -1;
  private lastEnd = -1;

  /** @returns false for a range that comes too late; nothing is changed then */
  add(segment: number, start: number, end: number, finding: F): boolean {
    if (segment < this.segment) return false;
    if (segment === this.segment) {
      if (start < this.lastStart || (start === this.lastStart && end > this.lastEnd)) return false;
      if (start < this.end) {
        this.end = Math.max(this.end, end);
        this.namedBy = this.namedBy === undefined ? finding : stronger(this.namedBy, finding);
        [this.lastStart, this.lastEnd] = [start, end];
        return true;
      }
    }
    this.close();
    this.segment = segment;
    this.start = this.lastStart = start;
    this.end = this.lastEnd = end;
    this.namedBy = finding;
    return true;
  }

  /** All spans; nothing is added behind it. */
  finish(): Span<F>[] {
    this.close();
    return this.spans;
  }

  private close(): void {
    const { segment, start, end, namedBy } = this;
    if (namedBy !== undefined) this.spans.push({ segment, start, end, namedBy });
  }
}

/** @returns false when it comes too late */
function addFinding<F extends LocatedFinding>(
  merger: SpanMerger<F>,
  finding: F,
  segments: readonly Segment[],
): boolean {
  const text = segments[finding.segment]?.text;
  if (text === undefined) return true;
  const start = Math.max(0, finding.start);
  const end = Math.min(text.length, finding.end);
  return !(start < end) || merger.add(finding.segment, wholeStart(text, start), wholeEnd(text, end), finding);
}

function rangeOf<F extends LocatedFinding>(finding: F, segments: readonly Segment[]): Span<F> | undefined {
  const text = segments[finding.segment]?.text;
  if (text === undefined) return undefined;
  const start = Math.max(0, finding.start);
  const end = Math.min(text.length, finding.end);
  if (!(start < end)) return undefined;
  return { segment: finding.segment, start: wholeStart(text, start), end: wholeEnd(text, end), namedBy: finding };
}

const wholeStart = (text: string, start: number): number => (splitsPair(text, start) ? start - 1 : start);
const wholeEnd = (text: string, end: number): number => (splitsPair(text, end) ? end + 1 : end);

/** Whether position `at` stands between the halves of a surrogate pair. */
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

/** Code-unit order: the same on every machine, whatever its locale. */
export function compareText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
