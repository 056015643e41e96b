/** Shorter runs of characters are probably not text. */
const SHORTEST = 6;
const ASCII = new RegExp(`[\\t\\x20-\\x7e]{${SHORTEST},}`, 'g');
const WIDE = new RegExp(`(?:[\\t\\x20-\\x7e]\\0){${SHORTEST},}`, 'g');
/** With the zero before each character. Without the look-behind, it would also match in the other order. */
const WIDE_BIG = new RegExp(`(?<![\\t\\x20-\\x7e])(?:\\0[\\t\\x20-\\x7e]){${SHORTEST},}`, 'g');

/** The readable runs, with one or two bytes per character of ASCII or in UTF-8, in bytes of an unknown format. */
export function piecesOfText(bytes: Buffer): string {
  const text = bytes.toString('latin1');
  const wide = [WIDE, WIDE_BIG].flatMap((order) => text.match(order) ?? []).map((piece) => piece.replaceAll('\0', ''));
  // A text after a zero matches in both orders.
  return [...(text.match(ASCII) ?? []), ...piecesOfUtf8(bytes), ...new Set(wide)].join('\n');
}

/** The runs with characters beyond ASCII. The ASCII in them is a run of its own as well, because other bytes can be UTF-8 by chance. */
function piecesOfUtf8(bytes: Buffer): string[] {
  const pieces: string[] = [];
  let start = 0;
  let characters = 0;
  let hasOthers = false;
  for (let at = 0; at <= bytes.length;) {
    const length = isLineBreak(bytes[at]) ? 0 : printableLength(bytes, at);
    at += Math.max(1, length);
    if (length > 0) {
      characters++;
      hasOthers ||= length > 1;
      continue;
    }
    if (hasOthers && characters >= SHORTEST) pieces.push(bytes.toString('utf8', start, at - 1));
    start = at;
    characters = 0;
    hasOthers = false;
  }
  return pieces;
}

function isLineBreak(byte: number | undefined): boolean {
  return byte !== undefined && byte >= 0x0a && byte <= 0x0d;
}

/** Files with at least this share of printable characters count as text that only begins like another format. */
const PRINTABLE_SHARE = 0.85;

/** Minimum and maximum share of white space in words and operators. Rows of equal or similar colours are outside this range. */
const LEAST_SPACE = 0.03;
const MOST_SPACE = 0.6;

/** Whether bytes are printable words with white space between them, and not the colours of an uncompressed image. */
export function isLikeWords(bytes: Buffer): boolean {
  if (bytes.length === 0 || !isMostlyPrintable(bytes)) return false;
  let spaces = 0;
  for (const byte of bytes) if (byte === 0x20 || byte === 0x0a || byte === 0x0d) spaces++;
  return spaces >= bytes.length * LEAST_SPACE && spaces <= bytes.length * MOST_SPACE;
}

/** In a text, the four most frequent characters have a smaller share than this; the pixels of a drawing can exceed it. */
const LARGEST_FREQUENT_SHARE = 0.75;

/** Whether nearly all bytes are the same few, such as the three bytes of one colour. */
export function isUniform(bytes: Buffer): boolean {
  const counts = new Uint32Array(256);
  for (const byte of bytes) counts[byte] = (counts[byte] ?? 0) + 1;
  const frequent = counts.sort().subarray(-4);
  return frequent.reduce((sum, count) => sum + count, 0) > bytes.length * LARGEST_FREQUENT_SHARE;
}

/** Whether bytes are mostly printable characters, of ASCII or in UTF-8, and white space. */
export function isMostlyPrintable(bytes: Buffer): boolean {
  let printable = 0;
  for (let at = 0; at < bytes.length;) {
    const length = printableLength(bytes, at);
    printable += length;
    at += Math.max(1, length);
  }
  return printable >= bytes.length * PRINTABLE_SHARE;
}

/** The number of bytes of the printable character at a position; 0 if there is none. */
function printableLength(bytes: Buffer, at: number): number {
  const lead = bytes[at] ?? 0;
  if (lead < 0x80) return (lead >= 0x20 && lead < 0x7f) || (lead >= 0x09 && lead <= 0x0d) ? 1 : 0;
  const length = lead < 0xc2 || lead > 0xf4 ? 0 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  for (let next = at + 1; next < at + length; next++) if (((bytes[next] ?? 0) & 0xc0) !== 0x80) return 0;
  return length;
}
