import { crc32 } from 'node:zlib';

/**
 * Amazon's event streams (`application/vnd.amazon.eventstream`): messages of binary frames, each with headers, a payload and
 * two check sums (https://docs.aws.amazon.com/AmazonS3/latest/API/RESTSelectObjectAppendix.html, "message prelude").
 */

const PRELUDE_BYTES = 12;
const CHECK_BYTES = 4;
/** The maximum that Amazon's clients accept. */
const MOST_BYTES = 24 * 1_024 * 1_024;
/** The type of string values. */
const STRING = 7;

/** One message. */
export interface EventFrame {
  /** The bytes as received. */
  readonly bytes: Buffer;
  readonly headers: Buffer;
  readonly payload: Buffer;
  /** String headers by name; undefined if there are headers of another type, unreadable ones, or two with one name. */
  readonly texts: ReadonlyMap<string, string> | undefined;
}

/** Thrown for bytes that are not frames. */
export class NoFrames extends Error {
  override readonly name = 'NoFrames';

  constructor() {
    super('must consist of complete event frames');
  }
}

/** Splits a stream of pieces into frames. */
export class EventFrames {
  /** Holds the incomplete frame, in a buffer with free space for its next pieces. */
  private room: Buffer = Buffer.alloc(0);
  private heldBytes = 0;

  /** The number of bytes of the incomplete frame. */
  get restBytes(): number {
    return this.heldBytes;
  }

  /** The frames that this piece completes. @throws NoFrames */
  push(piece: Buffer): EventFrame[] {
    const isFirst = this.heldBytes === 0;
    const bytes = isFirst ? piece : this.joined(piece);
    const frames: EventFrame[] = [];
    let at = 0;
    for (;;) {
      const length = lengthAt(bytes, at);
      if (length === undefined || at + length > bytes.length) break;
      frames.push(frameOf(bytes.subarray(at, at + length)));
      at += length;
    }
    // A view would keep the whole buffer in memory.
    if (isFirst || at > 0) this.room = Buffer.from(bytes.subarray(at));
    this.heldBytes = bytes.length - at;
    return frames;
  }

  /** The held bytes joined with a piece. The size of the buffer is doubled, so that a long frame is not copied with each of its pieces. */
  private joined(piece: Buffer): Buffer {
    const length = this.heldBytes + piece.length;
    if (length > this.room.length) {
      const larger = Buffer.allocUnsafe(2 * length);
      this.room.copy(larger, 0, 0, this.heldBytes);
      this.room = larger;
    }
    piece.copy(this.room, this.heldBytes);
    return this.room.subarray(0, length);
  }
}

/** Whether bytes begin with a frame or with a possible part of one. Called for every answer, so it does not throw for other formats. */
export function beginsWithFrame(bytes: Buffer): boolean {
  return bytes.length < PRELUDE_BYTES || isFrameAt(bytes, 0);
}

/** A frame of encoded headers and a payload. */
export function writeFrame(headers: Buffer, payload: Buffer): Buffer {
  const frame = Buffer.alloc(PRELUDE_BYTES + headers.length + payload.length + CHECK_BYTES);
  frame.writeUInt32BE(frame.length, 0);
  frame.writeUInt32BE(headers.length, 4);
  frame.writeUInt32BE(crc32(frame.subarray(0, 8)), 8);
  headers.copy(frame, PRELUDE_BYTES);
  payload.copy(frame, PRELUDE_BYTES + headers.length);
  frame.writeUInt32BE(crc32(frame.subarray(0, -CHECK_BYTES)), frame.length - CHECK_BYTES);
  return frame;
}

/** String headers in the encoding of a frame. */
export function writeHeaders(texts: Readonly<Record<string, string>>): Buffer {
  return Buffer.concat(
    Object.entries(texts).map(([name, value]) => {
      const [key, text] = [Buffer.from(name), Buffer.from(value)];
      const length = Buffer.alloc(2);
      length.writeUInt16BE(text.length);
      return Buffer.concat([Buffer.of(key.length), key, Buffer.of(STRING), length, text]);
    }),
  );
}

/** Length of the frame at a position; undefined while too little of it was received. @throws NoFrames */
function lengthAt(bytes: Buffer, at: number): number | undefined {
  if (bytes.length - at < PRELUDE_BYTES) return undefined;
  if (!isFrameAt(bytes, at)) throw new NoFrames();
  return bytes.readUInt32BE(at);
}

/** Whether the complete prelude at a position is that of a frame. */
function isFrameAt(bytes: Buffer, at: number): boolean {
  const length = bytes.readUInt32BE(at);
  return (
    length <= MOST_BYTES &&
    length >= PRELUDE_BYTES + bytes.readUInt32BE(at + 4) + CHECK_BYTES &&
    crc32(bytes.subarray(at, at + 8)) === bytes.readUInt32BE(at + 8)
  );
}

function frameOf(bytes: Buffer): EventFrame {
  const end = bytes.length - CHECK_BYTES;
  if (crc32(bytes.subarray(0, end)) !== bytes.readUInt32BE(end)) throw new NoFrames();
  const payloadAt = PRELUDE_BYTES + bytes.readUInt32BE(4);
  const headers = bytes.subarray(PRELUDE_BYTES, payloadAt);
  return { bytes, headers, payload: bytes.subarray(payloadAt, end), texts: textsOf(headers) };
}

function textsOf(headers: Buffer): Map<string, string> | undefined {
  const texts = new Map<string, string>();
  for (let at = 0; at < headers.length;) {
    const nameEnd = at + 1 + headers[at]!;
    if (nameEnd + 3 > headers.length || headers[nameEnd] !== STRING) return undefined;
    const valueAt = nameEnd + 3;
    const end = valueAt + headers.readUInt16BE(nameEnd + 1);
    if (end > headers.length) return undefined;
    const name = headers.toString('utf8', at + 1, nameEnd);
    const value = headers.toString('utf8', valueAt, end);
    // Of two headers with one name, clients read one or the other. Bytes that are not UTF-8 could be read in another encoding.
    if (texts.has(name) || !Buffer.from(value).equals(headers.subarray(valueAt, end))) return undefined;
    texts.set(name, value);
    at = end;
  }
  return texts;
}
