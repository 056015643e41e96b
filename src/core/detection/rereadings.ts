import type { Segment } from '../model/call.js';
import type { DetectorOutcome, LocatedFinding } from '../model/finding.js';
import { filtered, joinedLists, isStop, type Steps } from '../steps/steps.js';
import { countingValues } from '../text/occurrences.js';

/**
 * Removes findings in other readings of a text (such as a page as it is displayed) that disappear when the text itself is masked: findings
 * whose value occurs in the text itself and is found at each of its occurrences in the call. In steps, because a page may contain very many
 * values.
 */
export function* leavingOutRepeats(
  outcomes: readonly DetectorOutcome[],
  segments: readonly Segment[],
): Steps<readonly DetectorOutcome[]> {
  if (!segments.some(({ rereads }) => rereads !== undefined)) return outcomes;
  const findings = joinedLists(outcomes.map((outcome) => (outcome.status === 'scanned' ? outcome.findings : [])));
  const isRepeat = yield* repeatsAmong(findings, segments);
  const left: DetectorOutcome[] = [];
  for (const outcome of outcomes) {
    if (outcome.status !== 'scanned') left.push(outcome);
    else left.push({ ...outcome, findings: yield* filtered(outcome.findings, (finding) => !isRepeat(finding)) });
  }
  return left;
}

/** Returns a test for findings in other readings that disappear when the text itself is masked. */
function* repeatsAmong(
  findings: readonly LocatedFinding[],
  segments: readonly Segment[],
): Steps<(finding: LocatedFinding) => boolean> {
  const found = yield* foundValues(findings, segments);
  const valueOf = ({ segment, start, end }: LocatedFinding): string => segments[segment]!.text.slice(start, end);
  const asked = yield* filtered(findings, (finding) => {
    return segments[finding.segment]!.rereads !== undefined && found.has(keyOf(finding, valueOf(finding)));
  });
  const all = new Set<string>();
  const byReread = new Map<string, Set<string>>();
  for (const [index, finding] of asked.entries()) {
    const { rereads = '' } = segments[finding.segment]!;
    const values = byReread.get(rereads) ?? new Set();
    byReread.set(rereads, values.add(valueOf(finding)));
    all.add(valueOf(finding));
    if (isStop(index)) yield;
  }
  const changeable = yield* filtered(segments, ({ fixed }) => fixed !== true);
  const everywhere = yield* countingValues(
    changeable.map(({ text }) => text),
    all,
  );
  const inRereads = new Map<string, ReadonlyMap<string, number> | undefined>();
  for (const [rereads, values] of byReread) inRereads.set(rereads, yield* countingValues([rereads], values, 1));
  return (finding) => {
    const { rereads } = segments[finding.segment]!;
    if (rereads === undefined) return false;
    const value = valueOf(finding);
    const isThere = (inRereads.get(rereads)?.get(value) ?? 0) > 0;
    return isThere && (everywhere?.get(value) ?? Infinity) <= (found.get(keyOf(finding, value)) ?? 0);
  };
}

/** Number of findings of each value in texts that can be changed. */
function* foundValues(
  findings: readonly LocatedFinding[],
  segments: readonly Segment[],
): Steps<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>();
  for (const [index, finding] of findings.entries()) {
    if (isStop(index)) yield;
    const { fixed, text } = segments[finding.segment]!;
    if (fixed === true) continue;
    const key = keyOf(finding, text.slice(finding.start, finding.end));
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return counts;
}

function keyOf({ detector, code }: LocatedFinding, value: string): string {
  return `${detector}/${code}\n${value}`;
}
