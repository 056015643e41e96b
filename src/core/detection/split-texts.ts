import type { Segment } from '../model/call.js';
import { mapped, sorted, isStop, type Steps } from '../steps/steps.js';
import type { DetectorOutcome, LocatedFinding } from '../model/finding.js';

/** Texts to be scanned, and a mapping of their findings to the original segments. */
export interface SplitTexts {
  readonly texts: readonly Segment[];
  located(outcome: DetectorOutcome): Steps<DetectorOutcome>;
}

/**
 * For segments that may be one text or several: adds each of their parts as a separate text, so that the parts are scanned in addition to
 * the whole segment. A finding in both counts once.
 *
 * @returns undefined if there are no such segments
 */
export function splitTexts(segments: readonly Segment[]): SplitTexts | undefined {
  if (!segments.some(({ cuts, breaks }) => cuts !== undefined || breaks !== undefined)) return undefined;
  const texts = [...segments];
  const origins: { readonly segment: number; readonly from: number }[] = [];
  for (const [segment, { cuts = [], breaks = [], ...whole }] of segments.entries()) {
    for (const ends of [cuts, breaks]) {
      if (ends.length === 0) continue;
      for (const [index, from] of [0, ...ends].entries()) {
        const text = whole.text.slice(from, ends[index]);
        if (text === '') continue;
        texts.push({ ...whole, text });
        origins.push({ segment, from });
      }
    }
  }
  const located = (finding: LocatedFinding): LocatedFinding => {
    const origin = origins[finding.segment - segments.length];
    if (origin === undefined) return finding;
    const { segment, from } = origin;
    return { ...finding, segment, start: finding.start + from, end: finding.end + from };
  };
  return {
    texts,
    *located(outcome) {
      if (outcome.status === 'failed') return outcome;
      const findings = new Map<string, LocatedFinding>();
      for (const [index, finding] of (yield* mapped(outcome.findings, located)).entries()) {
        if (isStop(index)) yield;
        const key = `${finding.segment} ${finding.start} ${finding.end} ${finding.code}`;
        const known = findings.get(key);
        if (known === undefined || known.score < finding.score) findings.set(key, finding);
      }
      const all = [...findings.values()];
      return { ...outcome, findings: yield* sorted(all, (a, b) => a.segment - b.segment || a.start - b.start) };
    },
  };
}
