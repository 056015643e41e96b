import { inflateRawSync } from 'node:zlib';
import { fromBufferPromise, type Entry, type LocalFileHeader, type ZipFile } from 'yauzl';
import { OverLimit, type ReadingCollector } from '../reading.js';
import { piecesOfText } from './pieces-of-text.js';

export interface ZipMember {
  readonly name: string;
  readonly comment: string;
  /** Absent if it cannot be read. */
  readonly bytes?: Buffer;
  /** The bytes after the end of its compressed content, which belong to no part of the archive. */
  readonly rest?: Buffer;
  /** The readable pieces of its extra fields. */
  readonly extra: string;
  /** `archive`: compressed in a way that is not read. */
  readonly why?: 'encrypted' | 'malformed' | 'archive';
  readonly packedBytes: number;
}

export interface ZipContents {
  readonly members: readonly ZipMember[];
  readonly comment: string;
  /**
   * Whether another reader could find different members: some not listed in the directory, in another directory, under other names, or with
   * other contents.
   */
  readonly ambiguous: boolean;
  /** The bytes before, between and after the members that belong to no part of the archive and are not all zero. */
  readonly outside: readonly Buffer[];
}

const LOCAL_HEADER = Buffer.from('PK\x03\x04');
const ENTRY = Buffer.from('PK\x01\x02', 'latin1');
const END_RECORD = Buffer.from('PK\x05\x06');
const END_RECORD_BYTES = 22;
/** The size of an end record with the longest comment. */
const LARGEST_END = END_RECORD_BYTES + 65_535;
/** The number that precedes the place of the ZIP64 end record, and the number that begins this record. */
const ZIP64_LOCATOR = 0x07064b50;
const ZIP64_LOCATOR_BYTES = 20;
const ZIP64_END_RECORD = 0x06064b50;
const ZIP64_END_RECORD_BYTES = 56;
/** A field of the end record with this value is replaced by a field of the ZIP64 end record. */
const IN_ZIP64 = 0xffffffff;
/** The size of an entry of the directory without its name, extra field and comment. */
const ENTRY_BYTES = 46;
/** The number that usually precedes a descriptor. */
const DESCRIPTOR = 0x08074b50;
/** Forms of descriptors: whether the number precedes it, and whether its sizes have eight bytes. The longest ones are first. */
const DESCRIPTORS: readonly (readonly [isMarked: boolean, isWide: boolean])[] = [
  [true, true],
  [false, true],
  [true, false],
  [false, false],
];
const STORED = 0;
const DEFLATED = 8;

/**
 * Unpacks the members of an archive.
 * @throws OverLimit before a member is unpacked; Error for bytes that are not an archive
 */
export async function zipContents(whole: Buffer, collector: ReadingCollector): Promise<ZipContents> {
  const { before, bytes, after } = archiveIn(whole);
  const zip = await fromBufferPromise(bytes, { strictFileNames: false, validateEntrySizes: true });
  const members: ZipMember[] = [];
  const ranges: Range[] = [];
  let differs = false;
  let directoryBytes = 0;
  for await (const entry of zip.eachEntry()) {
    directoryBytes += ENTRY_BYTES + entry.fileNameLength + entry.extraFieldLength + entry.fileCommentLength;
    // The declared size is verified when the entry is unpacked.
    collector.file(entry.uncompressedSize);
    const { member, range, isSame } = await readMember(zip, bytes, entry);
    if (member !== undefined) members.push(member);
    if (range === undefined || !isSame) differs = true;
    if (range !== undefined) ranges.push(range);
  }
  const hides = [before, after].some((other) => other.includes(LOCAL_HEADER)) || hidesMembers(bytes, ranges);
  const ambiguous = differs || hides || !isOnlyDirectory(bytes, directoryBytes);
  const around = ambiguous ? [] : [before, ...bytesOutside(bytes, ranges, directoryBytes), after];
  const outside = around.filter((other) => other.some((byte) => byte !== 0));
  return { members, comment: zip.comment, ambiguous, outside };
}

/** An archive, and the bytes before and after it. Readers find an archive from its end record, which they search from the end of a file. */
function archiveIn(whole: Buffer): { readonly before: Buffer; readonly bytes: Buffer; readonly after: Buffer } {
  const end = endOfArchive(whole);
  const start = bytesBefore(whole.subarray(0, end));
  return { before: whole.subarray(0, start), bytes: whole.subarray(start, end), after: whole.subarray(end) };
}

