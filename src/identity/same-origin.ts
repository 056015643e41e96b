/**
 * The one guard against requests that other sites make a browser send (OWASP, Cross-Site Request Forgery Prevention:
 * Fetch Metadata first, Origin as the fallback). It stands before every route, so no route can forget it.
 */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { sessionTokenOf } from '../access/index.js';
import { WeirError } from '../http/index.js';

const SAFE: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/** Links from mails are confirmed by a button on our own page and by nothing else, so these need a proof. */
const NEED_PROOF: ReadonlySet<string> = new Set(['/auth/verify', '/auth/reset/confirm', '/auth/email/confirm']);

const FORM_TYPES = /^(?:application\/x-www-form-urlencoded|multipart\/form-data|text\/plain)\b/i;

export type Origin = 'same' | 'other' | 'unknown';

/**
 * Where a request was made, as far as its headers tell.
 *
 * @param ownOrigin scheme, host and port of the base URL
 */
export function originOf({ headers }: Pick<FastifyRequest, 'headers'>, ownOrigin: string): Origin {
  const site = headers['sec-fetch-site'];
  if (site !== undefined) return site === 'same-origin' ? 'same' : 'other';
  if (headers.origin !== undefined) return headers.origin === ownOrigin ? 'same' : 'other';
  return 'unknown';
}

/**
 * Whether a request may be acted on. Only browsers send what they were not asked for, and they say where it comes from:
 * a request without a word about that passes when nothing in it came by itself (a cookie) or from a plain form.
 */
export function mayAct(request: FastifyRequest, ownOrigin: string): boolean {
  if (SAFE.has(request.method)) return true;
  const path = request.url.split('?', 1)[0] ?? '';
  const hasSession = sessionTokenOf(request) !== undefined;
  // A token or key is never sent by itself, and with one a cookie does not count: but for /auth, which takes none.
  const hasCredential = request.headers.authorization !== undefined;
  if (!path.startsWith('/auth/') && (hasCredential || !hasSession)) return true;
  const origin = originOf(request, ownOrigin);
  if (origin !== 'unknown') return origin === 'same';
  return !hasSession && !NEED_PROOF.has(path) && !FORM_TYPES.test(request.headers['content-type'] ?? '');
}

/** Puts the guard before every route that is added from now on. */
export function refuseOtherSites(server: FastifyInstance, baseUrl: string): void {
  const ownOrigin = new URL(baseUrl).origin;
  server.addHook('onRequest', (request, _reply, done) => {
    if (mayAct(request, ownOrigin)) done();
    else done(new WeirError('forbidden', { message: 'The request does not come from a page of this service' }));
  });
}
