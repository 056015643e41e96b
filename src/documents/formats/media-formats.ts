import { oneStep, THINGS_BETWEEN_STOPS, isStop, type Steps } from '../../core/index.js';

/**
 * Images, audio and video, recognised by their structure: a forger only has to copy the beginning, so each format is walked from its first
 * byte to its end, and content with data after the end is not recognised.
 */

/** The end of the structure that begins at 0; undefined for another format. */
type Walk = (bytes: Buffer) => Steps<number | undefined>;

interface MediaFormat {
  readonly type: string;
  readonly walk: Walk;
}

/** The number of bytes that are examined in less than a millisecond. */
const BYTES_AT_ONCE = 65_536;

const ascii = (bytes: Buffer, at: number, length = 4): string => bytes.toString('latin1', at, at + length);
const LETTERS = /^[A-Za-z0-9 ©_-]{4}$/;

/** https://www.w3.org/TR/png-3/#5DataRep */
function* png(bytes: Buffer): Steps<number | undefined> {
  if (ascii(bytes, 0, 8) !== '\x89PNG\r\n\x1a\n' || ascii(bytes, 12) !== 'IHDR') return undefined;
  for (let at = 8, chunk = 1; at + 12 <= bytes.length; chunk++) {
    if (isStop(chunk)) yield;
    const type = ascii(bytes, at + 4);
    if (!/^[A-Za-z]{4}$/.test(type)) return undefined;
    at += 12 + bytes.readUInt32BE(at);
    if (type === 'IEND') return at;
  }
  return undefined;
}

/** ITU T.81, annex B: segments, and after `SOS` coded data in which FF is followed by 00 or a restart marker. */
function* jpeg(bytes: Buffer): Steps<number | undefined> {
  if (bytes[0] !== 0xff || bytes[1] !== 0xd8 || bytes[2] !== 0xff) return undefined;
  for (let at = 2, segment = 1; at + 4 <= bytes.length || bytes[at + 1] === 0xd9; segment++) {
    if (isStop(segment)) yield;
    if (bytes[at] !== 0xff) return undefined;
    const marker = bytes[at + 1]!;
    if (marker === 0xff) {
      at += 1;
      continue;
    }
    if (marker === 0xd9) return at + 2;
    if (marker < 0xc0 || (marker >= 0xd0 && marker <= 0xd8)) return undefined;
    at += 2 + bytes.readUInt16BE(at + 2);
    if (marker !== 0xda) continue;
    at = yield* endOfScan(bytes, at);
    if (at < 0) return undefined;
  }
  return undefined;
}

function* endOfScan(bytes: Buffer, from: number): Steps<number> {
  let seen = 1;
  for (let at = bytes.indexOf(0xff, from); at >= 0; at = bytes.indexOf(0xff, at + 1), seen++) {
    if (seen % THINGS_BETWEEN_STOPS === 0) yield;
    const next = bytes[at + 1] ?? 0;
    if (next !== 0 && next !== 0xff && (next < 0xd0 || next > 0xd7)) return at;
  }
  return -1;
}

/** https://www.w3.org/Graphics/GIF/spec-gif89a.txt */
function* gif(bytes: Buffer): Steps<number | undefined> {
  if (!/^GIF8[79]a$/.test(ascii(bytes, 0, 6)) || bytes.length < 14) return undefined;
  const colours = (flags: number): number => ((flags & 0x80) === 0 ? 0 : 3 << ((flags & 7) + 1));
  let at = 13 + colours(bytes[10]!);
  let seen = 1;
  while (at < bytes.length) {
    const block = bytes[at]!;
    if (block === 0x3b) return at + 1;
    if (block === 0x2c && at + 10 < bytes.length) at += 11 + colours(bytes[at + 9]!);
    else if (block === 0x21) at += 2;
    else return undefined;
    for (let size = bytes[at] ?? 0; ; size = bytes[at] ?? 0) {
      if (seen++ % THINGS_BETWEEN_STOPS === 0) yield;
      at += 1 + size;
      if (at > bytes.length) return undefined;
      if (size === 0) break;
    }
  }
  return undefined;
}

