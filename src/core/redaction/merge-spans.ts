import type { Segment } from '../model/call.js';
import type { LocatedFinding } from '../model/finding.js';
import { atOnce, mapped, sorted, THINGS_BETWEEN_STOPS, type Steps } from '../steps/steps.js';

/** A range that is masked as one piece, and the finding that names it. */
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
  const known = (yield* mapped(findings, (finding) => rangeOf(finding, segments))).filter(
    (range) => range !== undefined,
  );
  const ranges = yield* sorted(known, (a, b) => a.segment - b.segment || a.start - b.start || b.end - a.end);
  const spans: Span<F>[] = [];
  let open: Span<F> | undefined;
  for (const [index, range] of ranges.entries()) {
    if (index % THINGS_BETWEEN_STOPS === 0) yield;
    if (open !== undefined && open.segment === range.segment && range.start < open.end) {
      open = { ...open, end: Math.max(open.end, range.end), namedBy: stronger(open.namedBy, range.namedBy) };
      continue;
    }
    if (open !== undefined) spans.push(open);
    open = range;
  }
  if (open !== undefined) spans.push(open);
  return spans;
}

function rangeOf<F extends LocatedFinding>(finding: F, segments: readonly Segment[]): Span<F> | undefined {
  const text = segments[finding.segment]?.text;
  if (text === undefined) return undefined;
  let start = Math.max(0, finding.start);
  let end = Math.min(text.length, finding.end);
  if (!(start < end)) return undefined;
  if (splitsPair(text, start)) start -= 1;
  if (splitsPair(text, end)) end += 1;
  return { segment: finding.segment, start, end, namedBy: finding };
}

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
