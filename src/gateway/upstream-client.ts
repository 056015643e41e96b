import type { IncomingHttpHeaders } from 'node:http';
import type { Duplex, Readable } from 'node:stream';
import { Agent, buildConnector, errors, type Dispatcher } from 'undici';
import { isEventStream, isFramed } from '../calls/index.js';
import type { AppConfig } from '../config/index.js';
import { WeirError } from '../http/index.js';
import { AccountPlaces } from '../overload/index.js';
import { NAMES, type NameLookups } from '../resilience/index.js';
import { traceHeaders } from '../telemetry/index.js';
import { TRANSIT_BYTES } from './stream-to-client.js';

export interface UpstreamRequest {
  /** The account of the call, which shares the connections to the provider with others. */
  readonly accountId: string;
  /** Origin and path prefix, from the configuration. */
  readonly baseUrl: string;
  /** The path after the base URL, including the query; checked by `proxyTarget`. */
  readonly path: string;
  readonly method: string;
  /** Alternating names and values. */
  readonly headers: readonly string[];
  readonly body: Buffer | undefined;
  readonly signal: AbortSignal;
  /** Called when the first piece of an event stream arrives. */
  readonly onStreamBegins?: () => void;
}

export interface UpstreamAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** The body as it arrives, still in its content coding. Destroying it ends the call. */
  readonly body: Readable;
}

/**
 * The maximum number of open connections to one provider, in total and per account, so that no account uses all connections; and the
 * maximum time to wait for a connection.
 */
const PLACES = { all: 768, ofAccount: 512, waitMs: 2_000 };
const KEEP_ALIVE_MS = 20_000;
const OF_TRACES: ReadonlySet<string> = new Set(['traceparent', 'tracestate']);

/** The location of a provider. */
interface Place {
  readonly origin: string;
  /** The prefix of the paths of its routes. */
  readonly prefix: string;
  /** The connections to the origin. */
  readonly places: AccountPlaces;
}

/** No connection to a provider became free in time: the provider received nothing. */
export class NoConnection extends WeirError {
  constructor() {
    super('unavailable', { message: 'No connection to the provider became free in time', retryAfterSeconds: 1 });
  }
}

/** The connection of a call could not be established: the provider received nothing. */
class NotConnected extends WeirError {
  constructor(cause: unknown) {
    super(typeOf(cause), { cause });
  }
}

/** The fields of a request that undici does not know. */
interface Watched {
  readonly onStreamBegins?: (() => void) | undefined;
}

/**
 * Reports the first piece of an event stream. It also releases the raw header bytes of an answer once they are read:
 * they are views of a network buffer and would keep all of it alive for the duration of the answer.
 *
 * It ends a pause at the last byte of an answer with a known length: undici notices the end of such an answer only when it goes on
 * reading, so if the provider closed the connection meanwhile, undici would discard the complete answer as broken off.
 *
 * It limits the time until the answer after interim responses: undici starts its own timer again at each of them. Most answers have none,
 * so they need no second timer.
 */
const watchAnswer =
  (headersTimeoutMs: number): Dispatcher.DispatcherComposeInterceptor =>
  (dispatch) =>
  (options: Dispatcher.DispatchOptions & Watched, handler) => {
    let onFirstPiece: (() => void) | undefined;
    let bytesLeft = Number.NaN;
    let deadlineMs = Number.NaN;
    let timer: NodeJS.Timeout | undefined;
    return dispatch(options, {
      onRequestStart(controller, context) {
        deadlineMs = performance.now() + headersTimeoutMs;
        handler.onRequestStart?.(controller, context);
      },
      onRequestUpgrade: (...upgrade) => handler.onRequestUpgrade?.(...upgrade),
      onResponseStart(controller, status, headers, ...start) {
        if (status >= 200) clearTimeout(timer);
        else timer ??= setTimeout(() => tooLate(controller), deadlineMs - performance.now());
        const contentType = String(headers['content-type']);
        if (isEventStream(contentType) || isFramed(contentType)) onFirstPiece = options.onStreamBegins;
        handler.onResponseStart?.(controller, status, headers, ...start);
        controller.rawHeaders = null;
        bytesLeft = Number(headers['content-length'] ?? Number.NaN);
      },
      onResponseData: (controller, chunk) => {
        onFirstPiece?.();
        onFirstPiece = undefined;
        handler.onResponseData?.(controller, chunk);
        bytesLeft -= chunk.length;
        if (bytesLeft === 0) controller.resume();
      },
      onResponseEnd: (controller, trailers) => handler.onResponseEnd?.(controller, trailers),
      onResponseError(controller, error) {
        clearTimeout(timer);
        handler.onResponseError?.(controller, error);
      },
    });
  };

