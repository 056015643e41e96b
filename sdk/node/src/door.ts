import { refusalOfBody } from './call-info.js';
import type { Redaction } from './errors.js';
import type { Settings } from './options.js';
import { pause } from './runtime.js';
import { USER_AGENT } from './version.js';

/** One question: may this go to that provider? */
export interface Question {
  readonly provider: string;
  /** Below the provider's name at Weir, with the query. */
  readonly path: string;
  readonly method: string;
  readonly body: string | Uint8Array<ArrayBuffer> | null;
  readonly contentType: string | null;
  readonly contentEncoding: string | null;
  readonly annotations: Annotations;
  readonly signal: AbortSignal | undefined;
}

export interface Annotations {
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly session: string | undefined;
  readonly requestId: string | undefined;
}

/** What Weir said of a call that may go on. */
export interface Admission {
  readonly kind: 'admitted';
  readonly callId: string;
  readonly eventId: string | undefined;
  readonly decision: 'allow' | 'redact';
  readonly redactions: readonly Redaction[];
  readonly governed: boolean;
  /** What is to be sent in place of the caller's body. */
  readonly body?: Uint8Array<ArrayBuffer>;
}

export interface Refused {
  readonly kind: 'refused';
  /** In the provider's form, to be handed to the client as it is. */
  readonly response: Response;
  readonly body: unknown;
}

/** Weir could not be asked. */
export interface Unavailable {
  readonly kind: 'unavailable';
  /** In words that hold nothing of the call; begins like `did not answer …`. */
  readonly why: string;
  /** What Weir said about itself, in the provider's form, when it could say something. */
  readonly response?: Response;
}

export type Verdict = Admission | Refused | Unavailable;

const REFUSALS: ReadonlySet<number> = new Set([400, 401, 402, 403, 404, 409, 413, 415, 422, 429]);
const FIRST_PAUSE_MS = 100;

/** Asks, and asks again where that can help, until the deadline. Rejects only when the caller's own signal has fired. */
export async function ask(settings: Settings, question: Question): Promise<Verdict> {
  const deadline = performance.now() + settings.deadlineMs;
  const url = `${settings.baseUrl}/v1/calls/${encodeURIComponent(question.provider)}${question.path}`;
  const headers = headersOf(settings, question);
  for (let tries = 0; ; tries++) {
    const { verdict, retryAfterMs } = await askOnce(settings, url, headers, question, deadline - performance.now());
    if (retryAfterMs === undefined || tries >= settings.maxRetries) return verdict;
    const waitMs = retryAfterMs > 0 ? retryAfterMs : Math.random() * FIRST_PAUSE_MS * 2 ** tries;
    if (performance.now() + waitMs >= deadline) return verdict;
    await pause(waitMs, question.signal);
  }
}

interface Attempt {
  readonly verdict: Verdict;
  /** Asking again can help, after so long; 0 when Weir did not say. */
  readonly retryAfterMs?: number;
}

async function askOnce(
  settings: Settings,
  url: string,
  headers: Readonly<Record<string, string>>,
  { body, signal }: Question,
  leftMs: number,
): Promise<Attempt> {
  const controller = new AbortController();
  const stop = (): void => controller.abort(signal?.reason);
  if (signal?.aborted === true) stop();
  signal?.addEventListener('abort', stop, { once: true });
  let late = false;
  const timer = setTimeout(
    () => {
      late = true;
      controller.abort();
    },
    Math.max(0, leftMs),
  );
  try {
    const init: RequestInit = { method: 'POST', headers, signal: controller.signal, redirect: 'error' };
    const answer = await settings.fetch(url, body === null ? init : { ...init, body });
    const bytes = new Uint8Array(await answer.arrayBuffer());
    return attemptOf(answer, bytes);
  } catch (error) {
    if (signal?.aborted === true) throw signal.reason ?? error;
    if (late) return { verdict: unavailable(`did not answer within ${settings.deadlineMs} ms`) };
    return { verdict: unavailable(`could not be reached${codeOf(error)}`), retryAfterMs: 0 };
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', stop);
  }
}

