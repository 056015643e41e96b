import type { ProviderConfig } from '../config/index.js';
import { dialectOfRoute, providerOfStyle, PROVIDERS, type Dialect, type RouteFacts } from '../core/index.js';
import { invalidRequest, WeirError } from '../http/index.js';

export const PROXY_PREFIX = '/proxy/';

/** Methods of providers' routes. `TRACE` is missing: its answer contains the request, and with it the provider's credential. */
export const PROXIED_METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const;
export const CALLS_PREFIX = '/v1/calls/';

/** The provider and path of a proxied call, and the dialect in which its body is read. */
export interface ProxyTarget {
  readonly provider: ProviderConfig;
  /** The path below the provider's base URL with the query, as the client wrote it, but without a repeated version. Starts with `/`. */
  readonly path: string;
  readonly dialect: Dialect;
  /** The properties of the call that follow from its route instead of its body. */
  readonly facts: RouteFacts;
  /** Whether the body must be JSON that Weir can read; on other routes, any body is forwarded. */
  readonly governed: boolean;
  /** Whether the route accepts files for a model to read. */
  readonly takesUploads: boolean;
}

/**
 * The prefixes that vendors put before a route: versions (`/v1`, `/v1beta`), names (`/api`, `/openai`, `/inference`), deployments and
 * engines (`/openai/deployments/{name}`), accounts (`/accounts/{id}/ai`).
 */
const ROUTE_PREFIX =
  /^(?:\/(?:api|openai|anthropic|compatible-mode|inference|serverless|models|paas|ai|v\d+[a-z0-9]*|(?:deployments|engines|accounts)\/[^/]+))*(?=\/)/;
/** A version written twice, because the base URL ends with it and the client also writes it before each route: `/v1/v1/messages`. */
const VERSION_TWICE = /^(\/v\d+[a-z0-9]*)\1(?=\/)/;
/** Routes for files; Google's begin with `/upload`: https://ai.google.dev/api/files, https://ai.google.dev/api/file-search */
const UPLOAD_ROUTE = /^\/upload\/|(?:^|\/)(?:files|uploads|uploads\/[^/]+\/parts)$/;
/** The characters of a path segment, including escapes (RFC 3986, `pchar`); `ENCODED_SEPARATOR` excludes those of separators. */
const SEGMENT = /^(?:[A-Za-z0-9._~!$&'()*+,;=:@-]|%[0-9A-Fa-f]{2})*$/;
const ENCODED_SEPARATOR = /%(?:5c|2e|00|0a|0d|23|3f|25)/i;
/** Clients write a model's name as one segment (`/models/meta-llama%2FLlama-3.1-8B`). Some servers read it as several. */
const ENCODED_SLASH = /%2f/gi;
const HOLDS_MODELS = /^models?$/;
const QUERY = /^[\x21\x24-\x3b\x3d\x3f-\x5b\x5d\x5f\x61-\x7a\x7e%]*$/;

/** The governed routes, each with a regular expression for its paths, with any of the vendors' prefixes. */
export function governedRoutes(): { readonly path: string; readonly pattern: string }[] {
  return Object.values(PROVIDERS).flatMap(({ apiRoutes }) =>
    apiRoutes.map((route) => {
      const path = route.path.replace(ROUTE_PREFIX, '');
      const parts = path.split(/\{\w+\}/).map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
      return { path, pattern: `${ROUTE_PREFIX.source}${parts.join('[^/]+')}/?$` };
    }),
  );
}

/**
 * The target that a raw request URL names.
 *
 * @param url the URL of the request line, neither decoded nor normalised
 * @param prefix the path of the entry point, before the provider's id
 * @throws WeirError `not_found` for an unknown provider; `invalid_request` for a path that servers could read in two
 * ways: an encoded separator or dot, `..`, an empty segment, a backslash, escapes that are not UTF-8. An encoded slash in a model's name is
 * accepted where the route is not governed, however the slash is read
 */
export function proxyTarget(
  url: string,
  method: string,
  providers: readonly ProviderConfig[],
  prefix = PROXY_PREFIX,
): ProxyTarget {
  const provider = providerOf(url, providers, prefix);
  const [rawPath = '', ...queries] = url.split('?');
  const written = rawPath.slice(prefix.length + provider.id.length);
  const path = providerOfStyle(provider.style).clientWritesVersion ? written.replace(VERSION_TWICE, '$1') : written;
  const query = queries.length === 0 ? '' : `?${queries.join('?')}`;
  const route = isPlainPath(path) && QUERY.test(query) ? routeOf(path) : undefined;
  if (route === undefined) throw ambiguousUrl();
  // Routes are recognised whatever the provider's style, because many providers also serve the routes of others.
  const known = method === 'POST' ? dialectOfRoute(route, decodeURIComponent(path), query) : undefined;
  const isGoverned = known !== undefined || (method === 'POST' && isGovernedInOneSegment(path, query));
  if (isGoverned && path.search(ENCODED_SLASH) >= 0) throw ambiguousUrl();
  if (known?.refused !== undefined) throw invalidRequest([{ path: 'url', message: known.refused }]);
  const { dialect, ...facts } = known ?? { dialect: 'generic' as const };
  return {
    provider,
    path: path + query,
    dialect,
    facts,
    governed: isGoverned,
    takesUploads: UPLOAD_ROUTE.test(route),
  };
}

/**
 * The provider that a raw request URL names.
 *
 * @throws WeirError `not_found` when there is no such provider, and for any other spelling of the proxy's own path
 */
export function providerOf(url: string, providers: readonly ProviderConfig[], prefix = PROXY_PREFIX): ProviderConfig {
  const [rawPath = ''] = url.split('?', 1);
  const rest = rawPath.slice(prefix.length);
  const slash = rest.indexOf('/');
  const provider = slash < 0 ? undefined : providers.find(({ id }) => id === rest.slice(0, slash));
  if (!rawPath.startsWith(prefix) || provider === undefined) throw new WeirError('not_found');
  return provider;
}

/**
 * The path as a lenient server would read it: decoded, in lower case, without parameters (`;v=1`), a trailing slash, and the
 * prefixes before a route. Undefined for escapes that are not UTF-8.
 */
function routeOf(path: string): string | undefined {
  try {
    const decoded = decodeURIComponent(path).toLowerCase();
    return decoded
      .replace(/;[^/]*/g, '')
      .replace(/\/$/, '')
      .replace(ROUTE_PREFIX, '');
  } catch {
    return undefined;
  }
}

/** Whether a path with encoded slashes is that of a governed route for a server that reads them as characters of a name. */
function isGovernedInOneSegment(path: string, query: string): boolean {
  const read = path.replace(ENCODED_SLASH, '%252F');
  if (read === path) return false;
  const route = routeOf(read);
  return route === undefined || dialectOfRoute(route, decodeURIComponent(read), query) !== undefined;
}

function isPlainPath(path: string): boolean {
  const segments = path.slice(1).split('/');
  return segments.every((segment, index) => {
    if (segment === '') return index === segments.length - 1 && index > 0;
    if (!SEGMENT.test(segment) || ENCODED_SEPARATOR.test(segment)) return false;
    const names = segment.split(ENCODED_SLASH);
    if (names.length > 1 && (segment.includes(';') || !HOLDS_MODELS.test(segments[index - 1] ?? ''))) return false;
    return names.every((name) => name !== '' && name !== '.' && name !== '..');
  });
}

function ambiguousUrl(): WeirError {
  return invalidRequest([{ path: 'url', message: 'must be a plain path without encoded separators' }]);
}
