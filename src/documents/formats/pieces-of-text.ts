/** Shorter runs of characters are probably not text. */
const SHORTEST = 6;
const ASCII = new RegExp(`[\\t\\x20-\\x7e]{${SHORTEST},}`, 'g');
const WIDE = new RegExp(`(?:[\\t\\x20-\\x7e]\\0){${SHORTEST},}`, 'g');

/** The readable runs, with one or two bytes per character, in bytes of an unknown format. */
export function piecesOfText(bytes: Buffer): string {
  const text = bytes.toString('latin1');
  const pieces = [...(text.match(ASCII) ?? []), ...(text.match(WIDE) ?? []).map((piece) => piece.replaceAll('\0', ''))];
  return pieces.join('\n');
}

/** Files with at least this share of printable characters count as text that only begins like another format. */
const PRINTABLE_SHARE = 0.85;

/** The shares of white space in words and operators. Rows of equal or similar colours have less, or nothing else. */
const LEAST_SPACE = 0.03;
const MOST_SPACE = 0.6;

/** Whether bytes are printable words with white space between them, and not the colours of a picture without compression. */
export function isLikeWords(bytes: Buffer): boolean {
  if (bytes.length === 0 || !isMostlyPrintable(bytes)) return false;
  let spaces = 0;
  for (const byte of bytes) if (byte === 0x20 || byte === 0x0a || byte === 0x0d) spaces++;
  return spaces >= bytes.length * LEAST_SPACE && spaces <= bytes.length * MOST_SPACE;
}

/** No text consists of its four most frequent characters to this share, but the pixels of a drawing do. */
const LARGEST_FREQUENT_SHARE = 0.75;

/** Whether nearly all bytes are the same few, such as the three bytes of one colour. */
export function isUniform(bytes: Buffer): boolean {
  const counts = new Uint32Array(256);
  for (const byte of bytes) counts[byte] = (counts[byte] ?? 0) + 1;
  const frequent = counts.sort().subarray(-4);
  return frequent.reduce((sum, count) => sum + count, 0) > bytes.length * LARGEST_FREQUENT_SHARE;
}

/** Whether bytes are mostly printable characters and white space. */
export function isMostlyPrintable(bytes: Buffer): boolean {
  let printable = 0;
  for (const byte of bytes) if ((byte >= 0x20 && byte < 0x7f) || (byte >= 0x09 && byte <= 0x0d)) printable++;
  return printable >= bytes.length * PRINTABLE_SHARE;
}
