/** Recognises formats by the first bytes, regardless of names. */

import { hasIndentedPart } from './formats/mail.js';
import { isZlib } from './formats/packed.js';

export type DocumentFormat = 'pdf' | 'zip' | 'ole' | 'gzip' | 'zlib' | 'zstd' | 'archive' | 'rtf' | 'markup' | 'mail';

const ZIP_END = Buffer.from('PK\x05\x06');
/** Size of a ZIP end record with a comment of maximum length. */
const ZIP_TAIL_BYTES = 22 + 65_535;
/** PDF readers search for the header within this range. */
const PDF_HEAD_BYTES = 1_024;
/** The end of the text before the word `obj` at the beginning of an object of a PDF file: two numbers. */
const OBJECT_HEAD = /\d[\0\t\n\f\r ]+\d{1,5}[\0\t\n\f\r ]*$/;
const LONGEST_OBJECT_HEAD = 40;
/** The number of times that the word `obj` is examined; bytes with more of them count as objects. */
const MOST_OBJECT_WORDS = 4_096;

const MEDIA: readonly (readonly [string, RegExp])[] = [
  ['image/png', /^\x89PNG\r\n\x1a\n/],
  ['image/jpeg', /^\xff\xd8\xff/],
  ['image/gif', /^GIF8[79]a/],
  ['image/webp', /^RIFF[^]{4}WEBP/],
  ['image/bmp', /^BM[^]{4}\0\0\0\0/],
  ['image/tiff', /^(?:II\*\0|MM\0\*)/],
  ['image/x-icon', /^\0\0[\x01\x02]\0[^]\0/],
  ['image/emf', /^\x01\0\0\0[^]{36} EMF/],
  ['image/wmf', /^(?:\xd7\xcd\xc6\x9a|[\x01\x02]\0\x09\0\0[\x01\x03])/],
  ['image/jp2', /^\0\0\0\x0cjP {2}\r\n/],
  ['image/heif', /^[^]{4}ftyp(?:avif|avis|heic|heix|hevc|mif1|msf1)/],
  ['video/mp4', /^[^]{4}ftyp/],
  ['video/webm', /^\x1a\x45\xdf\xa3/],
  ['video/mpeg', /^\0\0\x01[\xb3\xba]/],
  ['video/x-msvideo', /^RIFF[^]{4}AVI /],
  ['audio/wav', /^RIFF[^]{4}WAVE/],
  ['audio/mpeg', /^(?:ID3|\xff[\xfb\xfa\xf3\xf2\xe3])/],
  ['audio/aac', /^\xff[\xf1\xf9]/],
  ['audio/ogg', /^OggS/],
  ['audio/flac', /^fLaC/],
  ['font', /^(?:\0\x01\0\0|OTTO|true|wOF[F2])/],
];

const ARCHIVES =
  /^(?:7z\xbc\xaf\x27\x1c|Rar!\x1a\x07|BZh[1-9]|\xfd7zXZ\0|\x04\x22\x4d\x18|MSCF|!<arch>\n|[^]{257}ustar)/;

/** The media type of an image, audio, video or font; undefined for other bytes. */
export function mediaTypeOf(bytes: Buffer): string | undefined {
  const head = bytes.toString('latin1', 0, 64);
  return MEDIA.find(([, beginning]) => beginning.test(head))?.[0];
}

/** Every format in which a reader could open the bytes: any data can precede a ZIP, and almost any can precede a PDF. */
export function documentFormatsOf(bytes: Buffer): DocumentFormat[] {
  const formats: DocumentFormat[] = [];
  const head = bytes.toString('latin1', 0, PDF_HEAD_BYTES);
  const beginsAsZip = head.startsWith('PK\x03\x04');
  // PDF files that a ZIP file contains without compression are read as its members.
  if (head.includes('%PDF-') || (!beginsAsZip && isPdfWithoutHead(bytes))) formats.push('pdf');
  if (beginsAsZip || bytes.subarray(-ZIP_TAIL_BYTES).includes(ZIP_END)) formats.push('zip');
  if (head.startsWith('\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1')) formats.push('ole');
  if (head.startsWith('\x1f\x8b\x08')) formats.push('gzip');
  if (/^(?:\x28\xb5\x2f\xfd|[\x50-\x5f]\x2a\x4d\x18)/.test(head)) formats.push('zstd');
  if (isZlib(bytes)) formats.push('zlib');
  if (ARCHIVES.test(head)) formats.push('archive');
  return formats;
}

/** Whether bytes are a PDF file whose header is missing or comes late. Readers repair such a file: they search for its objects. */
function isPdfWithoutHead(bytes: Buffer): boolean {
  const hasWords = ['endstream', 'endobj'].every((word) => bytes.includes(word));
  return hasWords && ['startxref', 'trailer'].some((word) => bytes.includes(word)) && hasObject(bytes);
}

/** Whether an object of a PDF file begins anywhere, such as `4 0 obj`. */
function hasObject(bytes: Buffer): boolean {
  let at = bytes.indexOf('obj');
  for (let count = 0; at >= 0 && count < MOST_OBJECT_WORDS; count++) {
    if (OBJECT_HEAD.test(bytes.toString('latin1', Math.max(0, at - LONGEST_OBJECT_HEAD), at))) return true;
    at = bytes.indexOf('obj', at + 1);
  }
  return at >= 0;
}

/** Matches the header of an encoded part of a mail, or an encoded word in a header (RFC 2045, section 6; RFC 2047). */
const CODED_PART =
  /^content-transfer-encoding[ \t]*:(?![ \t]*(?:7bit|8bit|binary)[ \t]*\r?$)|^[\w-]{1,64}[ \t]*:[^\r\n]{0,1000}=\?[\w-]{1,40}\?[bq]\?/im;

/** Matches a declaration, a comment or a tag of HTML or XML. Names consist of ASCII letters, digits, `-.:_` and other letters. */
const MARKUP = /<(?:!doctype|\?xml|!--|\/?[^\s\0-@[-^`{-\x7f][^\s\0-,/;-@[-^`{-\x7f]*(?:\s[^<>]{0,1000})?\/?>)/i;

/** The document formats in which a text can be opened: a file that begins like RTF can also be a mail or a page for other readers. */
export function textFormatsOf(text: string): Extract<DocumentFormat, 'rtf' | 'markup' | 'mail'>[] {
  const formats: Extract<DocumentFormat, 'rtf' | 'markup' | 'mail'>[] = [];
  if (/^\s*\{\\rtf/.test(text.slice(0, 256))) formats.push('rtf');
  // The reader of mails also reads markup.
  if (CODED_PART.test(text) || hasIndentedPart(text)) formats.push('mail');
  else if (MARKUP.test(text)) formats.push('markup');
  return formats;
}
