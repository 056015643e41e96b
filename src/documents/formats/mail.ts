/** The decoded texts of a mail. */
export interface MailTexts {
  /** Its header lines with decoded words. */
  readonly heads: string;
  /** Its decoded parts: texts and files. Decoded lazily, since parts of a malformed mail can overlap. */
  readonly parts: Iterable<Buffer>;
  /** Whether a part has a transfer encoding that is not decoded, such as `x-uuencode`. */
  readonly isUnread: boolean;
}

/**
 * A header can continue on lines that begin with white space. Before each line can be the indentation of a mail in another text; there,
 * lines with nothing else end the header, since an indented text has many of them.
 */
const CODED_PART =
  /^(?:content-transfer-encoding[ \t]*:([^\r\n]{0,1000}(?:\r?\n[ \t][^\r\n]{0,1000}){0,8})|([ \t>]{1,16})content-transfer-encoding[ \t]*:([^\r\n]{0,1000}(?:\r?\n\2[ \t]{1,64}\S[^\r\n]{0,1000}){0,8}))/gim;
/** The value of an indented header that names an encoding. Keys of YAML and examples in documentation have none or other values. */
const ONE_TOKEN = /^[ \t]*[\w-]+[ \t]*(?:[;(\r\n]|$)/;
const COMMENT = /\([^()]*\)/g;
/** The number of comments in comments that are removed. */
const MOST_LEVELS = 8;
/** Encodings that leave the content as it is (RFC 2045, section 6.2). */
const NO_CODINGS: ReadonlySet<string> = new Set(['', '7bit', '8bit', 'binary']);
const DECODED: ReadonlySet<string> = new Set(['base64', 'quoted-printable']);
const BOUNDARY = /boundary[ \t]*=[ \t]*(?:"([^"\r\n]{1,200})"|([^\s;"]{1,200}))/gi;
const BLANK_LINE = /\r?\n[ \t]*(?:>[ \t>]*)?\r?\n/g;
/** The beginning of a line that can end a part: white space and marks of quotations, and the hyphens of a delimiter. */
const DELIMITER_HEAD = /^([ \t>]{0,16})--/;
/** Characters that some readers of base64 decode (RFC 4648, section 5) and others ignore (RFC 2045, section 6.8). */
const OTHER_LETTERS = /[-_]/g;

/**
 * Decodes the encoded parts of a mail (RFC 2045, 2046), at any position, and its encoded words (RFC 2047). Parts without an encoding
 * are read with the text of the mail itself.
 */
export function mailTexts(mail: string): MailTexts {
  return { heads: codedWords(mail), parts: codedParts(mail), isUnread: codedHeads(mail).some(isUnknown) };
}

/** Whether a text contains an indented mail with an encoded part. */
export function hasIndentedPart(text: string): boolean {
  return codedHeads(text).some((head) => head.before !== '' && (DECODED.has(head.coding) || isUnknown(head)));
}

/** A header that names the encoding of a part. */
interface CodedHead {
  /** What precedes each line of the mail. */
  readonly before: string;
  readonly value: string;
  readonly coding: string;
  readonly start: number;
  readonly end: number;
}

function codedHeads(mail: string): CodedHead[] {
  return Array.from(mail.matchAll(CODED_PART), ({ 0: head, 1: plain, 2: before = '', 3: indented = '', index }) => {
    const value = plain ?? indented;
    // The line that separates the headers from the content can contain white space, as if it continued the header.
    return { before, value, coding: codingOf(value), start: index, end: index + head.trimEnd().length };
  });
}

function isUnknown({ before, value, coding }: CodedHead): boolean {
  return !NO_CODINGS.has(coding) && !DECODED.has(coding) && (before === '' || ONE_TOKEN.test(value));
}

/** The name of a transfer encoding, without comments, in lower case. */
function codingOf(value: string): string {
  let rest = value;
  for (let level = 0; level < MOST_LEVELS && rest.includes('('); level++) rest = rest.replace(COMMENT, ' ');
  return /[\w-]+/.exec(rest)?.[0].toLowerCase() ?? '';
}

