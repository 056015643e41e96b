import { begunSign } from './disguises.js';
import { normalise } from './normalise.js';
import { LONGEST_SPELLING } from './spellings.js';

/** Maximum number of adjacent spellings in front of a sign that are read with it. */
const MOST_SPELLINGS = 8;
/** A stream withholds more, because its text may end within a sign. */
const MOST_HELD = MOST_SPELLINGS + 4;

/**
 * Offset from which a growing text is withheld: the adjacent spellings at its end. Not every spelling is a sign, but a sign that follows
 * makes the second reading decode them, and a value may extend over them.
 */
export function heldFrom(text: string): number {
  return chainStart(text, MOST_HELD);
}

/**
 * The start of a finding that extends over the first sign of its island. In front of the adjacent spellings, a stream has already scanned
 * the text as written, and may have released it. If the second reading changes that part of the finding, the finding starts behind it.
 *
 * @param left the text in front of the sign
 * @param at the start of the finding in `left`
 */
export function startBeforeSign(left: string, at: number): number {
  const begun = chainStart(left, MOST_SPELLINGS);
  if (at >= begun) return at;
  const part = left.slice(at, begun);
  const asWritten = normalise(part, { parting: true })?.text ?? part;
  return asWritten === decoded(part) && !followsDropped(left, at) ? at : begun;
}

/** Whether the second reading drops the spelling in front of a finding, without which the text as written has no value there. */
function followsDropped(left: string, at: number): boolean {
  const spelling = left.slice(chainStart(left.slice(0, at), 1), at);
  return spelling !== '' && decoded(spelling) === '';
}

function decoded(text: string): string {
  return normalise(text, { disguises: true })?.text ?? text;
}

function chainStart(text: string, most: number): number {
  let start = text.length;
  for (let step = 0; step < most; step++) {
    const lowest = Math.max(0, start - LONGEST_SPELLING);
    const begun = lowest + begunSign(text.slice(lowest, start));
    if (begun === start) break;
    start = begun;
  }
  return start;
}
