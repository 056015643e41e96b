/** The provider of a URL, and the part of the URL that is sent to Weir. */

import { OPERATIONS } from './api/operations.js';

const HOSTS: readonly (readonly [RegExp, string])[] = [
  [/(?:^|\.)api\.openai\.com$/, 'openai'],
  [/\.openai\.azure\.com$/, 'openai'],
  [/\.cognitiveservices\.azure\.com$/, 'openai'],
  [/\.services\.ai\.azure\.com$/, 'openai'],
  [/(?:^|\.)api\.anthropic\.com$/, 'anthropic'],
  [/(?:^|\.)generativelanguage\.googleapis\.com$/, 'gemini'],
  [/(?:^|[.-])aiplatform(?:\.[a-z]+(?:-[a-z0-9]+)?\.rep)?\.googleapis\.com$/, 'gemini'],
];

/** Routes by the ends of their paths, for other hosts that implement a provider's API. */
const ENDS: readonly (readonly [RegExp, string, string])[] = [
  [/\/(?:chat\/completions|completions|responses|embeddings)$/i, 'openai', '/v1'],
  [/\/messages(?:\/count_tokens)?$/i, 'anthropic', '/v1'],
  [/\/models\/[^/]+:[a-z]+$/i, 'gemini', '/v1beta'],
];

/** The path prefixes that vendors put before a route and that the service recognizes. */
const KNOWN_PREFIX =
  /^(?:\/(?:api|openai|anthropic|compatible-mode|inference|serverless|models|paas|ai|v\d+[a-z0-9]*|(?:deployments|engines|accounts)\/[^/]+))*$/i;

/** Query parameters for the provider's credential, which is not sent to Weir. */
const CREDENTIAL_PARAMETERS = /^(?:access_token|api-key|api_key|apikey|auth_token|key|subscription-key)$/i;

/** Routes on which clients fetch short-lived credentials: they contain no prompt, but a secret. */
const TOKEN_ROUTE = /\/oauth2?(?:\/[\w.-]+)*\/token$/i;

/** Matches parts of a URL with only the characters of ids, dates and options; other parts may be prose. */
const PLAIN = /^[A-Za-z0-9_:./-]{0,200}$/;
const MANY_DIGITS = /(?:\d[ .:/-]?){7}/;
const DRAWN = /^(?:[A-Za-z][A-Za-z0-9]*[_-])+[A-Za-z0-9_-]{8,}$/;

/** A provider's id, and the path of its route. */
const PROXIED = /^([^/]+)(\/.*)$/;

/** The beginnings of the paths of Weir's own routes. */
const WEIR_ROUTES: ReadonlySet<string> = new Set(Object.values(OPERATIONS).map(([, path]) => beginningOf(path)));

export interface Route {
  /** The provider's id in Weir. Undefined when it cannot be determined. */
  readonly provider: string | undefined;
  /** The path after the provider's id in Weir's URL, with the query; without credentials. */
  readonly path: string;
  readonly isTokenRoute: boolean;
  /** Whether path or query may contain text to judge. */
  readonly holdsWords: boolean;
}

/** Whether a URL is a route of Weir itself, such as that of its proxy. Another route at the same address may be a provider's. */
export function isOfWeir({ origin, pathname }: URL, baseUrl: string): boolean {
  const base = new URL(baseUrl);
  const prefix = prefixOf(base);
  if (origin !== base.origin || !pathname.startsWith(`${prefix}/`)) return false;
  return WEIR_ROUTES.has(beginningOf(pathname.slice(prefix.length)));
}

/** The path before the routes of Weir, without a slash at its end. */
function prefixOf({ pathname }: URL): string {
  return pathname.replace(/\/+$/, '');
}

/**
 * The provider's id in a path of Weir's proxy, and the provider's own path; undefined for other paths. The host does not matter: some
 * clients put the host that they know on an address that Weir has named.
 */
export function proxyRouteOf(
  { pathname }: URL,
  baseUrl: string,
): { readonly provider: string; readonly path: string } | undefined {
  const proxy = `${prefixOf(new URL(baseUrl))}/proxy/`;
  const [, provider, path] = pathname.startsWith(proxy) ? (PROXIED.exec(pathname.slice(proxy.length)) ?? []) : [];
  return provider === undefined || path === undefined ? undefined : { provider, path };
}

/** The part of a path that tells routes of Weir from others: `/v1/events`, `/proxy`. */
function beginningOf(path: string): string {
  return /^\/(?:v1\/)?[^/:]*/.exec(path)?.[0] ?? '';
}

export function isProviderHost(hostname: string): boolean {
  return HOSTS.some(([host]) => host.test(hostname));
}

/** @param provider the provider's id in Weir, if the kind of client or an option determines it */
export function routeOf(url: URL, provider: string | undefined): Route {
  const { pathname, hostname } = url;
  const byEnd = ENDS.find(([end]) => end.test(pathname.replace(/\/$/, '')));
  const byHost = HOSTS.find(([host]) => host.test(hostname))?.[1];
  const query = queryOf(url);
  return {
    provider: provider ?? (/\/publishers\/anthropic\//.test(pathname) ? 'anthropic' : (byHost ?? byEnd?.[1])),
    path: pathAtWeir(pathname, byEnd) + query,
    isTokenRoute: TOKEN_ROUTE.test(pathname),
    holdsWords: !isPlainUrl(pathname, query),
  };
}

/** Removes a prefix that the service does not know, because the service would not recognize the route. */
function pathAtWeir(pathname: string, byEnd: (typeof ENDS)[number] | undefined): string {
  if (byEnd === undefined) return pathname;
  const [end, , version] = byEnd;
  const route = end.exec(pathname.replace(/\/$/, ''))![0];
  const prefix = pathname.slice(0, pathname.lastIndexOf(route));
  return KNOWN_PREFIX.test(prefix) ? pathname : version + route;
}

/** The original query without credentials. */
function queryOf({ search }: URL): string {
  const kept = search
    .slice(1)
    .split('&')
    .filter((parameter) => parameter !== '' && !CREDENTIAL_PARAMETERS.test(parameter.split('=', 1)[0]!));
  return kept.length === 0 ? '' : `?${kept.join('&')}`;
}

function isPlainUrl(pathname: string, query: string): boolean {
  try {
    const parts = [...pathname.split('/'), ...query.slice(1).split(/[&=]/)].map((part) => decodeURIComponent(part));
    return parts.every((part) => PLAIN.test(part) && (!MANY_DIGITS.test(part) || DRAWN.test(part)));
  } catch {
    return false;
  }
}