function attemptOf(answer: Response, bytes: Uint8Array<ArrayBuffer>): Attempt {
  const { status, headers } = answer;
  const callId = headers.get('x-weir-call');
  if ((status === 200 || status === 204) && callId !== null && (status === 204 || bytes.length > 0)) {
    return { verdict: admission(headers, callId, status === 200 ? bytes : undefined) };
  }
  const body = parsed(bytes);
  const info = refusalOfBody(body);
  if (info === undefined) {
    return { verdict: unavailable(`gave an answer that cannot be understood (status ${status})`), retryAfterMs: 0 };
  }
  const response = new Response(bytes, { status, headers: handedOn(headers) });
  // It was judged and recorded: an answer, whatever the status says.
  const isDecision = info.decision === 'block' || headers.has('x-weir-event-id');
  if (REFUSALS.has(status) || isDecision) {
    const verdict: Refused = { kind: 'refused', response, body };
    const again = !isDecision && (status === 409 || (status === 429 && headers.has('retry-after')));
    return again ? { verdict, retryAfterMs: retryAfterMs(headers) } : { verdict };
  }
  // It has been asked as often as the deadline allows: the client's own retries would only add to the wait.
  response.headers.set('x-should-retry', 'false');
  return {
    verdict: { kind: 'unavailable', why: `cannot judge now (status ${status})`, response },
    retryAfterMs: retryAfterMs(headers),
  };
}

function admission(headers: Headers, callId: string, body: Uint8Array<ArrayBuffer> | undefined): Admission {
  return {
    kind: 'admitted',
    callId,
    eventId: headers.get('x-weir-event-id') ?? undefined,
    decision: headers.get('x-weir-decision') === 'redact' ? 'redact' : 'allow',
    redactions: redactionsOf(headers.get('x-weir-redactions')),
    governed: headers.get('x-weir-governed') !== 'false',
    ...(body === undefined ? {} : { body }),
  };
}

/** `EMAIL=2,IBAN=1` */
function redactionsOf(header: string | null): Redaction[] {
  return (header ?? '').split(',').flatMap((part) => {
    const [type, count] = part.trim().split('=');
    return type && count && /^\d+$/.test(count) ? [{ type, count: Number(count) }] : [];
  });
}

function headersOf(settings: Settings, question: Question): Record<string, string> {
  const { metadata, session, requestId } = question.annotations;
  return {
    authorization: `Bearer ${settings.apiKey}`,
    'user-agent': USER_AGENT,
    accept: '*/*',
    'idempotency-key': crypto.randomUUID(),
    ...(question.method === 'POST' ? {} : { 'x-weir-method': question.method }),
    ...(question.contentType === null ? {} : { 'content-type': question.contentType }),
    ...(question.contentEncoding === null ? {} : { 'content-encoding': question.contentEncoding }),
    ...annotationHeaders({ metadata, session, requestId }),
  };
}

/** The same for the door and for the proxy. */
export function annotationHeaders({ metadata, session, requestId }: Annotations): Record<string, string> {
  return {
    ...(Object.keys(metadata).length === 0 ? {} : { 'x-service-metadata': asciiJson(metadata) }),
    ...(session === undefined ? {} : { 'x-service-session': session }),
    ...(requestId === undefined ? {} : { 'x-request-id': requestId }),
  };
}

/** JSON in letters that every header can hold. */
function asciiJson(value: object): string {
  return JSON.stringify(value).replace(
    /[\u007f-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** Of Weir's headers what is about its answer, and not about the connection that it came over. */
function handedOn(headers: Headers): Headers {
  const kept = new Headers();
  for (const [name, value] of headers) {
    if (/^(?:content-type|retry-after|ratelimit.*|x-.*|request-id)$/.test(name)) kept.append(name, value);
  }
  return kept;
}

function retryAfterMs(headers: Headers): number {
  const seconds = Number(headers.get('retry-after') ?? '');
  return Number.isFinite(seconds) && seconds > 0 ? seconds * 1000 : 0;
}

function unavailable(why: string): Unavailable {
  return { kind: 'unavailable', why };
}

function parsed(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    return undefined;
  }
}

/** Such as `ECONNREFUSED`: words of the system, and nobody's else. */
function codeOf(error: unknown): string {
  for (let level = error, depth = 0; depth < 4; depth++) {
    const { code, cause } = (level ?? {}) as { code?: unknown; cause?: unknown };
    if (typeof code === 'string' && /^[A-Z_]{3,40}$/.test(code)) return ` (${code})`;
    level = cause;
  }
  return '';
}
