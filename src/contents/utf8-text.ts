/** A byte that is not part of any UTF-8 sequence stands as this and the byte: a lone surrogate, which no text holds. */
const STRAY = 0xdc00;
const STRAYS = /[\udc80-\udcff]/;
const LEAD = /^[\ud800-\udbff]$/;

/**
 * Reads bytes that come in pieces as UTF-8, so that the text can be turned back into the very same bytes, whatever they
 * are (as Python's `surrogateescape`, PEP 383, does it).
 */
export class Utf8Pieces {
  private rest: Buffer = Buffer.alloc(0);

  /** The characters that this piece completes. */
  push(piece: Buffer): string {
    const bytes = this.rest.length === 0 ? piece : Buffer.concat([this.rest, piece]);
    const end = bytes.length - unfinished(bytes);
    this.rest = ownCopy(bytes.subarray(end));
    return utf8Text(bytes.subarray(0, end));
  }

  /** What is left when nothing follows. */
  end(): string {
    const text = utf8Text(this.rest);
    this.rest = Buffer.alloc(0);
    return text;
  }
}

/** A view would keep the network buffer that it is of. */
function ownCopy(view: Buffer): Buffer {
  const own = Buffer.alloc(view.length);
  view.copy(own);
  return own;
}

/** The bytes that a text was read from. */
export function utf8Bytes(text: string): Buffer {
  if (!STRAYS.test(text)) return Buffer.from(text);
  const parts: Buffer[] = [];
  let from = 0;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    const isStray = unit >= STRAY + 0x80 && unit <= STRAY + 0xff && !LEAD.test(text.charAt(at - 1));
    if (!isStray) continue;
    parts.push(Buffer.from(text.slice(from, at)), Buffer.of(unit - STRAY));
    from = at + 1;
  }
  return Buffer.concat([...parts, Buffer.from(text.slice(from))]);
}

/** All bytes as text, in the same way: `utf8Bytes` gives the very same ones back. */
export function utf8Text(bytes: Buffer): string {
  const text = bytes.toString('utf8');
  if (!text.includes('\ufffd') || Buffer.from(text).equals(bytes)) return text;
  let out = '';
  for (let at = 0; at < bytes.length;) {
    const length = sequenceLength(bytes, at);
    out += length === 0 ? String.fromCharCode(STRAY + bytes[at]!) : bytes.toString('utf8', at, at + length);
    at += Math.max(length, 1);
  }
  return out;
}

/** Length of the well-formed sequence at a place, 0 when there is none (Unicode 16, table 3-7). */
function sequenceLength(bytes: Buffer, at: number): number {
  const length = announced(bytes[at]!);
  if (length === 0 || at + length > bytes.length) return 0;
  return bytes.toString('utf8', at, at + length).includes('\ufffd') && !isReplacement(bytes, at) ? 0 : length;
}

function isReplacement(bytes: Buffer, at: number): boolean {
  return bytes[at] === 0xef && bytes[at + 1] === 0xbf && bytes[at + 2] === 0xbd;
}

function announced(lead: number): number {
  if (lead < 0x80) return 1;
  if (lead < 0xc2 || lead > 0xf4) return 0;
  return lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
}

/** How many bytes at the end may be the beginning of a character. */
function unfinished(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back]!;
    if (byte >= 0x80 && byte < 0xc0) continue;
    return announced(byte) > back ? back : 0;
  }
  return 0;
}
