import type { IncomingMessage } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { uuidV7 } from './uuid-v7.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** Whether detectors have checked the id of the request. */
    hasSettledId?: boolean | undefined;
    /** The id in log lines, while the id of the request may contain anything. */
    standInId?: string | undefined;
  }
}

export const REQUEST_ID_HEADER = 'x-request-id';

/** Visible ASCII: no characters that could break a log line or a header. */
const ACCEPTED = /^[\x21-\x7e]{1,128}$/;

/** The id of a request: the client's own if it has only accepted characters, otherwise a new UUIDv7. */
export function requestIdOf(raw: Pick<IncomingMessage, 'headers'>): string {
  const sent = raw.headers[REQUEST_ID_HEADER];
  return typeof sent === 'string' && ACCEPTED.test(sent) ? sent : uuidV7(Date.now());
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Sets the id for the answer and for log lines, after detectors have checked that it has no findings. */
export function settleRequestId(request: FastifyRequest, reply: FastifyReply, id: string): void {
  request.hasSettledId = true;
  if (id === request.id) return;
  request.id = id;
  reply.header(REQUEST_ID_HEADER, id);
}

/**
 * The id of a request in log lines. An id of a client may contain anything: until detectors have checked it, another id is logged in
 * its place, unless it is a UUID.
 */
export function loggedIdOf(request: FastifyRequest): string {
  if (request.hasSettledId === true || UUID.test(request.id)) return request.id;
  return (request.standInId ??= uuidV7(Date.now()));
}
