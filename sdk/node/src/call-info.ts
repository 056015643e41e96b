import type { Redaction, Violation } from './errors.js';
import { sharedState } from './shared.js';

/** Weir's result for one call to the provider. */
export interface WeirInfo {
  /** Id of the `ai.request` event; absent when the call was not recorded. */
  readonly eventId?: string;
  readonly decision?: 'allow' | 'redact' | 'block';
  /** The machine-readable reason why a call was refused. */
  readonly code?: string;
  /** Rules that fired on the request; known only for refused calls. */
  readonly violations?: readonly Violation[];
  readonly redactions?: readonly Redaction[];
  /** Rules that fired on the answer, once Weir has read it; undefined when the report of the answer was dropped. */
  readonly answered?: Promise<readonly Violation[] | undefined>;
}

/** The number of ids for which results are remembered. */
const MOST_IDS = 1000;
const BLOCKS: ReadonlySet<unknown> = new Set(['content_policy_violation', 'tool_use_blocked', 'budget_exceeded']);

const byObject = sharedState('info by object', () => new WeakMap<object, WeirInfo>());
const byId = sharedState('info by id', () => new Map<string, WeirInfo>());

/** Remembers a call's result for an object that its caller holds, such as a response or an abort signal. */
export function rememberObject(object: object, info: WeirInfo): void {
  byObject.set(object, info);
}

/** Remembers a call's result for an id of the provider's answer, from a header or from the answer itself. */
export function rememberId(id: string, info: WeirInfo): void {
  byId.delete(id);
  byId.set(id, info);
  if (byId.size > MOST_IDS) byId.delete(byId.keys().next().value!);
}

/** Remembers a call's result for its answer, for the ids in the answer's headers and for the caller's signal. */
export function rememberAnswer(response: Response, signal: AbortSignal | undefined, info: WeirInfo): void {
  rememberObject(response, info);
  if (signal !== undefined) rememberObject(signal, info);
  for (const name of ['x-request-id', 'request-id']) {
    const id = response.headers.get(name);
    if (id !== null) rememberId(id, info);
  }
}

const ID = /"id"\s*:\s*"([\w.:-]{4,200})"/;

/** Remembers a call's result for the id near the beginning of the answer: official clients keep this id in the objects that they build. */
export function rememberFirstId(first: Uint8Array, info: WeirInfo): void {
  const id = ID.exec(new TextDecoder().decode(first.subarray(0, 1024)))?.[1];
  if (id !== undefined) rememberId(id, info);
  rememberLastId(first, info);
}

const LAST_ID = /"responseId"\s*:\s*"([\w.:-]{4,200})"/;

/** Like `rememberFirstId` for Google, which puts the id after the content: in each event of a stream, once in any other answer. */
export function rememberLastId(body: Uint8Array, info: WeirInfo): void {
  const id = LAST_ID.exec(new TextDecoder().decode(body.subarray(-1024)))?.[1];
  if (id !== undefined) rememberId(id, info);
}

/**
 * Weir's result for the call that led to a result, a stream, a `Response` or an error of an official client. Undefined if no guarded client
 * made the call, and for a result without an id.
 */
export function weirOf(subject: unknown): WeirInfo | undefined {
  if (typeof subject !== 'object' || subject === null) return undefined;
  const known = byObject.get(subject);
  if (known !== undefined) return known;
  const read = subject as Readonly<Record<string, unknown>>;
  const refused = refusalIn(subject);
  if (refused !== undefined) return refused;
  const signal = (read['controller'] as { signal?: unknown } | undefined)?.signal;
  const held = [read['response'], ownData(read), signal].find((each) => isObject(each) && byObject.has(each));
  if (held !== undefined) return byObject.get(held as object);
  const own = [read['_request_id'], read['request_id'], read['requestID'], read['id'], read['responseId']];
  const ids = [...own, nested(read, 'message', 'id')];
  for (const id of ids) if (typeof id === 'string' && byId.has(id)) return byId.get(id);
  return isObject(read['response']) && read['response'] !== subject ? weirOf(read['response']) : undefined;
}

/** Whether a rule, or a budget that blocks, refused the call that ended in this error. */
export function isBlocked(error: unknown): boolean {
  return BLOCKS.has(weirOf(error)?.code) || BLOCKS.has((error as { code?: unknown } | null | undefined)?.code);
}

/** The part of an error's body that Weir added, in every place where clients and frameworks keep bodies. */
function refusalIn(subject: object): WeirInfo | undefined {
  let level: unknown = subject;
  const looked = new Set<unknown>();
  while (isObject(level) && !looked.has(level) && looked.size < 8) {
    looked.add(level);
    const found = refusalAt(level);
    if (found !== undefined) return found;
    level = level['cause'] ?? level['lastError'];
  }
  return undefined;
}

function refusalAt(level: Readonly<Record<string, unknown>>): WeirInfo | undefined {
  const bodies = [
    level['error'],
    nested(level, 'error', 'error'),
    nested({ data: ownData(level) }, 'data', 'error'),
    level,
  ];
  for (const body of bodies) {
    const info = isObject(body) ? weirIn(body) : undefined;
    if (info !== undefined) return info;
  }
  const text = level['responseBody'] ?? level['message'];
  return typeof text === 'string' && text.includes('"weir"') ? refusalInText(text) : undefined;
}

function refusalInText(text: string): WeirInfo | undefined {
  try {
    return refusalOfBody(JSON.parse(text.slice(text.indexOf('{'), text.lastIndexOf('}') + 1)));
  } catch {
    return undefined;
  }
}

/** The data in a refusal's body, in the format of any provider or in Weir's own. */
export function refusalOfBody(body: unknown): WeirInfo | undefined {
  const error = isObject(body) ? body['error'] : undefined;
  return isObject(error) ? weirIn(error) : undefined;
}

/** `error.weir` (OpenAI, Anthropic), `error.details[]` of type `weir` (Gemini), or Weir's own `error.type` and `trace_id`. */
function weirIn(error: Readonly<Record<string, unknown>>): WeirInfo | undefined {
  const details = error['details'];
  const own = typeof error['type'] === 'string' && typeof error['trace_id'] === 'string';
  const weir = isObject(error['weir'])
    ? error['weir']
    : Array.isArray(details)
      ? (details.find((each) => isObject(each) && each['@type'] === 'weir') as Record<string, unknown> | undefined)
      : undefined;
  const said = weir ?? (own ? { ...error, code: error['type'] } : undefined);
  if (said === undefined || typeof said['code'] !== 'string') return undefined;
  return {
    code: said['code'],
    ...(typeof said['event_id'] === 'string' ? { eventId: said['event_id'] } : {}),
    ...(typeof said['decision'] === 'string' ? { decision: said['decision'] as 'block' } : {}),
    ...(Array.isArray(said['violations']) ? { violations: said['violations'] as Violation[] } : {}),
    ...(Array.isArray(said['redactions']) ? { redactions: said['redactions'] as Redaction[] } : {}),
  };
}

function nested(from: Readonly<Record<string, unknown>>, first: string, second: string): unknown {
  const inner = from[first];
  return isObject(inner) ? inner[second] : undefined;
}

/** Only an own property: in results of Google's client, `data` is a getter that prints a warning when read. */
function ownData(from: object): unknown {
  return Object.hasOwn(from, 'data') ? (from as { readonly data?: unknown }).data : undefined;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