/** Chunks after a name, a length and a kind. @param littleEndian true for RIFF, false for IFF */
function chunks(name: string, kinds: RegExp, littleEndian: boolean): Walk {
  return function* (bytes) {
    if (ascii(bytes, 0) !== name || !kinds.test(ascii(bytes, 8)) || bytes.length < 20) return undefined;
    const sizeAt = (at: number): number => (littleEndian ? bytes.readUInt32LE(at) : bytes.readUInt32BE(at));
    const declared = sizeAt(4);
    // A program that writes into a pipe cannot know the length in advance.
    const isOpen = declared === 0 || declared >= 0xffff_ff00 || declared === 0x7fff_ffff;
    const end = isOpen ? bytes.length : 8 + declared;
    if (end > bytes.length + 1) return undefined;
    for (let at = 12, chunk = 1; at + 8 <= Math.min(end, bytes.length); chunk++) {
      if (isStop(chunk)) yield;
      if (!LETTERS.test(ascii(bytes, at))) return undefined;
      const size = sizeAt(at + 4);
      if (isOpen && at + 8 + size > bytes.length) return bytes.length;
      at += 8 + size + (size % 2);
      if (at > end + 1) return undefined;
    }
    return Math.min(end + (end % 2), bytes.length);
  };
}

/** https://learn.microsoft.com/windows/win32/gdi/bitmap-storage */
function bmp(bytes: Buffer): number | undefined {
  if (ascii(bytes, 0, 2) !== 'BM' || bytes.length < 30) return undefined;
  const isHeader = [12, 40, 52, 56, 64, 108, 124].includes(bytes.readUInt32LE(14));
  const pixels = bytes.readUInt32LE(10);
  return isHeader && pixels < bytes.length && bytes.readUInt32LE(2) === bytes.length ? bytes.length : undefined;
}

/** TIFF 6.0, section 2: the first directory has entries of known types. */
function tiff(bytes: Buffer): number | undefined {
  const isLittle = ascii(bytes, 0) === 'II*\0';
  if ((!isLittle && ascii(bytes, 0) !== 'MM\0*') || bytes.length < 16) return undefined;
  const short = (at: number): number => (isLittle ? bytes.readUInt16LE(at) : bytes.readUInt16BE(at));
  const directory = isLittle ? bytes.readUInt32LE(4) : bytes.readUInt32BE(4);
  if (directory < 8 || directory + 2 > bytes.length) return undefined;
  const entries = short(directory);
  if (entries === 0 || directory + 2 + entries * 12 > bytes.length) return undefined;
  for (let entry = 0; entry < entries; entry++) {
    const type = short(directory + 4 + entry * 12);
    if (type === 0 || type > 13) return undefined;
  }
  return bytes.length;
}

/** ISO/IEC 14496-12: boxes up to the end; the first one names the kind. */
function boxes(brands: RegExp): Walk {
  return function* (bytes) {
    if (ascii(bytes, 4) !== 'ftyp' || !brands.test(ascii(bytes, 8))) return undefined;
    let seen = 0;
    let at = 0;
    while (at + 8 <= bytes.length) {
      if (!LETTERS.test(ascii(bytes, at + 4))) return undefined;
      const size = bytes.readUInt32BE(at);
      const length = size === 1 && at + 16 <= bytes.length ? Number(bytes.readBigUInt64BE(at + 8)) : size;
      if (++seen % THINGS_BETWEEN_STOPS === 0) yield;
      if (size === 0) return seen > 1 ? bytes.length : undefined;
      if (length < 8 || at + length > bytes.length) return undefined;
      at += length;
    }
    return seen > 1 ? at : undefined;
  };
}

/** https://xiph.org/ogg/doc/framing.html */
function* ogg(bytes: Buffer): Steps<number | undefined> {
  let at = 0;
  let pages = 0;
  while (at + 27 <= bytes.length && ascii(bytes, at) === 'OggS' && bytes[at + 4] === 0) {
    const lacing = bytes.subarray(at + 27, at + 27 + bytes[at + 26]!);
    at += 27 + lacing.length + lacing.reduce((sum, size) => sum + size, 0);
    if (++pages % THINGS_BETWEEN_STOPS === 0) yield;
  }
  return at > 0 && at <= bytes.length ? at : undefined;
}

