import type { Settings } from './options.js';
import { unlessAborted } from './pieces.js';
import { fetchStraight, pause } from './runtime.js';

/** A request to Weir as it is sent. Every attempt has the same headers, including the idempotency key. */
export interface WeirRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array<ArrayBuffer> | null;
  readonly signal: AbortSignal | undefined;
}

/** Weir could not be asked. */
export interface Unavailable {
  readonly kind: 'unavailable';
  /** A reason that contains nothing of the call; it begins with a verb, like `did not answer …`. */
  readonly why: string;
  /** Weir's own error response in the provider's format, if there was one. */
  readonly response?: Response;
}

export interface Attempt<Verdict> {
  readonly verdict: Verdict | Unavailable;
  /** The time after which a retry can succeed; 0 when Weir did not state it; absent when a retry cannot help. */
  readonly retryAfterMs?: number;
}

/** An answer that says that the request is too large for Weir, or for a server in front of it. */
export interface Oversized {
  readonly status: number;
  readonly type: 'invalid_request' | 'payload_too_large';
  /** The reason, to be continued by what was not done. */
  readonly why: string;
}

type Read<Verdict> = (answer: Response, bytes: Uint8Array<ArrayBuffer>) => Attempt<Verdict>;

const FIRST_PAUSE_MS = 100;

/** Asks Weir, with retries where they can succeed, until the deadline. Rejects only when the caller's own signal has fired. */
export async function sendRequest<Verdict>(
  settings: Settings,
  question: WeirRequest,
  read: Read<Verdict>,
): Promise<Verdict | Unavailable> {
  const deadline = performance.now() + settings.deadlineMs;
  for (let tries = 0; ; tries++) {
    const { verdict, retryAfterMs: afterMs } = await sendOnce(settings, question, read, deadline - performance.now());
    if (afterMs === undefined || tries >= settings.maxRetries) return verdict;
    const waitMs = afterMs > 0 ? afterMs : Math.random() * FIRST_PAUSE_MS * 2 ** tries;
    if (performance.now() + waitMs >= deadline) return verdict;
    await pause(waitMs, question.signal);
  }
}

async function sendOnce<Verdict>(
  settings: Settings,
  { url, headers, body, signal }: WeirRequest,
  read: Read<Verdict>,
  leftMs: number,
): Promise<Attempt<Verdict>> {
  const controller = new AbortController();
  const stop = (): void => controller.abort(signal?.reason);
  if (signal?.aborted === true) stop();
  signal?.addEventListener('abort', stop, { once: true });
  let late = false;
  const expire = (): void => {
    late = true;
    controller.abort();
  };
  const timer = setTimeout(expire, Math.max(0, leftMs));
  try {
    const init: RequestInit = { method: 'POST', headers, signal: controller.signal };
    const answer = await fetchStraight(settings.fetch, url, body === null ? init : { ...init, body });
    return read(answer, new Uint8Array(await unlessAborted(answer.arrayBuffer(), controller.signal)));
  } catch (error) {
    if (signal?.aborted === true) throw signal.reason ?? error;
    if (late) return { verdict: unavailable(`did not answer within ${settings.deadlineMs} ms`) };
    return { verdict: unavailable(`could not be reached${codeOfFault(error)}`), retryAfterMs: 0 };
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', stop);
  }
}

/**
 * Whether an answer says that the request is too large. That is the fault of the call and not an outage, so the call must not be made
 * unjudged, although such an answer often comes from a server in front of Weir.
 *
 * @param isOfWeir whether the body is an error of Weir, which says more
 */
export function oversized(status: number, isOfWeir: boolean): Oversized | undefined {
  switch (status) {
    case 413:
      if (isOfWeir) return undefined;
      return { status, type: 'payload_too_large', why: 'the body is too large for a server in front of Weir' };
    case 414:
    case 431:
      return { status: 400, type: 'invalid_request', why: 'the metadata or the address of this call is too long' };
    default:
      return undefined;
  }
}

/** The value of `Retry-After`; 0 without one. */
export function retryAfterMs(headers: Headers): number {
  const seconds = Number(headers.get('retry-after') ?? '');
  return Number.isFinite(seconds) && seconds > 0 ? seconds * 1000 : 0;
}

export function unavailable(why: string): Unavailable {
  return { kind: 'unavailable', why };
}

/** An error code of the system such as `ECONNREFUSED`, and no other text. */
function codeOfFault(error: unknown): string {
  for (let level = error, depth = 0; depth < 4; depth++) {
    const { code, cause } = (level ?? {}) as { code?: unknown; cause?: unknown };
    if (typeof code === 'string' && /^[A-Z_]{3,40}$/.test(code)) return ` (${code})`;
    level = cause;
  }
  return '';
}
