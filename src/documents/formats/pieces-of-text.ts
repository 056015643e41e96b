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

/** Whether bytes are mostly printable characters and white space. */
export function isMostlyPrintable(bytes: Buffer): boolean {
  let printable = 0;
  for (const byte of bytes) if ((byte >= 0x20 && byte < 0x7f) || (byte >= 0x09 && byte <= 0x0d)) printable++;
  return printable >= bytes.length * PRINTABLE_SHARE;
}
