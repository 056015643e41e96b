/** The parts of `gpt-tokenizer` that are used here. */
interface Library {
  countTokens(text: string, options: { readonly disallowedSpecial: Set<string> }): number;
  setMergeCacheSize(size: number): void;
  readonly default: object;
}

/** The parts of an encoding that the library's types do not include. */
interface Encoding {
  /** Divides a text into pieces that are encoded separately. */
  readonly tokenSplitRegex: RegExp;
  getBpeRankFromString(piece: string): number | undefined;
  bytePairEncode(piece: string): readonly number[];
}

/** Names of special tokens in a text are counted as ordinary text. */
const ALL_ORDINARY = { disallowedSpecial: new Set<string>() };
/** The maximum number of rare pieces that the library remembers. Each keeps up to 2 kB of its text in memory. */
const LIBRARY_PIECES = 5_000;
const ASCII = /^[\0-\x7f]*$/;
/** V8 copies parts of a text up to this length; a longer part would keep the whole text in memory. */
const LONGEST_SHORT = 12;
/** The maximum number of remembered pieces: callers choose them, so it must stay small. */
const MOST_SHORT = 10_000;
const ASCII_UNITS = 128;
/** Not looked up yet. */
const UNKNOWN = -1;

/**
 * Returns a function that counts the tokens of a text by a vocabulary of `gpt-tokenizer`, with the same result as the library. Ids, names and
 * other pieces that are not in the vocabulary are merged from its tokens, for which the library encodes and decodes each pair of bytes.
 */
export function tokenCountOf(library: Library): (text: string) => number {
  library.setMergeCacheSize(LIBRARY_PIECES);
  const encoding = encodingOf(library);
  if (encoding === undefined) return (text) => library.countTokens(text, ALL_ORDINARY);
  const pieces = new RegExp(encoding.tokenSplitRegex);
  const rankOf = rememberingPairs((piece) => encoding.getBpeRankFromString(piece) ?? Infinity);
  const ofPiece = rememberingShort((piece) => {
    if (encoding.getBpeRankFromString(piece) !== undefined) return 1;
    return ASCII.test(piece) ? mergedTokens(piece, rankOf) : encoding.bytePairEncode(piece).length;
  });
  return (text) => {
    let tokens = 0;
    pieces.lastIndex = 0;
    // Each piece begins where the one before it ends: every character is a letter, a number, a blank or something else.
    for (let from = 0; pieces.test(text); from = pieces.lastIndex) {
      const end = pieces.lastIndex;
      tokens += isAlwaysOne(text, from, end) ? 1 : ofPiece(text.slice(from, end));
    }
    return tokens;
  };
}

/** Whether a piece is in every vocabulary: single characters of ASCII, and numbers of at most three digits, as the pieces of numbers are. */
function isAlwaysOne(text: string, from: number, end: number): boolean {
  if (end - from === 1) return text.charCodeAt(from) < ASCII_UNITS;
  if (end - from > 3) return false;
  for (let at = from; at < end; at++) if (!isDigit(text.charCodeAt(at))) return false;
  return true;
}

function isDigit(unit: number): boolean {
  return unit >= 0x30 && unit <= 0x39;
}

/** Undefined if another version of the library has another form. */
export function encodingOf(library: Pick<Library, 'default'>): Encoding | undefined {
  const { bytePairEncodingCoreProcessor: found } = library.default as {
    readonly bytePairEncodingCoreProcessor?: Partial<Encoding>;
  };
  const isComplete =
    found?.tokenSplitRegex?.global === true &&
    typeof found.getBpeRankFromString === 'function' &&
    typeof found.bytePairEncode === 'function';
  return isComplete ? (found as Encoding) : undefined;
}

/** Remembers the counts of short pieces: the vocabulary does not fit into fast memory, and most pieces of a text are among few. */
function rememberingShort(count: (piece: string) => number): (piece: string) => number {
  const known = new Map<string, number>();
  return (piece) => {
    if (piece.length > LONGEST_SHORT) return count(piece);
    const found = known.get(piece);
    if (found !== undefined) return found;
    const tokens = count(piece);
    if (known.size >= MOST_SHORT) known.clear();
    known.set(piece, tokens);
    return tokens;
  };
}

/** Remembers the ranks of all pairs of ASCII characters: every merge begins with pairs. */
function rememberingPairs(rankOf: (part: string) => number): (part: string) => number {
  const ranks = new Float64Array(ASCII_UNITS * ASCII_UNITS).fill(UNKNOWN);
  return (part) => {
    if (part.length !== 2) return rankOf(part);
    const place = part.charCodeAt(0) * ASCII_UNITS + part.charCodeAt(1);
    const known = ranks[place] ?? UNKNOWN;
    return known === UNKNOWN ? (ranks[place] = rankOf(part)) : known;
  };
}

/** The number of tokens of a piece of ASCII characters: the neighbours with the lowest rank together are merged, as long as there are any. */
function mergedTokens(piece: string, rankOf: (part: string) => number): number {
  const starts = Array.from({ length: piece.length + 1 }, (_, index) => index);
  const rankAt = (index: number): number => rankOf(piece.slice(starts[index], starts[index + 2]));
  const ranks = Array.from({ length: piece.length - 1 }, (_, index) => rankAt(index));
  for (;;) {
    let place = -1;
    let lowest = Infinity;
    for (let index = 0; index < ranks.length; index++) {
      const rank = ranks[index]!;
      if (rank >= lowest) continue;
      place = index;
      lowest = rank;
    }
    if (place === -1) return starts.length - 1;
    starts.splice(place + 1, 1);
    ranks.splice(place, 1);
    if (place < ranks.length) ranks[place] = rankAt(place);
    if (place > 0) ranks[place - 1] = rankAt(place - 1);
  }
}
