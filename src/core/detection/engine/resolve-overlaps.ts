import { append } from '../../steps/steps.js';
import type { Finding } from '../../model/finding.js';

/** A run of overlapping findings longer than this is resolved by the local rule alone. */
export const MAX_CLUSTER_LENGTH = 256;

/**
 * Negative if `a` wins over an overlapping `b`: the longer, then the higher score, then the alphabetically first code, then the
 * leftmost.
 */
function compare(a: Finding, b: Finding): number {
  const length = b.end - b.start - (a.end - a.start);
  if (length !== 0) return length;
  if (a.score !== b.score) return b.score - a.score;
  if (a.code !== b.code) return a.code < b.code ? -1 : 1;
  return a.start - b.start;
}

function same(a: Finding, b: Finding): boolean {
  return a.start === b.start && a.end === b.end && a.code === b.code && a.score === b.score;
}

/** From this score on, a finding is confirmed by more than its form, such as a context word or a strong checksum. */
const SURE = 0.9;

/** Whether two findings with different codes and the same range are both confirmed or both not; then both stay. */
function ambiguous(a: Finding, b: Finding): boolean {
  return a.start === b.start && a.end === b.end && a.code !== b.code && a.score >= SURE === b.score >= SURE;
}

/**
 * Drops findings until none overlap, except different codes for the same range if none or several of them are confirmed. In a run of
 * overlapping findings the best is kept, all that overlap it are dropped, and so on. In a run of more than `MAX_CLUSTER_LENGTH` units a
 * finding is dropped as soon as any better one overlaps it, so that the result at one position never depends on distant text (a stream
 * must have the same result).
 *
 * @returns a new list sorted by start.
 */
export function resolveOverlaps<Found extends Finding>(findings: readonly Found[]): Found[] {
  if (findings.length < 2) return [...findings];
  const sorted = [...findings]
    .sort((a, b) => a.start - b.start || compare(a, b))
    .filter((finding, index, all) => index === 0 || !same(finding, all[index - 1]!));
  const kept: Found[] = [];
  for (let from = 0; from < sorted.length;) {
    let to = from + 1;
    let end = sorted[from]!.end;
    while (to < sorted.length && sorted[to]!.start < end) end = Math.max(end, sorted[to++]!.end);
    if (to === from + 1) kept.push(sorted[from]!);
    else if (end - sorted[from]!.start > MAX_CLUSTER_LENGTH) keepUndominated(sorted, from, to, kept);
    else keepBest(sorted.slice(from, to), kept);
    from = to;
  }
  return kept;
}

/** Whether `other` overlaps `finding` and is better. */
function loses(finding: Finding, other: Finding): boolean {
  return other.end > finding.start && !ambiguous(finding, other) && compare(other, finding) < 0;
}

function keepBest<Found extends Finding>(cluster: Found[], into: Found[]): void {
  const best: Found[] = [];
  cluster.sort(compare);
  for (const finding of cluster) {
    if (best.every((other) => finding.start >= other.end || finding.end <= other.start || ambiguous(finding, other)))
      best.push(finding);
  }
  append(
    into,
    best.sort((a, b) => a.start - b.start),
  );
}

function keepUndominated<Found extends Finding>(
  sorted: readonly Found[],
  from: number,
  to: number,
  into: Found[],
): void {
  const longest = sorted.slice(from, to).reduce((most, finding) => Math.max(most, finding.end - finding.start), 0);
  for (let index = from; index < to; index++) {
    const finding = sorted[index]!;
    let dominated = false;
    for (let left = index - 1; left >= from && sorted[left]!.start > finding.start - longest && !dominated; left--) {
      dominated = loses(finding, sorted[left]!);
    }
    for (let right = index + 1; right < to && sorted[right]!.start < finding.end && !dominated; right++) {
      dominated = loses(finding, sorted[right]!);
    }
    if (!dominated) into.push(finding);
  }
}
