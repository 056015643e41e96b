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
