import type { Segment } from '../model/call.js';
import type { DetectorOutcome, LocatedFinding } from '../model/finding.js';

/**
 * Outcomes without the findings in other readings of a text (a page as it is shown, beside its source) that masking the
 * text itself does away with: those whose value stands in the text as it is, and is found wherever it stands in the call.
 */
export function withoutRepeats(
  outcomes: readonly DetectorOutcome[],
  segments: readonly Segment[],
): readonly DetectorOutcome[] {
  if (!segments.some(({ rereads }) => rereads !== undefined)) return outcomes;
  const findings = outcomes.flatMap((outcome) => (outcome.status === 'scanned' ? outcome.findings : []));
  const found = new FoundValues(findings, segments);
  const isRepeat = (finding: LocatedFinding): boolean => {
    const { text, rereads } = segments[finding.segment]!;
    if (rereads === undefined) return false;
    const value = text.slice(finding.start, finding.end);
    return rereads.includes(value) && found.everywhere(`${finding.detector}/${finding.code}`, value);
  };
  return outcomes.map((outcome) =>
    outcome.status === 'scanned'
      ? { ...outcome, findings: outcome.findings.filter((finding) => !isRepeat(finding)) }
      : outcome,
  );
}

/** Values that were found in texts that can be changed. */
class FoundValues {
  private readonly counts = new Map<string, number>();
  private readonly answers = new Map<string, boolean>();

  constructor(
    findings: readonly LocatedFinding[],
    private readonly segments: readonly Segment[],
  ) {
    for (const { detector, code, segment, start, end } of findings) {
      const { fixed, text } = segments[segment]!;
      if (fixed === true) continue;
      const key = keyOf(`${detector}/${code}`, text.slice(start, end));
      this.counts.set(key, (this.counts.get(key) ?? 0) + 1);
    }
  }

  /** Whether each place at which a value stands is a finding. */
  everywhere(target: string, value: string): boolean {
    const key = keyOf(target, value);
    const count = this.counts.get(key);
    if (count === undefined) return false;
    const known = this.answers.get(key);
    if (known !== undefined) return known;
    const answer = this.occurrences(value) <= count;
    this.answers.set(key, answer);
    return answer;
  }

  private occurrences(value: string): number {
    let count = 0;
    for (const { fixed, text } of this.segments) {
      if (fixed === true) continue;
      for (let at = text.indexOf(value); at !== -1; at = text.indexOf(value, at + value.length)) count++;
    }
    return count;
  }
}

function keyOf(target: string, value: string): string {
  return `${target}\n${value}`;
}
