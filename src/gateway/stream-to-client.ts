/** What every streamed answer goes through last: signs of life in silence, small pieces, and word of its end. */
import { Readable } from 'node:stream';

/** How long a stream may be silent before it is kept alive: less than common load balancers and clients wait. */
export const KEEP_ALIVE_MS = 10_000;

const EVENT_END = /(?:\r\n\r\n|\n\n|\r\r)$/;

/**
 * The chunks of an event stream as they come, and a frame whenever there was silence; a frame never falls into the
 * middle of an event.
 */
export async function* withKeepAlives(
  chunks: AsyncIterable<Buffer>,
  silenceMs: number,
  frame: string,
): AsyncGenerator<Buffer> {
  const iterator = chunks[Symbol.asyncIterator]();
  let tail = '\n\n';
  try {
    for (;;) {
      const next = iterator.next();
      let result = await withSilenceTimeout(next, silenceMs);
      while (result === 'silence') {
        if (EVENT_END.test(tail)) yield Buffer.from(frame);
        result = await withSilenceTimeout(next, silenceMs);
      }
      if (result.done === true) return;
      tail = (tail + result.value.subarray(-4).toString('latin1')).slice(-4);
      yield result.value;
    }
  } finally {
    await iterator.return?.();
  }
}

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

/** The chunks of an answer as a stream that reads ahead as little as can be. */
export function inTransit(chunks: AsyncIterable<Buffer>): Readable {
  return Readable.from(inPieces(chunks), { objectMode: false, highWaterMark: TRANSIT_BYTES });
}

async function* inPieces(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  for await (const chunk of chunks) {
    for (let at = 0; at < chunk.length; at += PIECE_BYTES) yield chunk.subarray(at, at + PIECE_BYTES);
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
