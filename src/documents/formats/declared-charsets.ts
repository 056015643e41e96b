/**
 * Readers of document formats, each from bytes to texts. This one reads texts in the encodings that they declare, as other readers do.
 */
import { isUtf8 } from 'node:buffer';
import { atOnce, isAsciiCharset, isTwoByteCharset, isWideCharset, readingTwoBytes } from '../../core/index.js';

/** Declarations of XML and HTML, which readers search for at the beginning of a file. */
const IN_XML = /<\?xml\s[^<>]{0,200}?\bencoding\s*=\s*["']([\w.:-]{1,40})/gi;
const IN_HTML = /<meta\s[^<>]{0,300}?\bcharset\s*=\s*["']?\s*([\w.:-]{1,40})/gi;
const HEAD_CHARACTERS = 65_536;
/** Content types in the headers of a mail and of its parts. */
const IN_MAIL =
  /^content-type[ \t]*:[^\r\n]{0,300}(?:\r?\n[ \t][^\r\n]{0,300}){0,3}?\bcharset[ \t]*=[ \t]*"?([\w.:-]{1,40})/gim;
/** Names that mail programs write for an unknown encoding: no reader knows them. */
const NO_CHARSET = /^(?:x-)?(?:unknown(?:-8bit)?|binary|default|none|user-defined)$/i;
/** A text with this encoding is ASCII, except between escape sequences. */
const JAPANESE_MAIL = 'iso-2022-jp';

/** The encodings that a text declares. */
export function charsetsIn(text: string): string[] {
  const head = text.slice(0, HEAD_CHARACTERS);
  const found = [...head.matchAll(IN_XML), ...head.matchAll(IN_HTML), ...text.matchAll(IN_MAIL)];
  return [...new Set(found.map(([, name = '']) => name.toLowerCase()))];
}

/** What readers find in bytes if they follow declared encodings. */
interface OtherReadings {
  readonly texts: readonly string[];
  /** Whether an encoding is declared that is not known, or whose ASCII characters have other bytes. */
  readonly isUnread: boolean;
}

/** Reads bytes of a text, in UTF-8 or in another encoding that contains ASCII, in their declared encodings. */
export function inDeclaredCharsets(bytes: Buffer, charsets: readonly string[]): OtherReadings {
  const texts: string[] = [];
  let isTwoByte = !isUtf8(bytes);
  let isUnread = false;
  for (const charset of charsets) {
    // Readers can only read the declaration if the characters are not wide.
    if (isWideCharset(charset) || NO_CHARSET.test(charset)) continue;
    const decoder = decoderOf(charset);
    if (decoder?.encoding === JAPANESE_MAIL) texts.push(decoder.decode(bytes));
    if (isTwoByteCharset(decoder?.encoding ?? charset)) isTwoByte = true;
    if (decoder === undefined && !isAsciiCharset(charset)) isUnread = true;
  }
  if (isTwoByte) texts.push(atOnce(readingTwoBytes(bytes.toString('latin1'))).join('\n'));
  return { texts, isUnread };
}

/** The decoder of the platform, whose encodings contain ASCII, except for wide ones and `JAPANESE_MAIL`. */
function decoderOf(charset: string): InstanceType<typeof TextDecoder> | undefined {
  try {
    return new TextDecoder(charset);
  } catch {
    return undefined;
  }
}
