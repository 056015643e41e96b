import { annotationHeaders, type Annotations } from './annotations.js';
import { refusalOfBody } from './call-info.js';
import type { Redaction } from './errors.js';
import type { Settings } from './options.js';
import { oversized, sendRequest, retryAfterMs, unavailable, type Attempt, type Unavailable } from './send-request.js';
import { USER_AGENT } from './version.js';

/** One request to Weir: whether a call may be sent to a provider. */
export interface Question {
  readonly provider: string;
  /** The path after the provider's id in Weir's URL, with the query. */
  readonly path: string;
  readonly method: string;
  readonly body: string | Uint8Array<ArrayBuffer> | null;
  readonly contentType: string | null;
  readonly contentEncoding: string | null;
  readonly annotations: Annotations;
  readonly signal: AbortSignal | undefined;
}

/** Weir's verdict on a call that may be sent. */
export interface Admission {
  readonly kind: 'admitted';
  readonly callId: string;
  readonly eventId: string | undefined;
  readonly decision: 'allow' | 'redact';
  readonly redactions: readonly Redaction[];
  readonly governed: boolean;
  /** The body to send instead of the caller's. */
  readonly body?: Uint8Array<ArrayBuffer>;
}

export interface Refused {
  readonly kind: 'refused';
  /** In the provider's format, to be returned to the client unchanged. */
  readonly response: Response;
  readonly body: unknown;
}

export type Verdict = Admission | Refused | Unavailable;

const REFUSALS: ReadonlySet<number> = new Set([400, 401, 402, 403, 404, 409, 413, 415, 422, 429]);

/** Asks Weir, with retries where they can succeed, until the deadline. Rejects only when the caller's own signal has fired. */
export function ask(settings: Settings, question: Question): Promise<Verdict> {
  const { provider, path, body, signal } = question;
  const url = `${settings.baseUrl}/v1/calls/${encodeURIComponent(provider)}${path}`;
  return sendRequest(settings, { url, headers: headersOf(settings, question), body, signal }, attemptOf);
}

function attemptOf(answer: Response, bytes: Uint8Array<ArrayBuffer>): Attempt<Admission | Refused> {
  const { status, headers } = answer;
  const callId = headers.get('x-weir-call');
  if ((status === 200 || status === 204) && callId !== null && (status === 204 || bytes.length > 0)) {
    return { verdict: admission(headers, callId, status === 200 ? bytes : undefined) };
  }
  const body = parsed(bytes);
  const info = refusalOfBody(body);
  const tooLarge = oversized(status, info !== undefined);
  if (tooLarge !== undefined) {
    const error = { type: tooLarge.type, trace_id: '', message: `${tooLarge.why}, so the call was not sent` };
    const response = new Response(null, { status: tooLarge.status });
    return { verdict: { kind: 'refused', response, body: { error } } };
  }
  if (info === undefined) {
    return { verdict: unavailable(`sent an invalid response (status ${status})`), retryAfterMs: 0 };
  }
  const response = new Response(bytes, { status, headers: handedOn(headers) });
  // The call was judged and recorded, so this is a verdict whatever the status.
  const isDecision = info.decision === 'block' || headers.has('x-weir-event-id');
  if (REFUSALS.has(status) || isDecision) {
    const verdict: Refused = { kind: 'refused', response, body };
    const again = !isDecision && (status === 409 || (status === 429 && headers.has('retry-after')));
    return again ? { verdict, retryAfterMs: retryAfterMs(headers) } : { verdict };
  }
  // Weir has been asked as often as the deadline allows: the client's own retries would only lengthen the wait.
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

/** Parses a header such as `EMAIL=2,IBAN=1`. */
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

/** Weir's headers about its answer, without those about the connection. */
function handedOn(headers: Headers): Headers {
  const kept = new Headers();
  for (const [name, value] of headers) {
    if (/^(?:content-type|retry-after|ratelimit.*|x-.*|request-id)$/.test(name)) kept.append(name, value);
  }
  return kept;
}

export function parsed(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    return undefined;
  }
}
