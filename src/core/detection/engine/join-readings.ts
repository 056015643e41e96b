import type { Finding } from '../../model/finding.js';
import { resolveOverlaps } from './resolve-overlaps.js';

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