function tooLate(controller: Dispatcher.DispatchController): void {
  controller.abort(new errors.HeadersTimeoutError());
}

const START = 'HTTP/1.1 100';
const START_LENGTH = START.length;
/** The status line of `100 Continue`. `HTTP/1.0` has no such response (RFC 9110, section 15.2), but some servers send it. */
const CONTINUE = /^HTTP\/1\.[01] 100(?=[ \r])/;
const HEAD_END = Buffer.from('\r\n\r\n');
const LONGEST_HEAD_BYTES = 16 * 1024;

/**
 * Calls providers at their configured origins. It does not follow redirects or change bodies. There is one pool per
 * origin, with time limits for connecting, for the first byte and for silence.
 */
export class UpstreamClient {
  private readonly agent: Dispatcher;
  /** The locations by base URL, at most one for each provider. */
  private readonly places = new Map<string, Place>();
  /** By origin: several providers may have the same one. */
  private readonly placesOfOrigin = new Map<string, AccountPlaces>();
  /** The errors of connections that could not be established: undici passes them on to the calls that waited for these connections. */
  private readonly ofConnecting = new WeakSet<object>();

  /**
   * @param limits limits of the connections to one origin; for tests
   * @param names looks up the names of providers; for tests
   */
  constructor(
    config: AppConfig['proxy'],
    private readonly limits = PLACES,
    names: NameLookups = NAMES.services,
  ) {
    this.agent = new Agent({
      connections: limits.all,
      pipelining: 1,
      allowH2: false,
      keepAliveTimeout: KEEP_ALIVE_MS,
      connect: connector(config.connectTimeoutMs, names, (error) => this.ofConnecting.add(error)),
      headersTimeout: config.headersTimeoutMs,
      bodyTimeout: config.idleTimeoutMs,
    }).compose(watchAnswer(config.headersTimeoutMs));
  }

  /**
   * Resolves when the answer's headers have arrived, whatever its status. The connection belongs to the call until the body of the answer
   * is closed.
   * @throws WeirError `upstream_unreachable`, `upstream_timeout`; NoConnection; the signal's reason when it was aborted
   */
  async send(request: UpstreamRequest): Promise<UpstreamAnswer> {
    const { accountId, baseUrl, path, method, headers, body, signal, onStreamBegins } = request;
    const { origin, prefix, places } = this.placeOf(baseUrl);
    const leave = places.enterNow(accountId) ?? (await waitFor(places, accountId, this.limits.waitMs, signal));
    const options: Dispatcher.RequestOptions & Watched = {
      origin,
      path: prefix + path,
      method,
      headers: withTrace(headers),
      body: body ?? null,
      signal,
      highWaterMark: TRANSIT_BYTES,
      onStreamBegins,
    };
    let answer: Dispatcher.ResponseData;
    try {
      answer = await this.agent.request(options);
    } catch (error) {
      leave();
      if (signal.aborted) throw signal.reason;
      throw this.ofConnecting.has(error as object) ? new NotConnected(error) : upstreamError(error);
    }
    answer.body.once('close', leave);
    // The reader of the body receives its errors. Without a reader, an error must not end the process.
    answer.body.on('error', () => undefined);
    const read = headersOf(answer);
    if (read === undefined) {
      answer.body.destroy();
      const message = "The provider's answer has two content types";
      throw new WeirError('upstream_unreachable', { message, retryHelps: false });
    }
    return { status: answer.statusCode, headers: read, body: answer.body };
  }

  close(): Promise<void> {
    return this.agent.destroy();
  }

  private placeOf(baseUrl: string): Place {
    let place = this.places.get(baseUrl);
    if (place === undefined) {
      const { origin, pathname } = new URL(baseUrl);
      const places = this.placesOfOrigin.get(origin) ?? new AccountPlaces(this.limits);
      this.placesOfOrigin.set(origin, places);
      this.places.set(baseUrl, (place = { origin, prefix: pathname.replace(/\/$/, ''), places }));
    }
    return place;
  }
}

/**
 * The headers of an answer, of which undici lists the values if a header is repeated. Several lines with content codings are one list (RFC
 * 9110, section 5.3). Undefined for two content types: receivers differ in which of them they use.
 */
function headersOf({ headers }: Pick<Dispatcher.ResponseData, 'headers'>): IncomingHttpHeaders | undefined {
  const { 'content-type': types, 'content-encoding': codings } = headers;
  if (!Array.isArray(types) && !Array.isArray(codings)) return headers;
  const [type, ...others] = new Set([types].flat());
  if (others.length > 0) return undefined;
  const coding = codings === undefined ? undefined : [codings].flat().join(', ');
  return { ...headers, 'content-type': type, 'content-encoding': coding };
}