/** The end of the comment of the last end record. If the comment of another one ends with the file, some readers take that one. */
function endOfArchive(bytes: Buffer): number {
  const last = bytes.lastIndexOf(END_RECORD, bytes.length - END_RECORD_BYTES);
  for (let at = last; at >= 0 && bytes.length - at <= LARGEST_END;) {
    if (endOfComment(bytes, at) === bytes.length) return bytes.length;
    at = at === 0 ? -1 : bytes.lastIndexOf(END_RECORD, at - 1);
  }
  return last < 0 ? bytes.length : Math.min(bytes.length, endOfComment(bytes, last));
}

function endOfComment(bytes: Buffer, record: number): number {
  return record + END_RECORD_BYTES + bytes.readUInt16LE(record + END_RECORD_BYTES - 2);
}

/**
 * The number of bytes before an archive whose offsets are counted from its own first byte, as in an archive that was appended to a program.
 * Readers find such an archive from its end, unless there is a directory at the stated offset of the file.
 */
function bytesBefore(bytes: Buffer): number {
  const end = bytes.lastIndexOf(END_RECORD, bytes.length - END_RECORD_BYTES);
  if (end < 0) return 0;
  const [size, start] = [bytes.readUInt32LE(end + 12), bytes.readUInt32LE(end + 16)];
  const before = end - size - start;
  const isEntry = (at: number): boolean => bytes.subarray(at, at + ENTRY.length).equals(ENTRY);
  return size > 0 && before > 0 && !isEntry(start) && isEntry(before + start) ? before : 0;
}

/** @param ranges those of all members, sorted, of an archive in which all readers find the same directory */
function bytesOutside(bytes: Buffer, ranges: readonly Range[], directoryBytes: number): Buffer[] {
  const end = bytes.lastIndexOf(END_RECORD, bytes.length - END_RECORD_BYTES);
  const locator = end - ZIP64_LOCATOR_BYTES;
  const isWide = locator >= 0 && bytes.readUInt32LE(locator) === ZIP64_LOCATOR;
  const directoryStart = (isWide ? locator - ZIP64_END_RECORD_BYTES : end) - directoryBytes;
  const outside: Buffer[] = [];
  let at = 0;
  for (const { start, end: next } of [...ranges, { start: directoryStart, end: directoryStart }]) {
    const between = bytes.subarray(at, start);
    if (between.some((byte) => byte !== 0)) outside.push(between);
    at = next;
  }
  return outside;
}

/**
 * Whether all readers find the same directory. Some readers take the offset and the number of entries from the end record; others take the
 * bytes of the stated size directly before the end record.
 *
 * @param directoryBytes the size of the entries that were read
 */
function isOnlyDirectory(bytes: Buffer, directoryBytes: number): boolean {
  const end = bytes.lastIndexOf(END_RECORD, bytes.length - END_RECORD_BYTES);
  const [size, start] = [bytes.readUInt32LE(end + 12), bytes.readUInt32LE(end + 16)];
  const locator = end - ZIP64_LOCATOR_BYTES;
  if (locator < 0 || bytes.readUInt32LE(locator) !== ZIP64_LOCATOR) {
    return size === directoryBytes && (size === 0 || start + size === end);
  }
  const record = locator - ZIP64_END_RECORD_BYTES;
  if (record < 0 || bytes.readUInt32LE(record) !== ZIP64_END_RECORD) return false;
  if (bytes.readBigUInt64LE(locator + 8) !== BigInt(record)) return false;
  const wideSize = Number(bytes.readBigUInt64LE(record + 40));
  const wideStart = Number(bytes.readBigUInt64LE(record + 48));
  // Some readers only use the ZIP64 record if the fields of the end record refer to it.
  const isSame = (narrow: number, wide: number): boolean => narrow === IN_ZIP64 || narrow === wide;
  if (!isSame(size, wideSize) || !isSame(start, wideStart)) return false;
  return wideSize === directoryBytes && wideStart + wideSize === record;
}

interface Range {
  readonly start: number;
  readonly end: number;
}

async function readMember(
  zip: ZipFile,
  bytes: Buffer,
  entry: Entry,
): Promise<{ member?: ZipMember; range?: Range; isSame?: boolean }> {
  const { fileName: name, fileComment: comment, compressedSize: packedBytes } = entry;
  const about = { name, comment, packedBytes, extra: piecesOfText(entry.extraFieldRaw) };
  try {
    const local = await zip.readLocalFileHeaderPromise(entry);
    const end = local.fileDataStart + packedBytes;
    const range = { start: entry.relativeOffsetOfLocalHeader, end: end + descriptorBytes(bytes, end, entry) };
    const isSame = describesSame(local, entry);
    about.extra = [...new Set([about.extra, piecesOfText(local.extraField)])].join('\n');
    if (entry.isEncrypted()) return { member: { ...about, why: 'encrypted' }, range, isSame };
    if (![STORED, DEFLATED].includes(entry.compressionMethod))
      return { member: { ...about, why: 'archive' }, range, isSame };
    const content = unpacked(bytes.subarray(local.fileDataStart, end), entry);
    if (content === undefined) return { member: { ...about, why: 'malformed' }, range, isSame };
    const isEmpty = content.bytes.length === 0 && content.rest === undefined && about.extra.trim() === '';
    const isFolder = name.endsWith('/') && isEmpty;
    return { ...(isFolder ? {} : { member: { ...about, ...content } }), range, isSame };
  } catch (error) {
    if (error instanceof OverLimit) throw error;
    return { member: { ...about, why: 'malformed' } };
  }
}

