/**
 * Readers of the texts of documents, by format; none of them writes files or uses the network. This file reads compound files ([MS-CFB])
 * that only wrap a file of another program, as Office programs embed such files.
 */
import { droppedFile, isFile, pictureIn } from './ole-objects.js';

const HEAD_BYTES = 512;
const ENTRY_BYTES = 128;
const SMALL_SECTOR_SHIFT = 6;
/** The number of sectors of the table whose place is in the head of the file. Larger files have a list of more places. */
const MOST_PLACES = 109;
const FIRST_PLACE = 76;
const END_OF_CHAIN = 0xfffffffe;
const [UNUSED, STREAM, ROOT] = [0, 2, 5];

/** Streams that describe the wrapped file and contain no part of it: its program, its picture, its links. */
const DESCRIBING = /^(?:[\x01\x03](?:CompObj|Ole|Ole10ItemName|ObjInfo|LinkInfo)|\x02OlePres\d{3}|\x03EPRINT)$/;
const PRESENTATION = /^\x02OlePres/;
/** Larger parts of these streams are read as files: a picture, or what a program hides there. */
const MOST_DESCRIBING_BYTES = 512;
/** Streams that are a whole file: of Office, and of programs such as those for PDF. */
const WHOLE = /^(?:Package|CONTENTS)$/;
/** The stream with a file that was dropped into a document, after its size. */
const DROPPED = '\x01Ole10Native';

/** The content of a compound file. */
interface Wrapped {
  readonly files: readonly Buffer[];
  /** The pictures and other larger parts in the streams that describe the files. */
  readonly beside: readonly Buffer[];
}

/** What a compound file wraps; undefined for a document of its own, and for a file that readers could read differently. */
export function wrappedFiles(bytes: Buffer): Wrapped | undefined {
  try {
    const files: Buffer[] = [];
    const beside: Buffer[] = [];
    for (const { name, content } of streamsOf(bytes)) {
      if (WHOLE.test(name)) files.push(content());
      else if (name === DROPPED) files.push(...nativeFiles(content().subarray(4)));
      else if (DESCRIBING.test(name)) beside.push(...describing(name, content()));
      else return undefined;
    }
    return files.length === 0 ? undefined : { files, beside };
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

function describing(name: string, stream: Buffer): readonly Buffer[] {
  if (!isFile(stream, MOST_DESCRIBING_BYTES)) return [];
  if (!PRESENTATION.test(name)) return [stream];
  return pictureIn(stream).filter((part) => isFile(part, MOST_DESCRIBING_BYTES));
}

function nativeFiles(bytes: Buffer): readonly Buffer[] {
  return droppedFile(bytes)?.files ?? [bytes];
}

interface Stream {
  readonly name: string;
  readonly content: () => Buffer;
}

/** All streams of a file without folders. @throws RangeError for a file that is cut off or has another form */
function streamsOf(bytes: Buffer): Stream[] {
  const sectors = new Sectors(bytes);
  const directory = sectors.chain(bytes.readUInt32LE(48));
  const root = entryAt(directory, 0);
  if (root.kind !== ROOT) throw new RangeError('a compound file has no root');
  const small = sectors.smallChains(bytes.readUInt32LE(60), root);
  const largeFrom = bytes.readUInt32LE(56);
  const streams: Stream[] = [];
  let total = 0;
  for (let at = ENTRY_BYTES; at < directory.length; at += ENTRY_BYTES) {
    const { kind, name, start, length } = entryAt(directory, at);
    if (kind === UNUSED) continue;
    total += length;
    // Streams do not overlap.
    if (kind !== STREAM || total > bytes.length) throw new RangeError('a compound file has folders');
    const content = (): Buffer => (length >= largeFrom ? sectors.chain(start, length) : small(start, length));
    streams.push({ name, content });
  }
  return streams;
}

interface Entry {
  readonly kind: number | undefined;
  readonly name: string;
  readonly start: number;
  readonly length: number;
}

function entryAt(directory: Buffer, at: number): Entry {
  const nameBytes = Math.max(0, Math.min(64, directory.readUInt16LE(at + 64)) - 2);
  return {
    kind: directory[at + 66],
    name: directory.toString('utf16le', at, at + nameBytes),
    start: directory.readUInt32LE(at + 116),
    length: directory.readUInt32LE(at + 120),
  };
}

type ReadChain = (start: number, length: number) => Buffer;

/** The sectors of a file, and the table in which each refers to the next one of its stream. */
class Sectors {
  private readonly sectorBytes: number;
  private readonly next: readonly number[];

  constructor(private readonly bytes: Buffer) {
    const [shift, smallShift] = [bytes.readUInt16LE(30), bytes.readUInt16LE(32)];
    const [count, furtherPlaces] = [bytes.readUInt32LE(44), bytes.readUInt32LE(72)];
    const isKnown = (shift === 9 || shift === 12) && smallShift === SMALL_SECTOR_SHIFT;
    if (!isKnown || count > MOST_PLACES || furtherPlaces > 0) throw new RangeError('a compound file has another form');
    this.sectorBytes = 2 ** shift;
    const places = Array.from({ length: count }, (_, index) => bytes.readUInt32LE(FIRST_PLACE + 4 * index));
    this.next = places.flatMap((place) => numbersIn(this.sectorAt(place)));
  }

  /** The content of the sectors from one on. @param length the number of bytes; absent: up to the end of the chain */
  chain(start: number, length?: number): Buffer {
    return chainOf(start, this.next, (index) => this.sectorAt(index), length);
  }

  /** Returns a function that reads the sectors of small streams. @param tableStart the first sector of their table */
  smallChains(tableStart: number, { start: roomStart, length: roomBytes }: Entry): ReadChain {
    const table = tableStart === END_OF_CHAIN ? [] : numbersIn(this.chain(tableStart));
    const room = roomBytes === 0 ? Buffer.alloc(0) : this.chain(roomStart, roomBytes);
    const bytes = 2 ** SMALL_SECTOR_SHIFT;
    return (start, length) => chainOf(start, table, (index) => part(room, index * bytes, bytes), length);
  }

  private sectorAt(index: number): Buffer {
    return part(this.bytes, Math.max(HEAD_BYTES, this.sectorBytes) + index * this.sectorBytes, this.sectorBytes);
  }
}

/** @throws RangeError for a chain that refers to itself, to a sector that does not exist, or is too short */
function chainOf(
  start: number,
  next: readonly number[],
  sectorAt: (index: number) => Buffer,
  length = Infinity,
): Buffer {
  const parts: Buffer[] = [];
  let total = 0;
  for (let index = start; index !== END_OF_CHAIN && total < length; index = next[index] ?? index) {
    if (parts.length >= next.length) throw new RangeError('a compound file has a chain without an end');
    const sector = sectorAt(index);
    parts.push(sector);
    total += sector.length;
  }
  const content = Buffer.concat(parts);
  return length === Infinity ? content : part(content, 0, length);
}

function numbersIn(bytes: Buffer): number[] {
  return Array.from({ length: bytes.length / 4 }, (_, index) => bytes.readUInt32LE(4 * index));
}

/** @throws RangeError if the bytes end before the part */
function part(bytes: Buffer, start: number, length: number): Buffer {
  if (start + length > bytes.length) throw new RangeError('a compound file is cut off');
  return bytes.subarray(start, start + length);
}
