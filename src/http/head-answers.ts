import { Readable } from 'node:stream';

/**
 * The payload of an answer to `HEAD`: a stream is closed, and an empty one takes its place. Fastify would read a stream of any length to
 * its end, at full speed, although nobody receives it: https://github.com/fastify/fastify/blob/v5.x/lib/head-route.js
 */
export function unsentPayload(payload: unknown): unknown {
  if (!(payload instanceof Readable)) return payload;
  payload.on('error', () => undefined);
  payload.destroy();
  return Readable.from([]);
}
