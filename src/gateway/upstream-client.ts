import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import { Agent, buildConnector, errors, type Dispatcher } from 'undici';
import type { AppConfig } from '../config/index.js';
import { WeirError } from '../http/index.js';
import { forgetRawHeaders } from './forget-raw-headers.js';
import { TRANSIT_BYTES } from './in-transit.js';
import { passOverContinue } from './unasked-continue.js';

export interface UpstreamRequest {
  /** Origin and path prefix, from the configuration. */
  readonly baseUrl: string;
  /** What follows it, with the query; checked by `proxyTarget`. */
  readonly path: string;
  readonly method: string;
  /** Name and value in turn. */
  readonly headers: readonly string[];
  readonly body: Buffer | undefined;
  readonly signal: AbortSignal;
}

export interface UpstreamAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** As it comes; nothing is unpacked. Destroying it ends the call. */
  readonly body: Readable;
}

/** Connections kept open to one provider at most. */
const CONNECTIONS = 512;
const KEEP_ALIVE_MS = 20_000;

/**
 * Calls providers: origins are the configured ones, redirects are not followed, bodies are not touched. One pool per
 * origin; time limits for connecting, for the first byte and for silence.
 */
export class UpstreamClient {
  private readonly agent: Dispatcher;

  constructor(limits: AppConfig['proxy']) {
    this.agent = new Agent({
      connections: CONNECTIONS,
      pipelining: 1,
      allowH2: false,
      keepAliveTimeout: KEEP_ALIVE_MS,
      connect: connector(limits.connectTimeoutMs),
      headersTimeout: limits.headersTimeoutMs,
      bodyTimeout: limits.idleTimeoutMs,
    }).compose(forgetRawHeaders);
  }

  /**
   * Resolves when the answer's headers are there, whatever its status.
   * @throws WeirError `upstream_unreachable`, `upstream_timeout`; the signal's reason when it was aborted
   */
  async send({ baseUrl, path, method, headers, body, signal }: UpstreamRequest): Promise<UpstreamAnswer> {
    const base = new URL(baseUrl);
    const answer = await this.agent
      .request({
        origin: base.origin,
        path: base.pathname.replace(/\/$/, '') + path,
        method,
        headers: [...headers],
        body: body ?? null,
        signal,
        highWaterMark: TRANSIT_BYTES,
      })
      .catch((error: unknown) => {
        throw signal.aborted ? signal.reason : upstreamError(error);
      });
    // Who reads the body hears of its errors; a body that nobody reads to its end must not take the process down.
    answer.body.on('error', () => undefined);
    return { status: answer.statusCode, headers: answer.headers, body: answer.body };
  }

  close(): Promise<void> {
    return this.agent.destroy();
  }
}

function connector(timeout: number): buildConnector.connector {
  // What undici does not know goes on to the socket.
  const ofSocket = { timeout, allowH2: false, highWaterMark: TRANSIT_BYTES };
  const connect = buildConnector(ofSocket);
  return (options, callback) =>
    connect(options, (...[error, socket]) => {
      // Whatever its types say, undici passes nothing at all for the socket that there is not.
      if (error === null) callback(null, passOverContinue(socket));
      else callback(error, null);
    });
}

/** What went wrong on the way to or from a provider, as the client is told. */
export function upstreamError(cause: unknown): WeirError {
  if (cause instanceof WeirError) return cause;
  const late =
    cause instanceof errors.ConnectTimeoutError ||
    cause instanceof errors.HeadersTimeoutError ||
    cause instanceof errors.BodyTimeoutError;
  return new WeirError(late ? 'upstream_timeout' : 'upstream_unreachable', { cause });
}

const NOT_CONNECTED = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH']);

/** Whether a call failed before the provider can have got any of it. */
export function neverSent(error: unknown): boolean {
  const cause: unknown = error instanceof WeirError ? error.cause : error;
  if (cause instanceof errors.ConnectTimeoutError) return true;
  return cause instanceof Error && 'code' in cause && NOT_CONNECTED.has(String(cause.code));
}