/** The size of the descriptor after a member, which repeats its checksum and its sizes; zero if there is none. */
function descriptorBytes(bytes: Buffer, start: number, entry: Entry): number {
  const { crc32, compressedSize, uncompressedSize } = entry;
  for (const [isMarked, isWide] of DESCRIPTORS) {
    const descriptor = Buffer.alloc((isMarked ? 4 : 0) + (isWide ? 20 : 12));
    if (isMarked) descriptor.writeUInt32LE(DESCRIPTOR);
    const fields = descriptor.subarray(isMarked ? 4 : 0);
    fields.writeUInt32LE(crc32);
    for (const [index, size] of [compressedSize, uncompressedSize].entries()) {
      if (isWide) fields.writeBigUInt64LE(BigInt(size), 4 + index * 8);
      else fields.writeUInt32LE(size % 2 ** 32, 4 + index * 4);
    }
    if (bytes.subarray(start, start + descriptor.length).equals(descriptor)) return descriptor.length;
  }
  return 0;
}

/** Bits of flags that change how the content of a member is read: encryption, patches, and encryption of headers. */
const CONTENT_FLAGS = 0x2061;
/** The flag of a member whose checksum and sizes follow its content. */
const HAS_DESCRIPTOR = 8;

/** Whether the header of a member describes the same content as its entry in the directory. Readers of streams use only the headers. */
function describesSame(local: LocalFileHeader, entry: Entry): boolean {
  const { generalPurposeBitFlag: flags, compressionMethod } = local;
  if (!local.fileName.equals(entry.fileNameRaw) || compressionMethod !== entry.compressionMethod) return false;
  if (((flags ^ entry.generalPurposeBitFlag) & CONTENT_FLAGS) !== 0) return false;
  const isKnownLater = (flags & HAS_DESCRIPTOR) !== 0;
  const wide = wideSizesIn(local.extraField);
  return (['uncompressedSize', 'compressedSize'] as const).every((name, index) => {
    const size = local[name] === IN_ZIP64 ? wide[index] : local[name];
    return size === entry[name] || (isKnownLater && size === 0);
  });
}

/** The identifier of the extra field with sizes of eight bytes: first the unpacked, then the packed size. */
const ZIP64_FIELD = 1;

function wideSizesIn(extra: Buffer): number[] {
  for (let at = 0; at + 4 <= extra.length; at += 4 + extra.readUInt16LE(at + 2)) {
    if (extra.readUInt16LE(at) !== ZIP64_FIELD || at + 20 > extra.length) continue;
    return [4, 12].map((offset) => Number(extra.readBigUInt64LE(at + offset)));
  }
  return [];
}

/** A member's content; undefined if another reader could unpack different content. */
function unpacked(
  packed: Buffer,
  { compressionMethod, uncompressedSize }: Entry,
): { bytes: Buffer; rest?: Buffer } | undefined {
  if (compressionMethod === STORED) return packed.length === uncompressedSize ? { bytes: packed } : undefined;
  // The limit allows one byte more than declared, so that a wrong size is detected. zlib's types do not describe the result with `info`.
  const { buffer, engine } = inflateRawSync(packed, {
    maxOutputLength: uncompressedSize + 1,
    info: true,
  }) as unknown as { readonly buffer: Buffer; readonly engine: { readonly bytesWritten: number } };
  if (buffer.length !== uncompressedSize) return undefined;
  const rest = packed.subarray(engine.bytesWritten);
  return rest.some((byte) => byte !== 0) ? { bytes: buffer, rest } : { bytes: buffer };
}

/** Whether members overlap, or there are member headers between those listed in the directory. */
function hidesMembers(bytes: Buffer, ranges: Range[]): boolean {
  let at = 0;
  for (const { start, end } of ranges.sort((left, right) => left.start - right.start)) {
    if (start < at) return true;
    if (bytes.subarray(at, start).includes(LOCAL_HEADER)) return true;
    at = end;
  }
  return bytes.subarray(at).includes(LOCAL_HEADER);
}
