/** The end of the part of a stream that was sent: Weir sends its own events only between those of the provider. */
interface StreamTail {
  /** Called for the bytes that are sent. */
  add(bytes: Buffer): void;
  readonly isBetweenEvents: boolean;
}

const EVENT_END = /(?:\r\n\r\n|\n\n|\r\r)$/;
const LONGEST_END = 4;

/** For an event stream (WHATWG HTML, section 9.2.6). */
export class EventTail implements StreamTail {
  /** The last characters; the initial value counts as the end of an event. */
  private tail = '\n\n';

  add(bytes: Buffer): void {
    const end = bytes.toString('latin1', Math.max(0, bytes.length - LONGEST_END));
    this.tail = (this.tail + end).slice(-LONGEST_END);
  }

  get isBetweenEvents(): boolean {
    return EVENT_END.test(this.tail);
  }
}

/** Each frame of Amazon's event streams begins with its length in this number of bytes. */
const LENGTH_BYTES = 4;

/** For a stream of binary frames. Bytes that are not frames are never between two events. */
export class FrameTail implements StreamTail {
  /** The bytes of the frame's length that have arrived. */
  private lengthBytes = 0;
  private length = 0;
  /** The number of bytes that the frame still lacks. */
  private missing = 0;

  add(bytes: Buffer): void {
    for (let at = 0; at < bytes.length;) {
      if (this.missing > 0) {
        const some = Math.min(this.missing, bytes.length - at);
        this.missing -= some;
        at += some;
        continue;
      }
      this.length = this.length * 256 + bytes[at++]!;
      if (++this.lengthBytes < LENGTH_BYTES) continue;
      this.missing = this.length > LENGTH_BYTES ? this.length - LENGTH_BYTES : Infinity;
      this.length = 0;
      this.lengthBytes = 0;
    }
  }

  get isBetweenEvents(): boolean {
    return this.missing === 0 && this.lengthBytes === 0;
  }
}
