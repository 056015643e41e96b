import { Readable } from 'node:stream';

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
