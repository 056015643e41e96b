/**
 * The only guard against cross-site requests (OWASP, Cross-Site Request Forgery Prevention: Fetch Metadata first, Origin as the fallback).
 * It runs before every route, so no route can omit it, and it uses the route found by the router, because the same route can be written as
 * different URLs.
 */
import { RouteConfig } from '@nestjs/platform-fastify';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { sessionTokenOf } from '../access/index.js';
import { WeirError } from '../http/index.js';

const SAFE: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Set by `@ConfirmsLink`. */
    confirmsLink?: true;
    /** The route only counts: browsers call it by themselves, with the session but without an origin. */
    onlyCounts?: true;
  }
}

/** A request as the guard sees it. */
export type Guarded = Pick<FastifyRequest, 'method' | 'headers'> & {
  readonly routeOptions: Pick<FastifyRequest['routeOptions'], 'url' | 'config'>;
};

/**
 * Prefixes of the patterns of routes for programs: they require a key, a token or a signature, which no browser sends by itself. Any
 * other route counts as a route of pages.
 */
const FOR_PROGRAMS: readonly string[] = ['/v1/', '/proxy/', '/webhooks/'];

/** Marks a route that confirms a link from a mail: only a button on our own page calls it, so the origin must be proven. */
export const ConfirmsLink = (): MethodDecorator => RouteConfig({ confirmsLink: true });

const FORM_TYPES = /^(?:application\/x-www-form-urlencoded|multipart\/form-data|text\/plain)\b/i;

export type Origin = 'same' | 'other' | 'unknown';

/**
 * The origin of a request, as far as its headers show it.
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
 * Whether a request may have effects. Only browsers send cross-site requests, and they declare the origin: a request without an origin
 * passes unless it has a cookie or is a plain form. A request that matches no route, or one that only counts, has no effects.
 */
export function mayAct(request: Guarded, ownOrigin: string): boolean {
  const { url: route, config } = request.routeOptions;
  if (SAFE.has(request.method) || route === undefined || config.onlyCounts === true) return true;
  const hasSession = sessionTokenOf(request) !== undefined;
  // Browsers never add a token or key by themselves. If a request has one, its cookie is ignored, except on routes of pages.
  const hasCredential = request.headers.authorization !== undefined;
  const isForPrograms = FOR_PROGRAMS.some((prefix) => route.startsWith(prefix));
  if (isForPrograms && (hasCredential || !hasSession)) return true;
  const origin = originOf(request, ownOrigin);
  if (origin !== 'unknown') return origin === 'same';
  return !hasSession && config.confirmsLink !== true && !FORM_TYPES.test(request.headers['content-type'] ?? '');
}

/** Puts the guard before every route that is added from now on. */
export function refuseOtherSites(server: FastifyInstance, baseUrl: string): void {
  const ownOrigin = new URL(baseUrl).origin;
  server.addHook('onRequest', (request, _reply, done) => {
    if (mayAct(request, ownOrigin)) done();
    else done(new WeirError('forbidden', { message: 'The request does not come from a page of this service' }));
  });
}
