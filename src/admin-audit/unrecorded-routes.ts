import { RequestMethod } from '@nestjs/common';
import { METHOD_METADATA, PATH_METADATA } from '@nestjs/common/constants.js';
import type { MetadataScanner } from '@nestjs/core';
import { CSP_REPORTS_PATH } from '../http/index.js';
import { recordingOf } from './records.js';

/** A route as registered in the HTTP server. */
export interface ServedRoute {
  /** Upper case. */
  readonly method: string;
  /** With parameters as `:name`. */
  readonly url: string;
}

const MUTATING: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH', 'DELETE']);

/**
 * Routes that need no declaration: those for calls, which the event log records, webhooks, whose senders are recorded as `system`, and
 * the route of browsers' reports, which are only counted.
 */
const EXEMPT: readonly ((url: string) => boolean)[] = [
  (url) => url === '/v1/events' || url === '/v1/events::batch',
  (url) => url.startsWith('/proxy/'),
  (url) => url.startsWith('/v1/calls/'),
  (url) => url.startsWith('/webhooks/'),
  (url) => url === CSP_REPORTS_PATH,
];

/** The service must not start: somebody could change an account without an entry in its audit log. */
export class UnrecordedRoute extends Error {
  override readonly name = 'UnrecordedRoute';
}

/**
 * Checks that every mutating route declares its actions with `@Records`.
 *
 * @param served every route of the HTTP server, including those of no controller
 * @param controllers every controller's class
 * @throws UnrecordedRoute naming all routes that declare nothing
 */
export function assertRoutesRecord(
  served: readonly ServedRoute[],
  controllers: readonly object[],
  scanner: MetadataScanner,
): void {
  const declared = new Set(controllers.flatMap((controller) => declaredBy(controller, scanner)));
  const missing = served
    .filter(({ method, url }) => MUTATING.has(method) && !EXEMPT.some((isExempt) => isExempt(url)))
    .map(({ method, url }) => `${method} ${normal(url)}`)
    .filter((route) => !declared.has(route));
  if (missing.length > 0) {
    throw new UnrecordedRoute(`These routes declare no admin action (@Records): ${[...new Set(missing)].join(', ')}`);
  }
}

/** `METHOD /path` of each handler that declares its actions. */
function declaredBy(controller: object, scanner: MetadataScanner): string[] {
  const { prototype } = controller as { readonly prototype: Record<string, object> };
  return scanner.getAllMethodNames(prototype).flatMap((name) => {
    const handler = prototype[name];
    if (handler === undefined || recordingOf(handler) === undefined) return [];
    const method = Reflect.getMetadata(METHOD_METADATA, handler) as RequestMethod | undefined;
    if (method === undefined) return [];
    return paths(controller).flatMap((base) =>
      paths(handler).map((path) => `${RequestMethod[method]} ${normal(`${base}/${path}`)}`),
    );
  });
}

function paths(target: object): string[] {
  const path = Reflect.getMetadata(PATH_METADATA, target) as string | string[] | undefined;
  return path === undefined ? [''] : [path].flat();
}

/** The path with one slash before each part and none at the end. */
function normal(path: string): string {
  return `/${path.split('/').filter(Boolean).join('/')}`;
}
