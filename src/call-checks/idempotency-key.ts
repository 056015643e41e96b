import { createHash } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { invalidRequest } from '../http/index.js';

const HEADER = 'idempotency-key';
/** The same limit as that of an `event_id`, because the key becomes one. */
const KEY = /^[A-Za-z0-9_.:-]{1,128}$/;

/** The client's own id of a call. @throws WeirError `invalid_request` */
export function idempotencyKey(request: FastifyRequest): string | undefined {
  const key = request.headers[HEADER];
  if (key === undefined) return undefined;
  if (typeof key === 'string' && KEY.test(key)) return key;
  throw invalidRequest([{ path: HEADER, message: 'must be 1 to 128 letters, digits or any of "_.:-"' }]);
}

/** A hash that is equal exactly for equal requests: route, method, content type, content coding, and the bytes of the body. */
export function fingerprintOf(request: FastifyRequest, method: string): Buffer {
  const { 'content-type': type = '', 'content-encoding': coding = '' } = request.headers;
  const hash = createHash('sha256').update(JSON.stringify([request.raw.url, method, type, coding]));
  return hash.update(Buffer.isBuffer(request.body) ? request.body : '').digest();
}
