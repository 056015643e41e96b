/** The properties of a body that follow from its content type. */
export type BodyKind = 'multipart' | 'form' | 'text' | 'binary' | 'unknown';

const MULTIPART = /^multipart\//i;
const FORM = /^application\/x-www-form-urlencoded\b/i;
const TEXT = /^text\/|[/+](?:json|xml)\b|ndjson|jsonl|json-seq|javascript|ecmascript|yaml|toml|graphql|\bsql\b/i;
const BINARY =
  /^(?:image|audio|video|font|model)\/|^application\/(?:pdf|zip|gzip|zstd|x-tar|x-7z-compressed|vnd\.(?:openxmlformats|ms-)[\w.-]*)/i;
/** Encodings in which ASCII characters are not their own bytes. */
const OTHER_THAN_ASCII = /^(?:utf-?(?:7|16|32)|ucs|iso-?10646|iso-2022|hz|ebcdic|cp037|ibm)/i;

/** @returns `unknown` without a header, and for types that do not describe the content, such as octet-stream */
export function kindOfType(contentType: string | undefined): BodyKind {
  const type = contentType?.trim() ?? '';
  if (MULTIPART.test(type)) return 'multipart';
  if (FORM.test(type)) return 'form';
  if (TEXT.test(type.split(';', 1)[0]!)) return 'text';
  return BINARY.test(type) ? 'binary' : 'unknown';
}

/** Whether ASCII characters in a body of this type have their own bytes, whatever its other bytes mean. */
export function isReadableCharset(contentType: string | undefined): boolean {
  return !OTHER_THAN_ASCII.test(parameterOf(contentType ?? '', 'charset') ?? '');
}

const WIDE_MARKS = ['\xff\xfe', '\xfe\xff', '\0\0\xfe\xff'];

/** Whether bytes begin like UTF-16 or UTF-32: with a mark, or with ASCII characters of more than one byte. */
export function looksWide(bytes: Buffer): boolean {
  const start = bytes.subarray(0, 8);
  const text = start.toString('latin1');
  if (WIDE_MARKS.some((mark) => text.startsWith(mark))) return true;
  return start.length === 8 && [2, 4].some((width) => isSpread(start, width));
}

/** Whether in each group of `width` bytes only the first, or only the last, is not zero. */
function isSpread(bytes: Buffer, width: number): boolean {
  return [0, width - 1].some((place) => bytes.every((byte, at) => (byte !== 0) === (at % width === place)));
}

/** A parameter of a header such as `text/plain; charset="utf-8"` (RFC 9110, section 5.6.6). */
export function parameterOf(header: string, name: string): string | undefined {
  const match = new RegExp(`;\\s*${name}\\s*=\\s*(?:"((?:[^"\\\\]|\\\\.)*)"|([^\\s;"]+))`, 'i').exec(header);
  return match?.[1]?.replace(/\\(.)/g, '$1') ?? match?.[2];
}
