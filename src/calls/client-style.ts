import type { ProviderConfig } from '../config/index.js';
import { styleOfDialect, type ProviderStyle } from '../core/index.js';
import { proxyTarget, PROXY_PREFIX, type ProxyTarget } from './proxy-target.js';

/** The headers of a request, by name in lower case. */
type RequestHeaders = Readonly<Record<string, string | string[] | undefined>>;

/** Anthropic's official clients send this header with every request: https://docs.anthropic.com/en/api/versioning */
const ANTHROPIC_VERSION = 'anthropic-version';

/**
 * The style of the client that sent a call: Weir sends it errors and keep-alive events in this style. A client reads them in the
 * format of the route that it calls, whoever serves the route: Anthropic serves chat completions, and many services with OpenAI's API
 * serve Anthropic's messages. On an unrecognised route, a client of Anthropic shows itself by its header, and any other client is taken
 * for one of the route's provider.
 */
export function clientStyle(
  { provider, dialect }: Pick<ProxyTarget, 'provider' | 'dialect'>,
  headers: RequestHeaders = {},
): ProviderStyle {
  return styleOfDialect(dialect) ?? (headers[ANTHROPIC_VERSION] === undefined ? provider.style : 'anthropic');
}

/**
 * The style of the client that sent a request to this URL, also if the request is refused because of its URL. Undefined for a URL that
 * names no provider.
 *
 * @param prefix the path of the entry point, before the provider's id
 */
export function clientStyleAt(
  url: string,
  headers: RequestHeaders,
  providers: readonly ProviderConfig[],
  prefix = PROXY_PREFIX,
): ProviderStyle | undefined {
  const [id] = url.slice(prefix.length).split('/', 1);
  const provider = providers.find((each) => each.id === id);
  return provider && clientStyle({ provider, dialect: dialectAt(url, providers, prefix) }, headers);
}

function dialectAt(url: string, providers: readonly ProviderConfig[], prefix: string): ProxyTarget['dialect'] {
  try {
    return proxyTarget(url, 'POST', providers, prefix).dialect;
  } catch {
    return 'generic';
  }
}
