import type { IncomingHttpHeaders } from 'node:http';
import { PROXY_PREFIX } from '../calls/index.js';
import type { ProviderConfig } from '../config/index.js';

/** Headers of answers with the URL of something that clients read. */
const URLS = ['location', 'content-location', 'operation-location'];
/** Headers of answers with the URL to which clients send the bytes of a file next. */
const UPLOAD_URLS = ['x-goog-upload-url', 'x-goog-upload-control-url'];
const WITH_URLS = [...URLS, ...UPLOAD_URLS, 'link'];
/** A target in `Link` (RFC 8288). */
const LINKED = /<([^<>]*)>/g;
/** A URL, or a path from the root of its server. Other references keep their meaning, because they continue the client's own URL. */
const FROM_THE_ROOT = /^(?:https?:)?\//i;

/**
 * The headers of an answer, with the URLs below the provider's base URL as clients reach them: through Weir. Other URLs stay as they are,
 * except those for the bytes of files: a client would send these bytes past Weir, so the header is removed.
 *
 * @param weirUrl where clients reach Weir
 */
export function withUrlsAtWeir(
  headers: IncomingHttpHeaders,
  { id, baseUrl }: Pick<ProviderConfig, 'id' | 'baseUrl'>,
  weirUrl: string,
): IncomingHttpHeaders {
  if (WITH_URLS.every((name) => headers[name] === undefined)) return headers;
  const base = new URL(baseUrl);
  const own = `${weirUrl}${PROXY_PREFIX}${id}`;
  const atWeir = (url: string): string | undefined => moved(url, base, own);
  const result: IncomingHttpHeaders = { ...headers };
  for (const name of URLS) result[name] = changed(headers[name], (url) => atWeir(url) ?? url);
  for (const name of UPLOAD_URLS) result[name] = changed(headers[name], atWeir);
  result['link'] = changed(headers['link'], (value) =>
    value.replace(LINKED, (written, url: string) => {
      const found = atWeir(url.trim());
      return found === undefined ? written : `<${found}>`;
    }),
  );
  return result;
}

/** The value of a header that may be repeated, changed; undefined if nothing is left of it. */
function changed(
  value: string | string[] | undefined,
  change: (value: string) => string | undefined,
): string | string[] | undefined {
  if (value === undefined) return undefined;
  if (typeof value === 'string') return change(value);
  const left = value.flatMap((each) => change(each) ?? []);
  return left.length === 0 ? undefined : left;
}

/** The URL below another base; undefined if it is not below the first one. The scheme may differ, as behind a proxy that ends TLS. */
function moved(url: string, from: URL, to: string): string | undefined {
  if (!FROM_THE_ROOT.test(url) || !URL.canParse(url, from.href)) return undefined;
  const { host, pathname, search, hash } = new URL(url, from);
  const prefix = from.pathname.replace(/\/$/, '');
  if (host !== from.host || !`${pathname}/`.startsWith(`${prefix}/`)) return undefined;
  return to + pathname.slice(prefix.length) + search + hash;
}
