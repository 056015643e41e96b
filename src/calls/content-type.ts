import { parse } from 'fast-content-type-parse';
import { UnreadableBody } from './unreadable-body.js';

/** A media type with its parameters, by the grammar of RFC 9110 (section 8.3.1). An ambiguous one is refused. */
export interface ContentType {
  /** The media type, in lower case. */
  readonly type: string;
  /** The parameters, by name in lower case. */
  readonly parameters: Readonly<Record<string, string>>;
}

const PARAMETER = /;[ \t]*([^\s;="]+)=(?:"(?:[^"\\]|\\.)*"|[^\s;"]*)/g;
/** Character sets in which bytes below 0x80 are ASCII, whatever the other bytes mean. */
const ASCII_SETS =
  /^(?:utf-?8|(?:us-?)?ascii|(?:iso[-_]?)?8859[-_]\d{1,2}|latin-?\d|l[1-9]|windows-?(?:125[0-8]|874|31j)|cp-?(?:125[0-8]|437|85[0-8]|86[0-9]|874|93[26]|9[45]9|950)|koi8-[ru]|gb2312|gbk|gb18030|big5(?:-hkscs)?|shift[-_]jis|sjis|euc-(?:jp|kr|tw)|ks_c_5601-1987|tis-620|macintosh)$/i;

/**
 * The `ASCII_SETS` in which the byte of an ASCII letter may also be the second half of another character. Web decoders read
 * some of these names as larger sets: https://encoding.spec.whatwg.org/#names-and-labels.
 */
const TWO_BYTE_SETS =
  /^(?:windows-31j|cp-?(?:93[26]|9[45]9|950)|gb2312|gbk|gb18030|big5(?:-hkscs)?|shift[-_]jis|sjis|euc-kr|ks_c_5601-1987)$/i;

/**
 * The content type of a body or of a part.
 *
 * @throws UnreadableBody for a header that two readers could interpret differently: no media type, a parameter that is given
 * twice, or in its extended form (`boundary*`)
 */
export function contentTypeOf(header: string | undefined): ContentType | undefined {
  if (header === undefined) return undefined;
  const read = parsed(header);
  if (read === undefined) throw new UnreadableBody('must be a media type with its parameters', 'content-type');
  if (!header.includes(';')) return read;
  const names = [...header.matchAll(PARAMETER)].map((match) => match[1]!.toLowerCase());
  if (new Set(names).size < names.length || names.some((name) => name.includes('*'))) {
    throw new UnreadableBody('must not repeat a parameter or use its extended form, such as boundary*', 'content-type');
  }
  return read;
}

/** @throws UnreadableBody for a character set that is unknown, or in which ASCII characters have other bytes */
export function requireAsciiSet(type: ContentType | undefined): void {
  const charset = type?.parameters['charset'];
  if (charset === undefined || ASCII_SETS.test(charset)) return;
  throw new UnreadableBody('must be text in UTF-8', 'content-type');
}

/** Whether the byte of an ASCII letter may be the second half of another character. */
export function isTwoByteSet(type: ContentType | undefined): boolean {
  return TWO_BYTE_SETS.test(type?.parameters['charset'] ?? '');
}

function parsed(header: string): ContentType | undefined {
  try {
    return parse(header);
  } catch {
    return undefined;
  }
}