/** RFC 9639: metadata blocks, then frames. */
function* flac(bytes: Buffer): Steps<number | undefined> {
  if (ascii(bytes, 0) !== 'fLaC') return undefined;
  for (let at = 4, block = 1; at + 4 <= bytes.length; block++) {
    if (isStop(block)) yield;
    const head = bytes[at]!;
    if ((head & 0x7f) > 6) return undefined;
    at += 4 + bytes.readUIntBE(at + 1, 3);
    if (head < 0x80) continue;
    return bytes[at] === 0xff && (bytes[at + 1]! & 0xfe) === 0xf8 ? bytes.length : undefined;
  }
  return undefined;
}

/** RFC 8794: the header, then one segment to the end. */
function matroska(bytes: Buffer): number | undefined {
  if (bytes.length < 48 || bytes.readUInt32BE(0) !== 0x1a45dfa3) return undefined;
  const head = elementSize(bytes, 4);
  if (head === undefined || head.size > 1024) return undefined;
  const at = head.at + head.size;
  if (at + 5 > bytes.length || bytes.readUInt32BE(at) !== 0x18538067) return undefined;
  const segment = elementSize(bytes, at + 4);
  if (segment === undefined) return undefined;
  const end = segment.at + segment.size;
  return segment.isOpen ? bytes.length : end <= bytes.length ? end : undefined;
}

function elementSize(bytes: Buffer, at: number): { at: number; size: number; isOpen: boolean } | undefined {
  const length = Math.clz32(bytes[at] ?? 0) - 23;
  if (length > 8 || at + length > bytes.length) return undefined;
  let size = bytes[at]! & (0xff >> length);
  let isOpen = size === 0xff >> length;
  for (let index = 1; index < length; index++) {
    size = size * 256 + bytes[at + index]!;
    isOpen &&= bytes[at + index] === 0xff;
  }
  return { at: at + length, size, isOpen };
}

