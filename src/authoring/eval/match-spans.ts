import type { GoldSpan, ScoredFinding } from './evaluation.js';

interface Range {
  readonly start: number;
  readonly end: number;
}

/** Length of the intersection divided by the length of the union, 0 to 1. */
export function intersectionOverUnion(a: Range, b: Range): number {
  const common = Math.min(a.end, b.end) - Math.max(a.start, b.start);
  return common <= 0 ? 0 : common / (Math.max(a.end, b.end) - Math.min(a.start, b.start));
}

export interface Matching {
  /** Pairs of indices `[gold, finding]`. */
  readonly pairs: readonly (readonly [number, number])[];
  readonly unmatchedGold: readonly number[];
  readonly unmatchedFindings: readonly number[];
}

/**
 * Pairs labelled spans with findings of the same code that overlap them by at least `minOverlap` (intersection over union). Each span
 * and finding is paired at most once, the largest overlaps first, so that one wide finding cannot count for two spans.
 */
export function matchSpans(
  gold: readonly GoldSpan[],
  findings: readonly ScoredFinding[],
  minOverlap: number,
): Matching {
  const candidates: { readonly gold: number; readonly finding: number; readonly overlap: number }[] = [];
  gold.forEach((span, goldIndex) => {
    findings.forEach((finding, findingIndex) => {
      if (finding.code !== span.code) return;
      const overlap = intersectionOverUnion(span, finding);
      if (overlap > 0 && overlap >= minOverlap) candidates.push({ gold: goldIndex, finding: findingIndex, overlap });
    });
  });
  candidates.sort((a, b) => b.overlap - a.overlap || a.gold - b.gold || a.finding - b.finding);
  const goldOf = new Map<number, number>();
  const usedFindings = new Set<number>();
  for (const candidate of candidates) {
    if (goldOf.has(candidate.gold) || usedFindings.has(candidate.finding)) continue;
    goldOf.set(candidate.gold, candidate.finding);
    usedFindings.add(candidate.finding);
  }
  return {
    pairs: [...goldOf],
    unmatchedGold: [...gold.keys()].filter((index) => !goldOf.has(index)),
    unmatchedFindings: [...findings.keys()].filter((index) => !usedFindings.has(index)),
  };
}
