/** The first characters of files in base64, and the letters of base64. */

/** The first characters of files in base64: PDF, ZIP, old Office, gzip, zlib, zstd, bzip2, xz, 7z, RAR, LZ4, CAB, RTF, HTML and XML. */
export const FILE_BEGINNINGS = [
  'JVBERi0',
  'UEsDB',
  '0M8R4KGx',
  'H4sI',
  ...['eAE', 'eAF', 'eF4', 'eF5', 'eJw', 'eJx', 'eJy', 'eJz', 'eNo', 'eNp', 'eNq', 'eNr'],
  'KLUv',
  ...['QlpoM', 'QlpoN', 'QlpoO'],
  ...['/Td6WFoA', '_Td6WFoA'],
  'N3q8rycc',
  'UmFyIRoH',
  'BCJNG',
  'TVNDRgAAAA',
  'e1xydG',
  'PCFET0NUWVBF',
  'PCFkb2N0eXBl',
  'PGh0bWw',
  'PD94bWwg',
] as const;
/** Minimum number of base64 characters after a beginning. */
export const MIN_LETTERS_BEHIND = 40;
/** The minimum length of a file in base64. */
export const SHORTEST_FILE = Math.min(...FILE_BEGINNINGS.map(({ length }) => length)) + MIN_LETTERS_BEHIND;

const FIRST_LETTERS: ReadonlySet<string> = new Set(FILE_BEGINNINGS.map((one) => one.charAt(0)));

/** The first characters of the file that begins at an index; undefined if none does. */
export function beginningAt(value: string, start: number): string | undefined {
  if (!FIRST_LETTERS.has(value.charAt(start))) return undefined;
  return FILE_BEGINNINGS.find((one) => value.startsWith(one, start));
}

/** The number of letters of a line of base64 in mails. */
const MAIL_LINE = 76;
/** Shorter beginnings, those of zlib, also occur by chance at the beginning of a line. */
const SHORTEST_CLEAR_BEGINNING = 4;

/**
 * Whether another file begins at an index, in the line after the first one of a file. Later lines of one file can begin in the same way: a
 * ZIP file contains its first characters before each entry.
 * @param before the number of letters of the first line, which can be a whole file only if it is long enough
 */
export function beginsAnotherFile(value: string, start: number, before: number): boolean {
  const beginning = beginningAt(value, start);
  if (beginning === undefined) return false;
  return beginning.length < SHORTEST_CLEAR_BEGINNING ? before > MAIL_LINE : before >= SHORTEST_FILE;
}

/** The characters of both base64 alphabets, without padding, by code. */
const IS_LETTER = Uint8Array.from({ length: 128 }, (_, code) =>
  Number(/[A-Za-z0-9+/_-]/.test(String.fromCharCode(code))),
);

/** Whether a character of either base64 alphabet is at an index; false beyond the end of the text. */
export function isLetter(value: string, at: number): boolean {
  return IS_LETTER[value.charCodeAt(at)] === 1;
}
