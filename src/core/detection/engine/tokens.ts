import { shapeAt, type TokenShape } from './token-shape.js';
import { kindAt, kinds, MIXED_LOOKAHEAD } from './token-starts.js';

/** The beginning of a number, of a word that begins with a capital, or of a word with a digit among its first units. */
export const tokenKinds = { NUMBER: 0, CAPITAL: 1, MIXED: 2 } as const;

/** A kind and a shape in one number. */
type Token = number;

const KIND_BITS = 2;
const KIND_MASK = (1 << KIND_BITS) - 1;

export function kindOf(token: Token): number {
  return token & KIND_MASK;
}

export function shapeOf(token: Token): TokenShape {
  return token >> KIND_BITS;
}

/**
 * Reads, in one pass, the tokens of a text at which patterns may be tried. A mixed word that begins with a capital counts as two tokens.
 *
 * @param from offset before which tokens are left out
 * @returns alternately the start of a token and its kind and shape; see `kindOf` and `shapeOf`
 */
export function readTokens(text: string, from: number): number[] {
  const tokens: number[] = [];
  const { length } = text;
  let index = from;
  // The rest of a word that began earlier is not a token.
  if (from > 0 && kindAt(text, from - 1) !== kinds.OTHER) index = wordEnd(text, from);
  while (index < length) {
    const kind = kindAt(text, index);
    if (kind === kinds.OTHER) {
      index++;
      continue;
    }
    const start = index;
    if (kind === kinds.DIGIT) add(tokens, text, start, tokenKinds.NUMBER);
    else {
      if (kind === kinds.UPPER) add(tokens, text, start, tokenKinds.CAPITAL);
      index = lettersEnd(text, start + 1);
      if (index < length && index - start < MIXED_LOOKAHEAD && kindAt(text, index) === kinds.DIGIT)
        add(tokens, text, start, tokenKinds.MIXED);
    }
    index = wordEnd(text, index);
  }
  return tokens;
}

function add(tokens: number[], text: string, start: number, kind: number): void {
  tokens.push(start, (shapeAt(text, start) << KIND_BITS) | kind);
}

function lettersEnd(text: string, from: number): number {
  let index = from;
  while (index < text.length && kindAt(text, index) > kinds.DIGIT) index++;
  return index;
}

function wordEnd(text: string, from: number): number {
  let index = from;
  while (index < text.length && kindAt(text, index) !== kinds.OTHER) index++;
  return index;
}
