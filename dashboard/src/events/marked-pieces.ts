/** Divides a text into the parts that are shown: plain text, marks, and the middle of a long text, which is left out at first. */
import type { Mask } from './masks.ts';

export type Piece =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'mask'; readonly mask: Mask; readonly stored: string }
  | { readonly kind: 'left out' };

interface Limits {
  /** Longer texts are shortened. */
  readonly long: number;
  /** The number of characters that are shown at each end of a shortened text. */
  readonly kept: number;
}

/** @param masks those of this text, in any order; a mask outside the text is ignored */
export function piecesOf(text: string, masks: readonly Mask[], limits?: Limits): readonly Piece[] {
  const shown = outermost(masks, text.length);
  if (limits === undefined || text.length <= limits.long) return between(text, shown, 0, text.length);
  const end = notWithin(text, shown, limits.kept);
  const begin = notWithin(text, shown, text.length - limits.kept);
  if (begin <= end) return between(text, shown, 0, text.length);
  return [...between(text, shown, 0, end), { kind: 'left out' }, ...between(text, shown, begin, text.length)];
}

/** Of nested and overlapping findings, the first is shown; of those that begin at the same place, the longest. */
function outermost(masks: readonly Mask[], length: number): readonly Mask[] {
  const inOrder = masks
    .filter(({ start, end }) => start >= 0 && end > start && end <= length)
    .sort((a, b) => a.start - b.start || b.end - a.end);
  let reached = 0;
  return inOrder.filter(({ start, end }) => {
    if (start < reached) return false;
    reached = end;
    return true;
  });
}

/** A place to cut the text: the given one, or the next that divides neither a mark nor a character. */
function notWithin(text: string, masks: readonly Mask[], at: number): number {
  const divided = masks.find(({ start, end }) => start < at && at < end);
  if (divided !== undefined) return divided.end;
  const isInCharacter = /[\udc00-\udfff]/.test(text.charAt(at)) && /[\ud800-\udbff]/.test(text.charAt(at - 1));
  return isInCharacter ? at + 1 : at;
}

function between(text: string, masks: readonly Mask[], from: number, to: number): readonly Piece[] {
  const pieces: Piece[] = [];
  let at = from;
  for (const mask of masks) {
    if (mask.start < from || mask.end > to) continue;
    if (mask.start > at) pieces.push({ kind: 'text', text: text.slice(at, mask.start) });
    pieces.push({ kind: 'mask', mask, stored: text.slice(mask.start, mask.end) });
    at = mask.end;
  }
  if (at < to) pieces.push({ kind: 'text', text: text.slice(at, to) });
  return pieces;
}
