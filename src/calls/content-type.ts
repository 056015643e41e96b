import { parse } from 'fast-content-type-parse';
import { isAsciiCharset, isTwoByteCharset } from '../core/index.js';
import { UnreadableBody } from './unreadable-body.js';

/** A media type with its parameters, by the grammar of RFC 9110 (section 8.3.1). An ambiguous one is refused. */
export interface ContentType {
  /** The media type, in lower case. */
  readonly type: string;
  /** The parameters, by name in lower case. */
  readonly parameters: Readonly<Record<string, string>>;
}

const PARAMETER = /;[ \t]*([^\s;="]+)=(?:"(?:[^"\\]|\\.)*"|[^\s;"]*)/g;
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
  if (charset === undefined || isAsciiCharset(charset)) return;
  throw new UnreadableBody('must be text in UTF-8', 'content-type');
}

/** Whether the byte of an ASCII letter may be the second half of another character. */
export function isTwoByteSet(type: ContentType | undefined): boolean {
  return isTwoByteCharset(type?.parameters['charset'] ?? '');
}

function parsed(header: string): ContentType | undefined {
  try {
    return parse(header);
  } catch {
    return undefined;
  }
}
