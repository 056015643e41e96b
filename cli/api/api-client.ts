import { setTimeout as sleep } from 'node:timers/promises';
import { CliError, EXIT } from '../exit-code.js';
import type { Io } from '../io.js';
import { ApiError, apiErrorOf } from './api-error.js';
import { findConnection, type Connection, type ServerFlags } from './connection.js';
import { brokenOff, codeOf, isRedirect, mayHaveArrived, redirected, unreachable } from './unreachable.js';

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

const DEFAULT_TIMEOUT_SECONDS = 30;
const ATTEMPTS = 3;
/** The delay before a retry; it doubles with each attempt. Retry-After of the server takes precedence, up to MAX_PAUSE_MS. */
const PAUSE_MS = 200;
const MAX_PAUSE_MS = 10_000;
const MAX_ANSWER_BYTES = 64 * 1024 * 1024;

/** Error codes of failed connections: nothing has reached the server, so any request may be retried. */
const NOT_SENT: ReadonlySet<string> = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'UND_ERR_CONNECT_TIMEOUT']);
const TRANSIENT_STATUS: ReadonlySet<number> = new Set([429, 502, 503, 504]);

/**
 * Creates the client for the server that the flags of a command select.
 *
 * @throws CliError (exit 2) if flags, environment or configuration are unusable
 */
export async function apiClient(flags: ServerFlags, io: Io): Promise<ApiClient> {
  return new ApiClient(await findConnection(flags, io), io, (flags.timeout ?? DEFAULT_TIMEOUT_SECONDS) * 1_000);
}

/**
 * Client of a Weir server, with JSON over HTTP. Every request has a timeout. Redirects are not followed, so that only the intended
 * server receives the token. GET is attempted up to three times; other methods are retried only if nothing was sent, or if the server
 * refused before any work (429).
 */
export class ApiClient {
  constructor(
    readonly connection: Connection,
    private readonly io: Io,
    private readonly timeoutMs: number,
  ) {}

  /** @param path absolute, such as `/v1/account`. @throws ApiError */
  get<Answer = unknown>(path: string): Promise<Answer> {
    return this.json<Answer>('GET', path);
  }

  /**
   * @param check the command that shows whether the request was executed, for the error of a lost answer
   * @throws ApiError
   */
  post<Answer = unknown>(path: string, body?: unknown, check?: string): Promise<Answer> {
    return this.json<Answer>('POST', path, body, check);
  }

  /** @throws ApiError */
  put<Answer = unknown>(path: string, body?: unknown): Promise<Answer> {
    return this.json<Answer>('PUT', path, body);
  }

  /** @throws ApiError */
  patch<Answer = unknown>(path: string, body?: unknown): Promise<Answer> {
    return this.json<Answer>('PATCH', path, body);
  }

  /** Returns undefined for 204. @throws ApiError */
  delete<Answer = unknown>(path: string, body?: unknown): Promise<Answer> {
    return this.json<Answer>('DELETE', path, body);
  }

  /**
   * Streams a response of any size. The timeout applies to the first byte, and between two chunks; the time that the reader of the chunks
   * takes does not count.
   *
   * @throws ApiError, also during iteration
   */
  async *stream(path: string, headers: Readonly<Record<string, string>> = {}): AsyncGenerator<Uint8Array> {
    const silence = new AbortController();
    const signal = AbortSignal.any([silence.signal, this.io.signal]);
    const limited = (): NodeJS.Timeout => setTimeout(() => silence.abort(), this.timeoutMs);
    let timer = limited();
    try {
      const response = await this.attempts('GET', path, undefined, signal, headers);
      for await (const part of (response.body ?? []) as AsyncIterable<Uint8Array>) {
        clearTimeout(timer);
        yield part;
        timer = limited();
      }
    } catch (error) {
      throw this.failure(error, silence.signal, '');
    } finally {
      clearTimeout(timer);
      silence.abort();
    }
  }

  private async json<Answer>(method: Method, path: string, body?: unknown, check?: string): Promise<Answer> {
    const limit = AbortSignal.timeout(this.timeoutMs);
    const signal = AbortSignal.any([limit, this.io.signal]);
    try {
      const response = await this.attempts(method, path, body, signal, {});
      const text = await readText(response);
      if (text === '') return undefined as Answer;
      return parseAnswer(text) as Answer;
    } catch (error) {
      throw this.failure(error, limit, method === 'GET' ? '' : mayBeDone(check));
    }
  }

