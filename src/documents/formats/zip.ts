import { inflateRawSync } from 'node:zlib';
import { fromBufferPromise, type Entry, type ZipFile } from 'yauzl';
import { OverLimit, type ReadingCollector } from '../reading.js';

export interface ZipMember {
  readonly name: string;
  readonly comment: string;
  /** Absent if it cannot be read. */
  readonly bytes?: Buffer;
  readonly why?: 'encrypted' | 'malformed';
  readonly packedBytes: number;
}

export interface ZipContents {
  readonly members: readonly ZipMember[];
  readonly comment: string;
  /** Whether another reader could find different members: some not listed in the directory, in another directory, or under other names. */
  readonly ambiguous: boolean;
  /** The bytes before, between and after the members that belong to no part of the archive and are not all zero. */
  readonly outside: readonly Buffer[];
}

const LOCAL_HEADER = Buffer.from('PK\x03\x04');
const END_RECORD = Buffer.from('PK\x05\x06');
const END_RECORD_BYTES = 22;
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
export async function zipContents(bytes: Buffer, collector: ReadingCollector): Promise<ZipContents> {
  const zip = await fromBufferPromise(bytes, { strictFileNames: false, validateEntrySizes: true });
  const members: ZipMember[] = [];
  const ranges: Range[] = [];
  let renamed = false;
  let directoryBytes = 0;
  for await (const entry of zip.eachEntry()) {
    directoryBytes += ENTRY_BYTES + entry.fileNameLength + entry.extraFieldLength + entry.fileCommentLength;
    // The declared size is verified when the entry is unpacked.
    collector.file(entry.uncompressedSize);
    const { member, range, sameName } = await readMember(zip, bytes, entry);
    if (member !== undefined) members.push(member);
    if (range === undefined || !sameName) renamed = true;
    if (range !== undefined) ranges.push(range);
  }
  const ambiguous = renamed || !isOnlyDirectory(bytes, directoryBytes) || hidesMembers(bytes, ranges);
  const outside = ambiguous ? [] : bytesOutside(bytes, ranges, directoryBytes);
  return { members, comment: zip.comment, ambiguous, outside };
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
): Promise<{ member?: ZipMember; range?: Range; sameName?: boolean }> {
  const { fileName: name, fileComment: comment, compressedSize: packedBytes } = entry;
  const about = { name, comment, packedBytes };
  try {
    const local = await zip.readLocalFileHeaderPromise(entry);
    const end = local.fileDataStart + packedBytes;
    const range = { start: entry.relativeOffsetOfLocalHeader, end: end + descriptorBytes(bytes, end, entry) };
    const sameName = local.fileName.equals(entry.fileNameRaw);
    if (entry.isEncrypted()) return { member: { ...about, why: 'encrypted' }, range, sameName };
    const content = unpacked(bytes.subarray(local.fileDataStart, end), entry);
    if (content === undefined) return { member: { ...about, why: 'malformed' }, range, sameName };
    const isFolder = name.endsWith('/') && content.length === 0;
    return { ...(isFolder ? {} : { member: { ...about, bytes: content } }), range, sameName };
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

/** A member's bytes; undefined if another reader could unpack different content. */
function unpacked(packed: Buffer, { compressionMethod, uncompressedSize }: Entry): Buffer | undefined {
  if (compressionMethod === STORED) return packed.length === uncompressedSize ? packed : undefined;
  if (compressionMethod !== DEFLATED) return undefined;
  // The limit allows one byte more than declared, so that a wrong size is detected.
  const content = inflateRawSync(packed, { maxOutputLength: uncompressedSize + 1 });
  return content.length === uncompressedSize ? content : undefined;
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
