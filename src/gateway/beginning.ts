import type { Readable } from 'node:stream';
import { leavable } from './drained.js';

/** The first bytes of a body, as soon as there are any; none for one that ends or fails before. The body is as before. */
export async function beginningOf(body: Readable): Promise<Buffer> {
  try {
    for await (const chunk of leavable(body)) {
      if (chunk.length === 0) continue;
      body.unshift(chunk);
      return chunk;
    }
  } catch {
    // Who reads the body hears of it.
  }
  return Buffer.alloc(0);
}
