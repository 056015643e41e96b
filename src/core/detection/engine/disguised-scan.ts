import type { TextHint } from '../detector.js';
import type { Finding } from '../../model/finding.js';
import { isReportable, type Island } from './disguises.js';
import type { EncodedRun } from './encoded-runs.js';
import { resolveOverlaps } from './resolve-overlaps.js';
import type { Inner, SharedReading } from './shared-reading.js';

/** Finds patterns in one text, as written or with `hidden` letters decoded; ranges refer to that text. */
export type ScanOnce<Code extends string> = (
  reading: SharedReading,
  hint: TextHint | undefined,
  hidden: boolean,
) => readonly Finding<Code>[];

/** Maximum depth of nested encoded runs: base64 in base64. */
const DEEPEST = 2;

/**
 * Scans the text as written, its parts with hidden letters, and its decoded runs. Most texts have neither such parts nor such runs.
 */
export function scanAll<Code extends string>(
  scan: ScanOnce<Code>,
  reading: SharedReading,
  hint: TextHint | undefined,
  depth = 0,
): readonly Finding<Code>[] {
  const plain = scan(reading, hint, false);
  const { islands } = reading;
  const runs = depth < DEEPEST ? reading.runs : [];
  if (islands.length === 0 && runs.length === 0) return plain;
  const findings = [...plain];
  for (const island of islands) for (const finding of scanIsland(scan, island, hint)) findings.push(finding);
  for (const run of runs) for (const finding of scanRun(scan, run, hint, depth)) findings.push(finding);
  return findings.length === plain.length ? plain : joinReadings(findings);
}

function scanIsland<Code extends string>(
  scan: ScanOnce<Code>,
  { place, reading }: Inner<Island>,
  hint: TextHint | undefined,
): Finding<Code>[] {
  return scan(reading, hint, true)
    .map((finding) => ({ ...finding, start: finding.start + place.from, end: finding.end + place.from }))
    .filter((finding) => isReportable(place, finding));
}

/**
 * Scans a decoded run and returns, for each code, the finding with the highest score. Each finding covers the whole run except its first
 * words, because a part of base64 cannot be masked separately.
 */
export function scanRun<Code extends string>(
  scan: ScanOnce<Code>,
  { place, reading }: Inner<EncodedRun>,
  hint: TextHint | undefined,
  depth = 0,
): Finding<Code>[] {
  const surest = new Map<Code, number>();
  for (const { code, score } of scanAll(scan, reading, hint, depth + 1))
    surest.set(code, Math.max(score, surest.get(code) ?? 0));
  return [...surest].map(([code, score]) => ({ code, score, start: place.from, end: place.end }));
}

/**
 * Merges the findings of several readings of a text: if two with the same code overlap, the longer wins. Different codes do not
 * compete, because one reading does not disprove another.
 *
 * @returns a new list sorted by start
 */
export function joinReadings<Code extends string>(findings: readonly Finding<Code>[]): Finding<Code>[] {
  const byCode = new Map<Code, Finding<Code>[]>();
  for (const finding of findings) {
    const known = byCode.get(finding.code);
    if (known === undefined) byCode.set(finding.code, [finding]);
    else known.push(finding);
  }
  const joined = [...byCode.values()].flatMap((ofCode) => resolveOverlaps(ofCode));
  return joined.sort((a, b) => a.start - b.start || b.end - a.end || b.score - a.score || (a.code < b.code ? -1 : 1));
}
