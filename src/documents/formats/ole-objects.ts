import { documentFormatsOf } from '../recognise.js';
import { piecesOfText } from './pieces-of-text.js';

/** Objects that an RTF file embeds ([MS-OLEDS], section 2.2): a header, the file of a program, and a picture of it. */

/** The parts of an embedded object. */
interface EmbeddedObject {
  /** The names in it: of the program, and, for a file that was dropped into a document, of the file and its folders. */
  readonly names: string;
  readonly files: readonly Buffer[];
}

const VERSION = 0x0501;
const EMBEDDED = 2;
const PRESENTATION = 5;
const NOTHING = 0;
/** The program of files that were dropped into a document. */
const PACKAGE = 'Package';
/** A reserved field before the metafile of a presentation. */
const RESERVED_BYTES = 8;

/** The parts of an embedded object; undefined for other bytes, also if they are cut off. */
export function embeddedObject(bytes: Buffer): EmbeddedObject | undefined {
  if (bytes.length < 8 || bytes.readUInt32LE(0) !== VERSION || bytes.readUInt32LE(4) !== EMBEDDED) return undefined;
  try {
    const reader = new Reader(bytes, 8);
    const names = [reader.text(), reader.text(), reader.text()];
    const content = reader.take(reader.number());
    const dropped = names[0] === PACKAGE ? droppedFile(content) : undefined;
    const files = [...(dropped?.files ?? [content]), ...presentation(reader)];
    return { names: [...names, ...(dropped === undefined ? [] : [dropped.names])].join('\n'), files };
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** The picture of an object, and all other bytes after its content, unless they are zeros. */
function presentation(reader: Reader): Buffer[] {
  const rest = reader.rest;
  if (rest.every((byte) => byte === 0)) return [];
  try {
    const own = new Reader(rest, 0);
    const [, format] = [own.number(), own.number()];
    if (format === NOTHING) return others(own);
    const isMetafile = format === PRESENTATION && own.text() === 'METAFILEPICT';
    if (!isMetafile) return [rest];
    own.take(8);
    const picture = own.take(own.number());
    return [picture.subarray(RESERVED_BYTES), ...others(own)];
  } catch (error) {
    if (error instanceof RangeError) return [rest];
    throw error;
  }
}

function others({ rest }: Reader): Buffer[] {
  return rest.every((byte) => byte === 0) ? [] : [rest];
}

const DROPPED = 2;
const BY_VALUE = 0x00030000;
/** The size of the names after a dropped file: three, in Unicode. More bytes, or those of a known format, are read as a file. */
const MOST_NAME_BYTES = 1_024;

/** A file that was dropped into a document: its label and path, a temporary path, the file, and its names in Unicode. */
export function droppedFile(bytes: Buffer): EmbeddedObject | undefined {
  if (bytes.length < 2 || bytes.readUInt16LE(0) !== DROPPED) return undefined;
  const reader = new Reader(bytes, 2);
  const names = [reader.zeroEnded(), reader.zeroEnded()];
  if (reader.number() !== BY_VALUE) return undefined;
  names.push(reader.text());
  const file = reader.take(reader.number());
  const { rest } = reader;
  const isNames = !isFile(rest, MOST_NAME_BYTES);
  return { names: [...names, piecesOfText(rest)].join('\n'), files: isNames ? [file] : [file, rest] };
}

/** Whether bytes beside an embedded file can be another file: they are long or of a known format. */
export function isFile(bytes: Buffer, mostBytes: number): boolean {
  return (bytes.length > mostBytes && bytes.some((byte) => byte !== 0)) || documentFormatsOf(bytes).length > 0;
}

/** The beginning of a marker of a standard format of the clipboard, whose number follows. */
const STANDARD = 0xfffffffe;
/** The aspect, the index, the flags, a reserved field, the width and the height of a picture. */
const LOOK_BYTES = 24;

/** The picture in a stream with a presentation, and the bytes around it ([MS-OLEDS], section 2.3.4); other streams as they are. */
export function pictureIn(stream: Buffer): readonly Buffer[] {
  try {
    const reader = new Reader(stream, 0);
    if (reader.number() < STANDARD) return [stream];
    reader.number();
    // The size of the device includes its own field.
    const device = reader.take(Math.max(0, reader.number() - 4));
    reader.take(LOOK_BYTES);
    return [reader.take(reader.number()), Buffer.concat([device, reader.rest])];
  } catch (error) {
    if (error instanceof RangeError) return [stream];
    throw error;
  }
}

/** Reads the fields of an object. Throws RangeError at the end of the bytes. */
class Reader {
  constructor(
    private readonly bytes: Buffer,
    private at: number,
  ) {}

  get rest(): Buffer {
    return this.bytes.subarray(this.at);
  }

  number(): number {
    const value = this.bytes.readUInt32LE(this.at);
    this.at += 4;
    return value;
  }

  take(length: number): Buffer {
    const end = this.at + length;
    if (end > this.bytes.length) throw new RangeError('an embedded object is cut off');
    const part = this.bytes.subarray(this.at, end);
    this.at = end;
    return part;
  }

  /** A text with its length, which includes a zero at its end. */
  text(): string {
    return this.take(this.number()).toString('latin1').replace(/\0+$/, '');
  }

  zeroEnded(): string {
    const end = this.bytes.indexOf(0, this.at);
    if (end < 0) throw new RangeError('an embedded object is cut off');
    const text = this.bytes.toString('latin1', this.at, end);
    this.at = end + 1;
    return text;
  }
}