function* codedParts(mail: string): Generator<Buffer, void> {
  const delimiters = delimitersOf(mail);
  let start = 0;
  let codings = new Set<string>();
  for (const head of codedHeads(mail)) {
    const { before, coding } = head;
    if (!DECODED.has(coding)) continue;
    if (head.start >= start) {
      BLANK_LINE.lastIndex = head.end;
      const blank = BLANK_LINE.exec(mail);
      if (blank === null) return;
      start = blank.index + blank[0].length;
      codings = new Set();
    }
    // One header block can name an encoding twice.
    if (codings.has(coding)) continue;
    codings.add(coding);
    const end = delimiters.get(before)?.nextFrom(start) ?? mail.length;
    yield* decoded(withoutIndentation(mail.slice(start, end), before), coding);
  }
}

/** The lines that end parts, by what precedes their hyphens: only lines that begin like the headers of a part end it. */
function delimitersOf(mail: string): Map<string, Places> {
  const boundaries = new Set([...mail.matchAll(BOUNDARY)].map(([, quoted, plain]) => quoted ?? plain ?? ''));
  const delimiters = new Map<string, Places>();
  for (const { 0: line, index } of mail.matchAll(/[^\r\n]+/g)) {
    const before = DELIMITER_HEAD.exec(line)?.[1];
    if (before === undefined || !isDelimiter(line.slice(before.length), boundaries)) continue;
    const places = delimiters.get(before) ?? new Places();
    places.add(index);
    delimiters.set(before, places);
  }
  return delimiters;
}

/** Positions in ascending order. */
class Places {
  private readonly all: number[] = [];
  private next = 0;

  add(place: number): void {
    this.all.push(place);
  }

  /** The first position from a position on, which is not before that of an earlier call. */
  nextFrom(start: number): number | undefined {
    while (this.next < this.all.length && this.all[this.next]! < start) this.next++;
    return this.all[this.next];
  }
}

/** The content of a part without what precedes each of its lines and its headers. */
function withoutIndentation(content: string, before: string): string {
  if (before === '') return content;
  const lines = content.split('\n');
  return lines.map((line) => (line.startsWith(before) ? line.slice(before.length) : line)).join('\n');
}

function isDelimiter(line: string, boundaries: ReadonlySet<string>): boolean {
  const name = line.slice(2).trimEnd();
  return boundaries.has(name) || (name.endsWith('--') && boundaries.has(name.slice(0, -2)));
}

function* decoded(content: string, coding: string): Generator<Buffer, void> {
  if (coding !== 'base64') {
    yield quotedPrintable(content);
    return;
  }
  yield Buffer.from(content, 'base64');
  const strict = content.replace(OTHER_LETTERS, '');
  if (strict.length < content.length) yield Buffer.from(strict, 'base64');
}

/** RFC 2045, section 6.7. */
function quotedPrintable(content: string): Buffer {
  const whole = content.replace(/=[ \t]*\r?\n/g, '');
  const bytes = Buffer.from(whole, 'utf8').toString('latin1');
  return Buffer.from(
    bytes.replace(/=([0-9a-f]{2})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16))),
    'latin1',
  );
}

/** The lines with encoded words, decoded; white space between two encoded words is removed. */
function codedWords(mail: string): string {
  const folded = mail.replace(/(\?=)\s+(?==\?)/g, '$1');
  return folded
    .split(/\r?\n/)
    .filter((line) => CODED_WORD.test(line))
    .map((line) => line.replace(CODED_WORDS, (_, coding: string, word: string) => decodedWord(coding, word)))
    .join('\n');
}

const CODED_WORD = /=\?[\w-]{1,40}(?:\*[\w-]{1,20})?\?[bq]\?/i;
const CODED_WORDS = /=\?[\w-]{1,40}(?:\*[\w-]{1,20})?\?([bq])\?([^?\s]{0,2000})\?=/gi;

function decodedWord(coding: string, word: string): string {
  if (coding.toLowerCase() === 'b') return Buffer.from(word, 'base64').toString('utf8');
  return quotedPrintable(word.replaceAll('_', ' ')).toString('utf8');
}
