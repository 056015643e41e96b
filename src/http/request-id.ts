import type { IncomingMessage } from 'node:http';
import { uuidV7 } from './uuid-v7.js';

export const REQUEST_ID_HEADER = 'x-request-id';

/** Visible ASCII: nothing that could break a log line or a header. */
const ACCEPTED = /^[\x21-\x7e]{1,128}$/;

/** The id that a request is known by: the client's own when it is fit to be shown, else a fresh UUIDv7. */
export function requestIdOf(raw: Pick<IncomingMessage, 'headers'>): string {
  const sent = raw.headers[REQUEST_ID_HEADER];
  return typeof sent === 'string' && ACCEPTED.test(sent) ? sent : uuidV7(Date.now());
}