/** Waits for a place of the account. @throws NoConnection if none becomes free; the signal's reason when it was aborted */
async function waitFor(
  places: AccountPlaces,
  accountId: string,
  waitMs: number,
  signal: AbortSignal,
): Promise<() => void> {
  try {
    return await places.enter(accountId, AbortSignal.any([signal, AbortSignal.timeout(waitMs)]));
  } catch {
    throw signal.aborted ? signal.reason : new NoConnection();
  }
}

/** Replaces the client's trace context with that of the service, where tracing is on. */
function withTrace(headers: readonly string[]): string[] {
  const trace = traceHeaders();
  if (trace.length === 0) return [...headers];
  const others = headers.filter((_, index) => !OF_TRACES.has(headers[index - (index % 2)]!.toLowerCase()));
  return [...others, ...trace];
}

/** @param onFailure called with the error of a connection that could not be established */
function connector(timeout: number, names: NameLookups, onFailure: (error: Error) => void): buildConnector.connector {
  // Options that undici does not know are passed on to the socket.
  const ofSocket = { timeout, allowH2: false, highWaterMark: TRANSIT_BYTES, ...names.socketOptions(timeout) };
  const connect = buildConnector(ofSocket);
  return (options, callback) =>
    connect(options, (...[error, socket]) => {
      // Contrary to its types, undici passes no socket at all when the connection failed.
      if (error === null) {
        callback(null, skipContinue(socket));
        return;
      }
      onFailure(error);
      callback(error, null);
    });
}

/**
 * Makes a connection's reader skip `100 Continue`. A client has to accept this response even if it did not request it (RFC
 * 9110, section 15.2.1), but undici, which never requests it, treats it as a broken answer. Undici accepts other interim
 * responses.
 *
 * Only the bytes at the beginning of an answer are examined: those that arrive after a write. This requires that a connection
 * has one request at a time, which is written at once.
 */
export function skipContinue<S extends Pick<Duplex, 'read' | 'write'>>(socket: S): S {
  const read = socket.read.bind(socket) as (size?: number) => Buffer | null;
  const write = socket.write.bind(socket) as (...args: unknown[]) => boolean;
  let isBeginning = true;
  let seen: Buffer | undefined;
  const passed = (chunk: Buffer): Buffer | null => {
    let bytes = seen === undefined ? chunk : Buffer.concat([seen, chunk]);
    seen = undefined;
    for (;;) {
      const start = bytes.toString('latin1', 0, START_LENGTH + 1);
      const isContinue = CONTINUE.test(start);
      const end = isContinue ? bytes.indexOf(HEAD_END) : -1;
      if (end >= 0) {
        bytes = bytes.subarray(end + HEAD_END.length);
        if (bytes.length === 0) return null;
        continue;
      }
      const mayBecome = isContinue ? bytes.length < LONGEST_HEAD_BYTES : mayBeContinue(start);
      if (mayBecome) {
        seen = bytes;
        return null;
      }
      isBeginning = false;
      return bytes;
    }
  };
  socket.read = (size?: number): Buffer | null => {
    // Node itself calls `read(0)`, which only fills the buffer: bytes returned to it would be lost. The reader gives no size.
    if (size !== undefined) return read(size);
    for (;;) {
      const chunk = read();
      if (chunk === null || !isBeginning) return chunk;
      const bytes = passed(chunk);
      if (bytes !== null) return bytes;
    }
  };
  socket.write = (...args: unknown[]): boolean => {
    isBeginning = true;
    return write(...args);
  };
  return socket;
}

/** Whether the received bytes may still turn out to be `100 Continue`. */
function mayBeContinue(start: string): boolean {
  return start.length <= START_LENGTH && (START.startsWith(start) || START.replace('1.1', '1.0').startsWith(start));
}

/** Converts a failure of the exchange with a provider to the error for the client. */
export function upstreamError(cause: unknown): WeirError {
  return cause instanceof WeirError ? cause : new WeirError(typeOf(cause), { cause });
}

function typeOf(cause: unknown): 'upstream_timeout' | 'upstream_unreachable' {
  const late =
    cause instanceof errors.ConnectTimeoutError ||
    cause instanceof errors.HeadersTimeoutError ||
    cause instanceof errors.BodyTimeoutError;
  return late ? 'upstream_timeout' : 'upstream_unreachable';
}

/** Whether an error was thrown because an answer's body broke off, and not by Weir's own work on it. */
export function isErrorOf(body: Readable, error: unknown): boolean {
  if (error === body.errored) return true;
  return error instanceof Error && 'code' in error && error.code === 'ERR_STREAM_PREMATURE_CLOSE';
}

/** Whether a call failed before the provider can have received any of it. */
export function neverSent(error: unknown): boolean {
  return error instanceof NoConnection || error instanceof NotConnected;
}
