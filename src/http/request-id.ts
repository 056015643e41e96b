import type { IncomingMessage } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { uuidV7 } from './uuid-v7.js';

export const REQUEST_ID_HEADER = 'x-request-id';

/** Visible ASCII: no characters that could break a log line or a header. */
const ACCEPTED = /^[\x21-\x7e]{1,128}$/;

/** The id that a request is known by: the client's own when it is fit to be shown, else a fresh UUIDv7. */
export function requestIdOf(raw: Pick<IncomingMessage, 'headers'>): string {
  const sent = raw.headers[REQUEST_ID_HEADER];
  return typeof sent === 'string' && ACCEPTED.test(sent) ? sent : uuidV7(Date.now());
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Requests whose id detectors have read. Kept beside the request: hooks and the logger share nothing else. */
const settled = new WeakSet<FastifyRequest>();
const standIns = new WeakMap<FastifyRequest, string>();

/** From now on the request is known by this id, in its answer and in log lines: nothing in it has to stay hidden. */
export function settleRequestId(request: FastifyRequest, reply: FastifyReply, id: string): void {
  settled.add(request);
  if (id === request.id) return;
  request.id = id;
  reply.header(REQUEST_ID_HEADER, id);
}

/**
 * The id under which a request stands in log lines. One that a client made may hold anything: until detectors have read
 * it, another one stands for it, unless it is a UUID.
 */
export function loggedIdOf(request: FastifyRequest): string {
  if (settled.has(request) || UUID.test(request.id)) return request.id;
  const id = standIns.get(request) ?? uuidV7(Date.now());
  standIns.set(request, id);
  return id;
}
