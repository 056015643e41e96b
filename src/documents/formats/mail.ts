/** The decoded texts of a mail. */
export interface MailTexts {
  /** Its header lines with decoded words. */
  readonly heads: string;
  /** Its decoded parts: texts and files. Decoded lazily, since parts of a malformed mail can overlap. */
  readonly parts: Iterable<Buffer>;
  /** Whether a part has a transfer encoding that is not decoded, such as `x-uuencode`. */
  readonly isUnread: boolean;
}

/** A header can continue on lines that begin with white space. */
const CODED_PART = /^content-transfer-encoding[ \t]*:([^\r\n]{0,1000}(?:\r?\n[ \t][^\r\n]{0,1000}){0,8})/gim;
const COMMENT = /\([^()]*\)/g;
/** The number of comments in comments that are removed. */
const MOST_LEVELS = 8;
/** Encodings that leave the content as it is (RFC 2045, section 6.2). */
const NO_CODINGS: ReadonlySet<string> = new Set(['', '7bit', '8bit', 'binary']);
const DECODED: ReadonlySet<string> = new Set(['base64', 'quoted-printable']);
const BOUNDARY = /boundary[ \t]*=[ \t]*(?:"([^"\r\n]{1,200})"|([^\s;"]{1,200}))/gi;
const BLANK_LINE = /\r?\n[ \t]*\r?\n/g;

/**
 * Decodes the encoded parts of a mail (RFC 2045, 2046), at any position, and its encoded words (RFC 2047). Parts without an encoding
 * are read with the text of the mail itself.
 */
export function mailTexts(mail: string): MailTexts {
  const codings = Array.from(mail.matchAll(CODED_PART), ([, value = '']) => codingOf(value));
  const isUnread = codings.some((coding) => !NO_CODINGS.has(coding) && !DECODED.has(coding));
  return { heads: codedWords(mail), parts: codedParts(mail), isUnread };
}

/** The name of a transfer encoding, without comments, in lower case. */
function codingOf(value: string): string {
  let rest = value;
  for (let level = 0; level < MOST_LEVELS && rest.includes('('); level++) rest = rest.replace(COMMENT, ' ');
  return /[\w-]+/.exec(rest)?.[0].toLowerCase() ?? '';
}

function* codedParts(mail: string): Generator<Buffer, void> {
  const boundaries = new Set([...mail.matchAll(BOUNDARY)].map(([, quoted, plain]) => quoted ?? plain ?? ''));
  const lines = linesOf(mail).filter(({ line }) => line.startsWith('--') && isDelimiter(line, boundaries));
  let next = 0;
  let start = 0;
  let codings = new Set<string>();
  for (const { 0: head, 1: value = '', index } of mail.matchAll(CODED_PART)) {
    const coding = codingOf(value);
    if (!DECODED.has(coding)) continue;
    if (index >= start) {
      BLANK_LINE.lastIndex = index + head.length;
      const blank = BLANK_LINE.exec(mail);
      if (blank === null) return;
      start = blank.index + blank[0].length;
      codings = new Set();
    }
    // One header block can name an encoding twice.
    if (codings.has(coding)) continue;
    codings.add(coding);
    while (next < lines.length && lines[next]!.at < start) next++;
    yield decoded(mail.slice(start, lines[next]?.at ?? mail.length), coding);
  }
}

function linesOf(text: string): { line: string; at: number }[] {
  return Array.from(text.matchAll(/[^\r\n]+/g), ({ 0: line, index }) => ({ line, at: index }));
}

function isDelimiter(line: string, boundaries: ReadonlySet<string>): boolean {
  const name = line.slice(2).trimEnd();
  return boundaries.has(name) || (name.endsWith('--') && boundaries.has(name.slice(0, -2)));
}

function decoded(content: string, coding: string): Buffer {
  return coding === 'base64' ? Buffer.from(content, 'base64') : quotedPrintable(content);
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
