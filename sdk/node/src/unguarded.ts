/**
 * Detects calls that bypass the guard in this process: sockets, and clients that ignore the `fetch` passed to them. In runtimes that
 * show their requests (Node.js), such calls are observed and reported; no connection is changed.
 */
import { isProviderHost } from './routes.js';
import { runtimeProcess } from './runtime.js';
import { sharedState } from './shared.js';

interface Channels {
  subscribe?(name: string, listener: (message: unknown) => void): void;
}

/** A request of Node's own `fetch` and `WebSocket`. */
interface FetchRequest {
  readonly origin?: unknown;
  readonly upgrade?: unknown;
  /** Alternating names and values. */
  readonly headers?: unknown;
}

/** A request of `node:http`, over which the package `ws` opens its sockets. */
interface HttpRequest {
  getHeader?(name: string): unknown;
}

interface Watch {
  /** Hosts that guarded calls were sent to, in addition to the known ones. */
  readonly hosts: Set<string>;
  ownHost?: string | undefined;
  warn?: (message: string) => void;
}

const watch = sharedState('unguarded', (): Watch => ({ hosts: new Set() }));

/** @param warn receives the reports from now on */
export function watchForUnguarded(baseUrl: string, warn: (message: string) => void): void {
  const isWatching = watch.warn !== undefined;
  watch.warn = warn;
  watch.ownHost = hostOf(baseUrl);
  if (isWatching) return;
  try {
    const channels = runtimeProcess()?.getBuiltinModule?.('node:diagnostics_channel') as Channels | undefined;
    channels?.subscribe?.('undici:request:create', (message) => seen(() => ofFetch(message)));
    channels?.subscribe?.('http.client.request.start', (message) => seen(() => ofHttp(message)));
  } catch {
    // The runtime does not show its requests; the guide lists what is not guarded.
  }
}

export function rememberGuardedHost(host: string): void {
  if (watch.hosts.size < 1000) watch.hosts.add(host);
}

/** Runs a listener and ignores its errors: an error thrown in a listener would end the process. */
function seen(look: () => void): void {
  try {
    look();
  } catch {
    // The messages are internals of the runtime, whose format may change.
  }
}

function ofFetch(message: unknown): void {
  const { origin, upgrade, headers } = (message as { request: FetchRequest }).request;
  const host = hostOf(String(origin));
  if (upgrade === 'websocket') return socketTo(host);
  if (host === watch.ownHost || !Array.isArray(headers)) return;
  const at = headers.findIndex((name) => /^x-goog-api-client$/i.test(String(name)));
  if (at >= 0) ofGoogle(String(headers[at + 1]));
}

function ofHttp(message: unknown): void {
  const { request } = message as { request: HttpRequest };
  if (/^websocket$/i.test(String(request.getHeader?.('upgrade')))) socketTo(String(request.getHeader?.('host')));
}

function socketTo(host: string | undefined): void {
  if (host === undefined || !(watch.hosts.has(host) || isProviderHost(host.replace(/:\d+$/, '')))) return;
  watch.warn?.(
    `Weir does not guard the WebSocket to ${host} that this process opens: sockets do not pass through fetch`,
  );
}

/** Warns if Google's client is older than 2.23 and ignores a custom `fetch`. @param client such as `google-genai-sdk/1.30.0 gl-node/…` */
function ofGoogle(client: string): void {
  const [, version, major, minor] = /google-genai-sdk\/((\d+)\.(\d+)[\w.-]{0,20})/.exec(client) ?? [];
  if (version === undefined || Number(major) > 2 || (Number(major) === 2 && Number(minor) >= 23)) return;
  watch.warn?.(
    `Weir does not guard @google/genai ${version}, which sends calls in this process: this version ignores a custom fetch; update it to 2.23 or later`,
  );
}

function hostOf(url: string): string | undefined {
  try {
    return new URL(url).host;
  } catch {
    return undefined;
  }
}