const BIT_RATES: Readonly<Record<string, readonly number[]>> = {
  '11': [0, 32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448],
  '12': [0, 32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384],
  '13': [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
  '21': [0, 32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256],
  '22': [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
};
const SAMPLE_RATES = [44_100, 48_000, 32_000];

/** ISO/IEC 11172-3 and 13818-3 (layers I to III), and 13818-7 (ADTS), after ID3 (https://id3.org/id3v2.4.0-structure). */
function* frames(bytes: Buffer): Steps<number | undefined> {
  let at = 0;
  if (ascii(bytes, 0, 3) === 'ID3' && bytes.length > 10) {
    const size = [6, 7, 8, 9].reduce((sum, index) => sum * 128 + (bytes[index]! & 0x7f), 0);
    at = 10 + size + (bytes[5]! & 0x10 ? 10 : 0);
    at = yield* behindZeros(bytes, Math.min(at, bytes.length));
  }
  let count = 0;
  for (let length = frameLength(bytes, at); length > 0; length = frameLength(bytes, at)) {
    at += length;
    if (++count % THINGS_BETWEEN_STOPS === 0) yield;
  }
  if (count < 3) return undefined;
  if (at >= bytes.length) return bytes.length;
  const isTag = bytes.length - at === 128 && ascii(bytes, at, 3) === 'TAG';
  return isTag ? bytes.length : at;
}

function frameLength(bytes: Buffer, at: number): number {
  if (at + 4 > bytes.length || bytes[at] !== 0xff || (bytes[at + 1]! & 0xe0) !== 0xe0) return 0;
  const second = bytes[at + 1]!;
  const layer = 4 - ((second >> 1) & 3);
  if (layer === 4) {
    const length = ((bytes[at + 3]! & 3) << 11) | (bytes[at + 4]! << 3) | (bytes[at + 5]! >> 5);
    return (second & 0xf0) === 0xf0 && length >= 7 ? length : 0;
  }
  const version = (second >> 3) & 3;
  const [rate, frequency, padding] = [bytes[at + 2]! >> 4, (bytes[at + 2]! >> 2) & 3, (bytes[at + 2]! >> 1) & 1];
  if (version === 1 || rate === 0 || rate === 15 || frequency === 3) return 0;
  const isFirst = version === 3;
  const table = isFirst ? `1${layer}` : layer === 1 ? '21' : '22';
  const bits = BIT_RATES[table]![rate]! * 1000;
  const hertz = SAMPLE_RATES[frequency]! / (isFirst ? 1 : version === 2 ? 2 : 4);
  if (layer === 1) return (Math.floor((12 * bits) / hertz) + padding) * 4;
  return Math.floor(((layer === 3 && !isFirst ? 72 : 144) * bits) / hertz) + padding;
}

/** A walk in a single step. */
function short(walk: (bytes: Buffer) => number | undefined): Walk {
  return (bytes) => oneStep(() => walk(bytes));
}

const FORMATS: readonly MediaFormat[] = [
  { type: 'image/png', walk: png },
  { type: 'image/jpeg', walk: jpeg },
  { type: 'image/gif', walk: gif },
  { type: 'image/webp', walk: chunks('RIFF', /^WEBP$/, true) },
  { type: 'image/bmp', walk: short(bmp) },
  { type: 'image/tiff', walk: short(tiff) },
  { type: 'image/heif', walk: boxes(/^(?:hei[cfsxm]|hev[cx]|mif1|msf1|avi[fs])$/) },
  { type: 'audio/wav', walk: chunks('RIFF', /^WAVE$/, true) },
  { type: 'audio/aiff', walk: chunks('FORM', /^AIF[FC]$/, false) },
  { type: 'audio/mp4', walk: boxes(/^M4[ABP] $/) },
  { type: 'audio/ogg', walk: ogg },
  { type: 'audio/flac', walk: flac },
  { type: 'audio/mpeg', walk: frames },
  {
    type: 'video/mp4',
    walk: boxes(/^(?:isom|iso[2-9]|mp4[12]|avc1|dash|M4V[ HP]|MSNV|3g[2gp][0-9a-z]|qt  |f4v |mmp4)$/),
  },
  { type: 'video/webm', walk: short(matroska) },
  { type: 'video/x-msvideo', walk: chunks('RIFF', /^AVI $/, true) },
];

/** The media type, if the bytes are one image, audio or video file from the first to the last byte. In steps. */
export function* readingMediaType(bytes: Buffer): Steps<string | undefined> {
  for (const { type, walk } of FORMATS) {
    const end = yield* walk(bytes);
    if (end !== undefined && end <= bytes.length && (yield* isNothing(bytes.subarray(end)))) return type;
  }
  return undefined;
}

/** The end of the image, audio or video file with which bytes begin; undefined if they do not begin with a complete one. In steps. */
export function* findingMediaEnd(bytes: Buffer): Steps<number | undefined> {
  for (const { walk } of FORMATS) {
    const end = yield* walk(bytes);
    if (end !== undefined && end <= bytes.length) return end;
  }
  return undefined;
}

/** Whether only padding follows the end, or, in photographs, further images. */
function* isNothing(rest: Buffer): Steps<boolean> {
  if ((yield* behindZeros(rest, 0)) === rest.length) return true;
  return rest[0] === 0xff && rest[1] === 0xd8 && (yield* jpegRest(rest));
}

function* jpegRest(rest: Buffer): Steps<boolean> {
  let left = rest;
  while (left.length > 0 && left[0] === 0xff) {
    const end = yield* jpeg(left);
    if (end === undefined || end > left.length) return false;
    left = left.subarray(end);
    yield;
  }
  return (yield* behindZeros(left, 0)) === left.length;
}

/** The position of the first byte from `from` on that is not zero. */
function* behindZeros(bytes: Buffer, from: number): Steps<number> {
  let at = from;
  while (at < bytes.length && bytes[at] === 0) if (++at % BYTES_AT_ONCE === 0) yield;
  return at;
}
