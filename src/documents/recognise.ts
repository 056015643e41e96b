/** Recognises formats by the first bytes, regardless of names. */

import { isZlib } from './formats/packed.js';

export type DocumentFormat = 'pdf' | 'zip' | 'ole' | 'gzip' | 'zlib' | 'zstd' | 'archive' | 'rtf' | 'markup' | 'mail';

const ZIP_END = Buffer.from('PK\x05\x06');
/** Size of a ZIP end record with a comment of maximum length. */
const ZIP_TAIL_BYTES = 22 + 65_535;
/** PDF readers search for the header within this range. */
const PDF_HEAD_BYTES = 1_024;

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

/** The media type of a picture, recording, video or font; undefined for other bytes. */
export function mediaTypeOf(bytes: Buffer): string | undefined {
  const head = bytes.toString('latin1', 0, 64);
  return MEDIA.find(([, beginning]) => beginning.test(head))?.[0];
}

/** Every format in which a reader could open the bytes: any data can precede a ZIP, and almost any can precede a PDF. */
export function documentFormatsOf(bytes: Buffer): DocumentFormat[] {
  const formats: DocumentFormat[] = [];
  const head = bytes.toString('latin1', 0, PDF_HEAD_BYTES);
  if (head.includes('%PDF-')) formats.push('pdf');
  if (head.startsWith('PK\x03\x04') || bytes.lastIndexOf(ZIP_END) >= Math.max(0, bytes.length - ZIP_TAIL_BYTES)) {
    formats.push('zip');
  }
  if (head.startsWith('\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1')) formats.push('ole');
  if (head.startsWith('\x1f\x8b\x08')) formats.push('gzip');
  if (/^(?:\x28\xb5\x2f\xfd|[\x50-\x5f]\x2a\x4d\x18)/.test(head)) formats.push('zstd');
  if (isZlib(bytes)) formats.push('zlib');
  if (ARCHIVES.test(head)) formats.push('archive');
  return formats;
}

/** Matches the header of an encoded part of a mail, or an encoded word in a header (RFC 2045, section 6; RFC 2047). */
const CODED_PART =
  /^content-transfer-encoding:[ \t]*(?:base64|quoted-printable)|^[\w-]{1,64}:[^\r\n]{0,1000}=\?[\w-]{1,40}\?[bq]\?/im;

/** The document format of a text, if it has one. */
export function textFormatOf(text: string): Extract<DocumentFormat, 'rtf' | 'markup' | 'mail'> | undefined {
  if (/^\s*\{\\rtf/.test(text.slice(0, 256))) return 'rtf';
  if (CODED_PART.test(text)) return 'mail';
  return /<(?:!doctype|\?xml|!--|\/?[a-z][\w:-]*(?:\s[^<>]{0,1000})?\/?>)/i.test(text) ? 'markup' : undefined;
}
