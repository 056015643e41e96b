/** The last step of every streamed answer: keep-alive comments, small chunks, and the end of the stream. */
import { Readable } from 'node:stream';

/** How long a stream may be silent before it is kept alive: less than common load balancers and clients wait. */
export const KEEP_ALIVE_MS = 10_000;

/** What comes within a time, or `silence`. */
export async function withSilenceTimeout<T>(next: Promise<T>, silenceMs: number): Promise<T | 'silence'> {
  let timer: NodeJS.Timeout | undefined;
  const silence = new Promise<'silence'>((resolve) => {
    timer = setTimeout(() => resolve('silence'), silenceMs);
  });
  try {
    return await Promise.race([next, silence]);
  } finally {
    clearTimeout(timer);
  }
}

/** So little of an answer waits in each place on its way: a client that does not read keeps all of them filled. */
export const TRANSIT_BYTES = 1024;
/** Long chunks go on in pieces: where several wait one behind the other, they are views of one and the same. */
const PIECE_BYTES = 16 * 1024;

/** What an event stream says in silence, so that nobody takes it for broken off. */
export interface KeepAlive {
  readonly silenceMs: number;
  readonly frame: string;
}

const EVENT_END = /(?:\r\n\r\n|\n\n|\r\r)$/;
const LONGEST_END = 4;
const NOTHING: Buffer = Buffer.alloc(0);

/**
 * The chunks of an answer as a stream that reads ahead as little as can be; with `keepAlive`, and a frame whenever there was
 * silence: never in the middle of an event.
 */
export function inTransit(chunks: AsyncIterable<Buffer>, keepAlive?: KeepAlive): Readable {
  return new Transit(chunks[Symbol.asyncIterator](), keepAlive);
}

/** What `Readable.from` makes of generators for pieces and for silence, without their promises for each chunk. */
class Transit extends Readable {
  /** What is left of a long chunk. */
  private rest = NOTHING;
  /** Whether a chunk was asked for and has not come. */
  private isWaiting = false;
  /** Whether the reader has room. */
  private isWanted = false;
  private silence: NodeJS.Timeout | undefined;
  /** The end of what has gone on: nothing yet is as good as the end of an event. */
  private tail = '\n\n';

  constructor(
    private readonly chunks: AsyncIterator<Buffer>,
    private readonly keepAlive: KeepAlive | undefined,
  ) {
    super({ highWaterMark: TRANSIT_BYTES });
  }

  override _read(): void {
    this.isWanted = true;
    if (!this.isWaiting) void this.pull();
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    clearTimeout(this.silence);
    const left: Promise<unknown> = this.chunks.return?.() ?? Promise.resolve();
    left.then(
      () => process.nextTick(done, error),
      (failure: unknown) => process.nextTick(done, failure ?? error),
    );
  }

  /** Gives the reader chunks as long as it has room. */
  private async pull(): Promise<void> {
    this.isWaiting = true;
    try {
      while (this.isWanted && !this.destroyed) {
        if (this.rest.length === 0) {
          this.expectSoon();
          const next = await this.chunks.next();
          if (this.destroyed) return;
          if (next.done === true) {
            clearTimeout(this.silence);
            this.push(null);
            return;
          }
          this.rest = next.value;
        }
        this.pushPiece();
      }
    } catch (error) {
      this.destroy(error as Error);
    } finally {
      this.isWaiting = false;
    }
  }

  private pushPiece(): void {
    const piece = this.rest.subarray(0, PIECE_BYTES);
    // An empty view would keep the whole chunk.
    this.rest = piece.length === this.rest.length ? NOTHING : this.rest.subarray(piece.length);
    if (this.keepAlive !== undefined) {
      const end = piece.toString('latin1', Math.max(0, piece.length - LONGEST_END));
      this.tail = (this.tail + end).slice(-LONGEST_END);
    }
    this.isWanted = this.push(piece);
  }

  /** Until now nobody waited; from here on, silence counts. */
  private expectSoon(): void {
    const { keepAlive } = this;
    if (keepAlive === undefined) return;
    if (this.silence === undefined) this.silence = setTimeout(() => this.stayAlive(keepAlive), keepAlive.silenceMs);
    else this.silence.refresh();
  }

  /** There was silence. A reader without room has enough to read, and nobody waits for a chunk that has come. */
  private stayAlive({ frame }: KeepAlive): void {
    if (this.destroyed || !this.isWaiting) return;
    if (this.isWanted && EVENT_END.test(this.tail)) this.isWanted = this.push(frame);
    this.silence?.refresh();
  }
}

/**
 * The stream, with what is to be done when it is over. A client may go away before anything is read: then generators behind
 * the stream never begin, and what stands in their `finally` is not done.
 *
 * @param then does nothing when it has been done already, and never rejects
 */
export function whenClosed(stream: Readable, then: () => Promise<unknown>): Readable {
  return stream.once('close', () => void then());
}
