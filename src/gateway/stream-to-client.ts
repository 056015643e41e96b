/** The last step of every streamed answer: keep-alive comments, small chunks, and the end of the stream. */
import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { providerOfStyle, type ProviderStyle } from '../core/index.js';
import { EventTail } from './stream-tail.js';

/**
 * The maximum silence of a stream before a keep-alive frame is sent: shorter than the idle limit of common load
 * balancers and clients.
 */
export const KEEP_ALIVE_MS = 10_000;

/** Resolves to the next value, or to `silence` after a time. */
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

/**
 * The buffer size at each stage of an answer's path. It is small, because a client that does not read keeps all of them
 * full.
 */
export const TRANSIT_BYTES = 1024;
/** Long chunks are forwarded in pieces of this size; pieces that wait are views of the same chunk. */
const PIECE_BYTES = 16 * 1024;

/** The frame that an event stream sends during silence, so that it is not taken for broken off. */
export interface KeepAlive {
  readonly silenceMs: number;
  readonly frame: string;
}

/** The bytes that keep a stream to a client alive; undefined if the client would misread any. */
export function keepAliveFrame(style: ProviderStyle, reply: FastifyReply): string | undefined {
  return providerOfStyle(style).keepAlive((name) => reply.request.headers[name]?.toString());
}

/** The keep-alive frames of the stream to a client; undefined if it gets none. */
export function keepAliveFor(style: ProviderStyle, reply: FastifyReply): KeepAlive | undefined {
  const frame = keepAliveFrame(style, reply);
  return frame === undefined ? undefined : { silenceMs: KEEP_ALIVE_MS, frame };
}

const NOTHING: Buffer = Buffer.alloc(0);

/**
 * The chunks of an answer as a stream with minimal read-ahead. With `keepAlive`, it sends a frame after each silence,
 * never in the middle of an event.
 */
export function inTransit(chunks: AsyncIterable<Buffer>, keepAlive?: KeepAlive): Readable {
  return new Transit(chunks[Symbol.asyncIterator](), keepAlive);
}

/** Splits chunks into pieces and detects silence itself: `Readable.from` over generators would create promises for each chunk. */
class Transit extends Readable {
  /** The unsent rest of a long chunk. */
  private rest = NOTHING;
  /** Whether a requested chunk has not arrived yet. */
  private isWaiting = false;
  /** Whether the reader accepts more data. */
  private isWanted = false;
  private silence: NodeJS.Timeout | undefined;
  private readonly sent = new EventTail();

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

  /** Pushes chunks as long as the reader accepts them. */
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
    if (this.keepAlive !== undefined) this.sent.add(piece);
    this.isWanted = this.push(piece);
  }

  /** Restarts the silence timer when a reader begins to wait for a chunk. */
  private expectSoon(): void {
    const { keepAlive } = this;
    if (keepAlive === undefined) return;
    if (this.silence === undefined) this.silence = setTimeout(() => this.stayAlive(keepAlive), keepAlive.silenceMs);
    else this.silence.refresh();
  }

  /** Called after a silence. No frame is sent to a reader with unread data, or when a chunk has arrived. */
  private stayAlive({ frame }: KeepAlive): void {
    if (this.destroyed || !this.isWaiting) return;
    if (this.isWanted && this.sent.isBetweenEvents) this.isWanted = this.push(frame);
    this.silence?.refresh();
  }
}

/**
 * Runs a function when the stream has closed. When a client disconnects before the first read, generators that feed the
 * stream never begin and their `finally` blocks do not run.
 *
 * @param then has no effect when called again, and never rejects
 */
export function whenClosed(stream: Readable, then: () => Promise<unknown>): Readable {
  return stream.once('close', () => void then());
}
