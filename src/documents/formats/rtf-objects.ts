/** The beginning of the content of a picture or of an embedded object (Rich Text Format Specification 1.9.1). */
const DATA = /\\(?:pict|objdata)(?![a-z])/gi;
/** A control word with its space, a control symbol, a brace, or other characters. */
const TOKEN = /\\(?:(bin)\d|[a-z]{1,32}(?:-?\d{1,10})? ?|[^a-z]|$)|([{}])|([^\\{}]+)/giy;
const NO_DIGIT = /[^0-9a-f]/gi;
/** Fewer bytes are neither a picture nor a file. */
const FEWEST_BYTES = 16;

/** The pictures and embedded objects of an RTF file. */
interface RtfObjects {
  readonly objects: readonly Buffer[];
  /** Whether one of them contains bytes that are not written in hexadecimal digits. */
  readonly hasBinary: boolean;
}

/**
 * Reads the pictures and embedded objects of an RTF file, which it contains in hexadecimal digits. Digits in inner groups, such as the
 * identifier of a picture, do not belong to them.
 */
export function rtfObjects(rtf: string): RtfObjects {
  const objects: Buffer[] = [];
  let hasBinary = false;
  let end = 0;
  for (const { 0: word, index } of rtf.matchAll(DATA)) {
    // Digits after a second word of the same group belong to the same content.
    if (index < end) continue;
    const group = readGroup(rtf, index + word.length);
    ({ end } = group);
    hasBinary ||= group.hasBinary;
    const bytes = Buffer.from(group.digits.slice(0, group.digits.length & ~1), 'hex');
    if (bytes.length >= FEWEST_BYTES) objects.push(bytes);
  }
  return { objects, hasBinary };
}

interface GroupOfDigits {
  readonly digits: string;
  readonly hasBinary: boolean;
  readonly end: number;
}

/** Reads the group that was entered before `start`. */
function readGroup(rtf: string, start: number): GroupOfDigits {
  const parts: string[] = [];
  const token = new RegExp(TOKEN);
  token.lastIndex = start;
  let hasBinary = false;
  let depth = 0;
  for (let found = token.exec(rtf); found !== null; found = token.exec(rtf)) {
    const [, binary, brace, plain] = found;
    if (binary !== undefined) hasBinary = true;
    if (brace === '{') depth++;
    if (brace === '}' && --depth < 0) break;
    if (plain !== undefined && depth === 0) parts.push(plain.replace(NO_DIGIT, ''));
  }
  return { digits: parts.join(''), hasBinary, end: token.lastIndex === 0 ? rtf.length : token.lastIndex };
}
