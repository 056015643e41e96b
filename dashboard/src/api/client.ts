/**
 * The only client through which pages call the service, and its types. It has one entry point and one error type, and asks for the
 * password again if the service requires it.
 */

import type { components } from '../../../sdk/node/src/api/schema.ts';
import { presenceOn } from './presence.ts';
import { noteVersion } from './version.ts';

export type Schemas = components['schemas'];
export type Query = Readonly<Record<string, string | number | boolean | undefined>>;

interface ErrorBody {
  readonly error?: {
    readonly type?: string;
    readonly message?: string;
    readonly trace_id?: string;
    readonly details?: readonly { readonly path: string; readonly message: string }[];
  };
}

/** An error response of the service; status 0 means that there was no response. */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly type: string,
    message: string,
    readonly traceId: string | null,
    readonly details: readonly { readonly path: string; readonly message: string }[],
    readonly retryAfterSeconds: number | null,
  ) {
    super(message);
  }
}

export interface Asking {
  readonly query?: Query;
  readonly body?: unknown;
  readonly signal?: AbortSignal;
  /** The request was not caused by the user, so it must not extend the session. GET requests while nobody uses the page never do. */
  readonly background?: boolean;
}

type Trouble = 'signed_out' | 'password' | 'not_verified';
type Helper = (trouble: Trouble) => Promise<boolean>;
let helper: Helper = () => Promise.resolve(false);
/** The number of times that the password was entered since the page was loaded. Each time, the session gets a new cookie. */
let entries = 0;
const connection = new EventTarget();
const isSomebodyHere = presenceOn(window);

/** @param ask shows the dialog or page that solves the problem; resolves to true if the request is to be repeated */
export function setHelper(ask: Helper): void {
  helper = ask;
}

/** Calls `listen` after each request: true if the service answered. */
export function watchConnection(listen: (isUp: boolean) => void): () => void {
  const up = (): void => listen(true);
  const down = (): void => listen(false);
  connection.addEventListener('up', up);
  connection.addEventListener('down', down);
  return () => {
    connection.removeEventListener('up', up);
    connection.removeEventListener('down', down);
  };
}

export function get<T>(path: string, query?: Query, asking: Asking = {}): Promise<T> {
  return call<T>('GET', path, { ...asking, query });
}

export function send<T>(method: 'POST' | 'PATCH' | 'PUT' | 'DELETE', path: string, body?: unknown): Promise<T> {
  return call<T>(method, path, { body });
}

/**
 * Submits a password. A refusal does not open the password dialog: the request itself was a sign-in.
 *
 * @throws ApiError with the reason of the refusal
 */
export async function enter<T>(path: '/auth/login' | '/auth/reauthenticate', body: object): Promise<T> {
  const answer = await ask('POST', path, { body });
  if (!answer.ok) throw await errorOf(answer);
  const entered = (await answer.json()) as T;
  entries++;
  return entered;
}

/**
 * Signs out. A session that has already ended is not a failure, and opens no password dialog.
 *
 * @throws ApiError if the session may still exist
 */
export async function endSession(): Promise<void> {
  const answer = await ask('POST', '/auth/logout', { body: {} });
  if (!answer.ok && answer.status !== 401) throw await errorOf(answer);
}

/**
 * Checks whether a stream can be opened now: the browser's `EventSource` does not report why one was refused.
 *
 * @throws ApiError with the reason of the refusal
 */
export async function canBeFollowed(path: string, signal: AbortSignal): Promise<void> {
  const left = new AbortController();
  signal.addEventListener('abort', () => left.abort());
  const before = entries;
  const answer = await ask('GET', path, { signal: left.signal, background: true });
  if (!answer.ok) return refused(await errorOf(answer), before, () => canBeFollowed(path, signal));
  left.abort();
}

async function call<T>(method: string, path: string, asking: Asking): Promise<T> {
  const before = entries;
  const answer = await ask(method, path, asking);
  if (answer.ok) return answer.status === 204 ? (undefined as T) : ((await answer.json()) as T);
  return refused(await errorOf(answer), before, () => call<T>(method, path, asking));
}

/**
 * Lets the helper solve the problem if it can, then repeats the request.
 *
 * @param before the value of `entries` when the request was sent
 */
async function refused<T>(error: ApiError, before: number, again: () => Promise<T>): Promise<T> {
  const trouble = troubleOf(error);
  // The request was sent with the old cookie, and answered after the password was entered.
  if (trouble === 'signed_out' && before !== entries) return again();
  if (trouble !== null && (await helper(trouble))) return again();
  throw error;
}

async function ask(method: string, path: string, { query, body, signal, background }: Asking): Promise<Response> {
  const headers: Record<string, string> = { accept: 'application/json' };
  if (body !== undefined) headers['content-type'] = 'application/json';
  if (background === true || (method === 'GET' && !isSomebodyHere())) headers['x-weir-background'] = '1';
  try {
    const answer = await fetch(`${path}${searchOf(query)}`, {
      method,
      headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(signal === undefined ? {} : { signal }),
    });
    connection.dispatchEvent(new Event('up'));
    noteVersion(answer.headers.get('x-weir-version'));
    return answer;
  } catch (error) {
    if (signal?.aborted === true) throw error;
    connection.dispatchEvent(new Event('down'));
    throw new ApiError(0, 'no_connection', 'The service did not answer.', null, [], null);
  }
}

function troubleOf({ status, type }: ApiError): Trouble | null {
  if (status === 401) return 'signed_out';
  if (type === 'reauthentication_required') return 'password';
  return type === 'email_not_verified' ? 'not_verified' : null;
}

export function searchOf(query: Query = {}): string {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    value === undefined || value === '' ? [] : [[name, String(value)]],
  );
  return pairs.length === 0 ? '' : `?${new URLSearchParams(pairs)}`;
}

async function errorOf(answer: Response): Promise<ApiError> {
  const body = (await answer.json().catch(() => ({}))) as ErrorBody;
  const { type = 'unknown', message = `The service answered ${answer.status}.`, details = [] } = body.error ?? {};
  const traceId = body.error?.trace_id ?? answer.headers.get('x-request-id');
  const retryAfter = Number(answer.headers.get('retry-after'));
  return new ApiError(answer.status, type, message, traceId, details, retryAfter > 0 ? retryAfter : null);
}
