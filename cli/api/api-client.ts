import { setTimeout as sleep } from 'node:timers/promises';
import { CliError, EXIT } from '../exit-code.js';
import type { Io } from '../io.js';
import { ApiError, apiErrorOf } from './api-error.js';
import { findConnection, type Connection, type ServerFlags } from './connection.js';
import { codeOf, isRedirect, redirected, unreachable } from './unreachable.js';

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

const DEFAULT_TIMEOUT_SECONDS = 30;
const ATTEMPTS = 3;
/** The n-th pause is this value times 2^n. A server's Retry-After takes precedence, up to the limit. */
const PAUSE_MS = 200;
const MAX_PAUSE_MS = 10_000;
const MAX_ANSWER_BYTES = 64 * 1024 * 1024;

/** Connections that were never made: nothing has reached the server, so that any request may be sent again. */
const NOT_SENT: ReadonlySet<string> = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'UND_ERR_CONNECT_TIMEOUT']);
const TRANSIENT_STATUS: ReadonlySet<number> = new Set([429, 502, 503, 504]);

/**
 * The client for the flags of a command.
 *
 * @throws CliError (exit 2) when flags, environment or configuration say nothing usable
 */
export async function apiClient(flags: ServerFlags, io: Io): Promise<ApiClient> {
  return new ApiClient(await findConnection(flags, io), io, (flags.timeout ?? DEFAULT_TIMEOUT_SECONDS) * 1_000);
}

/**
 * Talks to a Weir server as JSON over HTTP. Every request has a time limit and follows no redirect, so that the token
 * goes to the server it is for. What cannot change anything (GET) is tried three times; anything else again only when
 * nothing was sent, or when the server said that it did nothing (429).
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

  /** @throws ApiError */
  post<Answer = unknown>(path: string, body?: unknown): Promise<Answer> {
    return this.json<Answer>('POST', path, body);
  }

  /** @throws ApiError */
  put<Answer = unknown>(path: string, body?: unknown): Promise<Answer> {
    return this.json<Answer>('PUT', path, body);
  }

  /** @throws ApiError */
  patch<Answer = unknown>(path: string, body?: unknown): Promise<Answer> {
    return this.json<Answer>('PATCH', path, body);
  }

  /** Answers undefined for 204. @throws ApiError */
  delete<Answer = unknown>(path: string, body?: unknown): Promise<Answer> {
    return this.json<Answer>('DELETE', path, body);
  }

  /**
   * An answer of any size as it arrives. The time limit holds up to the first byte, and between two pieces.
   *
   * @throws ApiError, also while it is read
   */
  async *stream(path: string, headers: Readonly<Record<string, string>> = {}): AsyncGenerator<Uint8Array> {
    const silence = new AbortController();
    const signal = AbortSignal.any([silence.signal, this.io.signal]);
    const timer = setTimeout(() => silence.abort(), this.timeoutMs);
    try {
      const response = await this.attempts('GET', path, undefined, signal, headers);
      for await (const part of (response.body ?? []) as AsyncIterable<Uint8Array>) {
        timer.refresh();
        yield part;
      }
    } catch (error) {
      throw this.failure(error, silence.signal, 'GET');
    } finally {
      clearTimeout(timer);
      silence.abort();
    }
  }

  private async json<Answer>(method: Method, path: string, body?: unknown): Promise<Answer> {
    const limit = AbortSignal.timeout(this.timeoutMs);
    const signal = AbortSignal.any([limit, this.io.signal]);
    try {
      const response = await this.attempts(method, path, body, signal, {});
      const text = await readText(response);
      if (text === '') return undefined as Answer;
      return parseAnswer(text) as Answer;
    } catch (error) {
      throw this.failure(error, limit, method);
    }
  }

  /** A response with a good status. */
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
        // A server that says "in an hour" is not waited for.
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
      // Not followed: the token is for this server.
      redirect: 'manual',
      signal,
      headers: {
        accept: 'application/json',
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        // A cookie counts only in requests of the service's own pages. What tells them is set by browsers, to keep other
        // sites out; here no other site can make a request.
        ...(cookie === undefined ? {} : { cookie, 'sec-fetch-site': 'same-origin' }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  }

  private failure(error: unknown, limit: AbortSignal, method: Method): Error {
    if (error instanceof CliError) return withAdvice(error, this.connection);
    // A server goes on with what it has received, also when nobody waits for its answer.
    const maybe = method === 'GET' ? '' : '; the server may have done what it was asked: look before you repeat it';
    if (this.io.signal.aborted) return new CliError(EXIT.interrupted, `interrupted${maybe}`);
    const { url } = this.connection;
    if (limit.aborted) {
      return new ApiError(0, 'timeout', `${url} did not answer within ${this.timeoutMs / 1_000} s${maybe}`);
    }
    return unreachable(url, error);
  }
}

/** Nobody logs in because of a refusal alone: say how. */
function withAdvice(error: CliError, connection: Connection): CliError {
  if (!(error instanceof ApiError) || error.status !== 401) return error;
  const how = `${whatIsWrong(error, connection)}: run weir login, or set WEIR_TOKEN or --token-file`;
  return new ApiError(error.status, error.type, how, error.details, error.traceId, error.body);
}

function whatIsWrong({ message }: ApiError, { token }: Connection): string {
  if (token === undefined) return 'no token was given';
  if (/^sk_(?:live|test)_/.test(token)) return 'an API key was given, and commands take a management token (wt_live_…)';
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
    throw new ApiError(0, 'bad_answer', 'the answer is not JSON: is the URL that of a Weir server?');
  }
}
