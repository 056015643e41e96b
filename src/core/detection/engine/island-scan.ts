import { append } from '../../steps/steps.js';
import type { ScanStream, Settled, TextHint } from '../detector.js';
import type { Finding } from '../../model/finding.js';
import { ISLAND_LEFT, isReportable, type Island } from './disguises.js';
import type { Inner, SharedReading } from './shared-reading.js';
import { startBeforeSign } from './sign-chain.js';

/** Finds patterns in one text, as written or with `hidden` letters decoded; ranges refer to that text. */
export interface ScanOnce<Code extends string> {
  (reading: SharedReading, hint: TextHint | undefined, hidden: boolean): readonly Finding<Code>[];
  /** Scans parts with hidden letters in which a long value goes on beyond the end of the part. Undefined if there are no long patterns. */
  readonly long?: LongIslands<Code> | undefined;
}

export interface LongIslands<Code extends string> {
  /** See `IslandStream.longest`. */
  readonly longest: number;
  /** See `IslandStream.isOpenBefore`, for a complete text. */
  isOpenBefore(place: number, reading: SharedReading, hint: TextHint | undefined): boolean;
  open(hint: TextHint | undefined): IslandStream<Code>;
}

/** A scan of a part with hidden letters that arrives in pieces. */
export interface IslandStream<Code extends string> extends ScanStream<Code> {
  /** Maximum length of a match; 0 or absent if all matches are shorter than the part. */
  readonly longest?: number;
  /** Whether a long match that begins before this offset may go on beyond the text so far. */
  isOpenBefore?(place: number): boolean;
}

/** An island whose end may still move. */
export interface GrowingIsland extends Pick<Island, 'from' | 'sign'> {
  to: number;
  end: number;
}

/**
 * Moves the end of an island that was read up to its end, if a match that began before the last sign may go on there. The text behind an
 * island has no hidden letters, so only such a match is not found in the text as written.
 *
 * @returns false if the island is complete
 */
export function extendIsland(island: GrowingIsland, stream: IslandStream<string>): boolean {
  const furthest = island.end + (stream.longest ?? 0);
  if (furthest <= island.to || stream.isOpenBefore?.(island.end - island.from) !== true) return false;
  island.to = furthest;
  return true;
}

/**
 * The findings of an island that are reported, with offsets in the whole text.
 * @param left the text in front of the island's first sign, from the island's start or from before it
 */
export function reportedIn<Code extends string>(
  island: Pick<Island, 'from' | 'sign'>,
  findings: readonly Finding<Code>[],
  left: string,
): Finding<Code>[] {
  const { from, sign } = island;
  const base = sign - left.length;
  return findings
    .map((finding) => ({ ...finding, start: finding.start + from, end: finding.end + from }))
    .filter((finding) => isReportable(island, finding))
    .map((finding) =>
      finding.start < sign ? { ...finding, start: base + startBeforeSign(left, finding.start - base) } : finding,
    );
}

/** Scans the parts of a text with hidden letters. */
export function scanIslands<Code extends string>(
  scan: ScanOnce<Code>,
  { text, islands }: SharedReading,
  hint: TextHint | undefined,
): Finding<Code>[] {
  const found: Finding<Code>[] = [];
  for (let index = 0; index < islands.length;) {
    const { place, reading } = islands[index]!;
    const { long } = scan;
    const isCut = long !== undefined && place.to < text.length && place.end + long.longest > place.to;
    if (isCut && long.isOpenBefore(place.end - place.from, reading, hint)) {
      index = scanLongIsland(long.open(hint), { text, islands, index }, found);
      continue;
    }
    append(found, reportedIn(place, scan(reading, hint, true), leftOf(place, text)));
    index++;
  }
  return found;
}

function leftOf({ sign }: Pick<Island, 'sign'>, text: string): string {
  return text.slice(Math.max(0, sign - ISLAND_LEFT), sign);
}

interface Place {
  readonly text: string;
  readonly islands: readonly Inner<Island>[];
  readonly index: number;
}

/**
 * Scans an island that must be extended, in the same way as a text that arrives in pieces.
 * @returns the index of the first island that does not belong to it
 */
function scanLongIsland<Code extends string>(
  stream: IslandStream<Code>,
  { text, islands, index }: Place,
  into: Finding<Code>[],
): number {
  const island: GrowingIsland = { ...islands[index]!.place };
  let next = index + 1;
  let fed = island.from;
  const left = leftOf(island, text);
  const take = ({ findings }: Settled<Code>): void => append(into, reportedIn(island, findings, left));
  do {
    for (; next < islands.length && islands[next]!.place.sign < island.to; next++) {
      const { to, end } = islands[next]!.place;
      island.to = Math.max(island.to, to);
      island.end = end;
    }
    take(stream.push(text.slice(fed, island.to)));
    fed = island.to;
  } while (fed < text.length && extendIsland(island, stream));
  take(stream.end());
  return next;
}