  /** Sends a request with retries; returns a response with a 2xx status. */
  private async attempts(
    method: Method,
    path: string,
    body: unknown,
    signal: AbortSignal,
    headers: Readonly<Record<string, string>>,
  ): Promise<Response> {
    for (let attempt = 1; ; attempt++) {
      const last = attempt === ATTEMPTS;
      try {
        const response = await this.send(method, path, body, signal, headers);
        if (response.ok) return response;
        if (isRedirect(response)) throw redirected(response, this.connection.url);
        const mayRetry = method === 'GET' ? TRANSIENT_STATUS.has(response.status) : response.status === 429;
        const pauseMs = retryAfterMs(response, attempt);
        // No retry if Retry-After is longer than MAX_PAUSE_MS (for example, an hour).
        if (last || !mayRetry || pauseMs > MAX_PAUSE_MS || response.headers.get('x-should-retry') === 'false') {
          throw apiErrorOf(response.status, await readText(response), this.connection.url);
        }
        await response.body?.cancel();
        await sleep(pauseMs, undefined, { signal });
      } catch (error) {
        if (error instanceof ApiError || signal.aborted || last) throw error;
        if (method !== 'GET' && !NOT_SENT.has(codeOf(error))) throw error;
        await sleep(PAUSE_MS * 2 ** (attempt - 1), undefined, { signal });
      }
    }
  }

  private send(
    method: Method,
    path: string,
    body: unknown,
    signal: AbortSignal,
    headers: Readonly<Record<string, string>>,
  ): Promise<Response> {
    const { token, cookie, url } = this.connection;
    return fetch(`${url}${path}`, {
      method,
      // Redirects are not followed: the token is for this server only.
      redirect: 'manual',
      signal,
      headers: {
        accept: 'application/json',
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        // As a protection against cross-site requests, the service accepts a cookie only in requests from its own pages, which it
        // recognises by this browser header. The CLI makes no cross-site requests.
        ...(cookie === undefined ? {} : { cookie, 'sec-fetch-site': 'same-origin' }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  }

  /** @param maybe what the server may have done; '' for a request that changes nothing */
  private failure(error: unknown, limit: AbortSignal, maybe: string): Error {
    if (error instanceof CliError) return isLost(error) ? withMore(error, maybe) : withAdvice(error, this.connection);
    if (this.io.signal.aborted) return new CliError(EXIT.interrupted, `interrupted${maybe}`);
    const { url } = this.connection;
    if (limit.aborted) {
      return new ApiError(0, 'timeout', `${url} did not answer within ${this.timeoutMs / 1_000} s${maybe}`);
    }
    return maybe !== '' && mayHaveArrived(error) ? brokenOff(url, error, maybe) : unreachable(url, error, this.io.env);
  }
}

/** A server continues with a received request, even if the client no longer waits for the response. */
function mayBeDone(check: string | undefined): string {
  const how = check === undefined ? 'check' : `check with ${check}`;
  return `; the server may have executed the request: ${how} before you repeat it`;
}

/** The statuses of a gateway that may have passed a request on. */
const PASSED_ON: ReadonlySet<number> = new Set([502, 504]);

/** Whether the server's answer was lost: a gateway answered in its place, or the answer cannot be read. */
function isLost(error: CliError): error is ApiError {
  if (!(error instanceof ApiError) || error.type !== 'bad_answer') return false;
  return error.status < 300 || PASSED_ON.has(error.status);
}

function withMore(error: ApiError, more: string): ApiError {
  const words = error.message.endsWith('?') ? more.replace(/^; t/, ' T') : more;
  return new ApiError(error.status, error.type, error.message + words, error.details, error.traceId, error.body);
}

/** Adds instructions for logging in to a 401 error. */
function withAdvice(error: CliError, connection: Connection): CliError {
  if (!(error instanceof ApiError) || error.status !== 401) return error;
  const how = `${whatIsWrong(error, connection)}: run weir login, or set WEIR_TOKEN or --token-file`;
  return new ApiError(error.status, error.type, how, error.details, error.traceId, error.body);
}

function whatIsWrong({ message }: ApiError, { token }: Connection): string {
  if (token === undefined) return 'no token was given';
  if (/^sk_(?:live|test)_/.test(token)) return 'an API key was given, but commands need a management token (wt_live_…)';
  return message;
}

function retryAfterMs(response: Response, attempt: number): number {
  const seconds = Number(response.headers.get('retry-after') ?? Number.NaN);
  return Number.isFinite(seconds) && seconds >= 0 ? seconds * 1_000 : PAUSE_MS * 2 ** (attempt - 1);
}

async function readText(response: Response): Promise<string> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    bytes += part.length;
    if (bytes > MAX_ANSWER_BYTES) throw new ApiError(response.status, 'bad_answer', 'the answer is too large');
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}

function parseAnswer(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new ApiError(0, 'bad_answer', 'the answer is not JSON: is the URL the address of a Weir server?');
  }
}
