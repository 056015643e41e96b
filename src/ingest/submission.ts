/** A parsed submitted event: its validated fields, and the positions of its texts. */
import {
  decodingRequest,
  isObject,
  memberOf,
  nanoUsdOf,
  oneStep,
  segmentsOf,
  type DecodedCall,
  type Dialect,
  type Environment,
  type JsonDocument,
  type JsonValue,
  type ObjectMember,
  type Segment,
  type Steps,
} from '../core/index.js';
import type { AnyEventDto } from './dto/event.dto.js';
import type { ClientEventType } from '../events/index.js';
import { validateEvent } from './validate-event.js';

/** Half-open range of a value in the document's text. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

export interface Submission {
  readonly doc: JsonDocument;
  readonly event: AnyEventDto;
  readonly call: DecodedCall;
  /** Absent when there is no payload. */
  readonly payloadSpan?: Span;
  /** Absent when there is no metadata. `segments` contains only the texts of the metadata. */
  readonly metadata?: {
    readonly span: Span;
    readonly segments: readonly Segment[];
    readonly value: Readonly<Record<string, JsonValue>>;
  };
  readonly declaredEnvironment: Environment;
  readonly provider?: string;
  readonly model?: string;
  /** The stored name of the model, if something in it is masked. */
  readonly storedModel?: string;
  /** The stored name of the provider, if something in it is masked. */
  readonly storedProvider?: string;
  readonly sessionId?: string;
  readonly requestId?: string;
  readonly monitorRequested: boolean;
  /** Integer nano-dollars as text. */
  readonly costNanoUsd?: string;
}

const DIALECTS: Readonly<Record<ClientEventType, Dialect>> = {
  'ai.request': 'weir.ai_request',
  'ai.response': 'weir.ai_response',
  'ai.error': 'weir.ai_error',
  'agent.tool_call': 'weir.tool_call',
};

/** The pattern of identifier fields, for names in a provider's own fields. */
const IDENTIFIER = /^[^\p{Cc}\p{Cs}]{1,256}$/u;

/**
 * Validates the body and extracts its texts, in steps.
 * @throws {WeirError} 422 `invalid_request` or `reserved_event_type`
 */
export function* readingSubmission(doc: JsonDocument): Steps<Submission> {
  const value = yield* doc.readingWhole();
  const event = yield* oneStep(() => validateEvent(value));
  const call = yield* decodingRequest(DIALECTS[event.type], doc);
  const payload = (event.payload ?? null) === null ? undefined : memberSpan(doc, 'payload');
  const metadata = metadataOf(doc, event);
  const model = event.model ?? call.model;
  const sessionId = sessionOf(event);
  const cost = costOf(doc, event);
  return {
    doc,
    event,
    call,
    ...(payload === undefined ? {} : { payloadSpan: payload }),
    ...(metadata === undefined ? {} : { metadata }),
    declaredEnvironment: event.environment ?? 'production',
    ...(typeof event.provider === 'string' ? { provider: event.provider } : {}),
    ...(model !== undefined && IDENTIFIER.test(model) ? { model } : {}),
    ...(sessionId === undefined ? {} : { sessionId }),
    ...(typeof event.request_id === 'string' ? { requestId: event.request_id } : {}),
    monitorRequested: asksForMonitoring(event),
    ...(cost === undefined ? {} : { costNanoUsd: cost }),
  };
}

/** True when the caller asked for judging without enforcement. */
export function asksForMonitoring(event: AnyEventDto): boolean {
  switch (event.type) {
    case 'ai.request':
    case 'agent.tool_call':
      return event.payload?.monitor_mode === true;
    case 'ai.response':
    case 'ai.error':
      return false;
  }
}

function metadataOf(doc: JsonDocument, event: AnyEventDto): Submission['metadata'] {
  const span = memberSpan(doc, 'metadata');
  if (span === undefined || event.metadata === null || event.metadata === undefined) return undefined;
  // Validated to be an object; its values were parsed from JSON.
  const value = event.metadata as Readonly<Record<string, JsonValue>>;
  return { span, segments: segmentsOf(doc, ['metadata'], 'metadata'), value };
}

function sessionOf(event: AnyEventDto): string | undefined {
  const own = event.type === 'agent.tool_call' ? event.payload?.session_id : undefined;
  const session = own ?? event.metadata?.['session_id'];
  return typeof session === 'string' && IDENTIFIER.test(session) ? session : undefined;
}

/** The cost is read from the JSON literal, since a double does not represent every number of nano-dollars exactly. */
function costOf(doc: JsonDocument, event: AnyEventDto): string | undefined {
  if (event.type !== 'ai.response' || (event.payload?.cost_usd ?? null) === null) return undefined;
  const member = lastMember(memberOf(doc.root, 'payload'), 'cost_usd');
  if (member === undefined) return undefined;
  // A negative literal that was accepted can only be a negative zero.
  const literal = doc.text.slice(member.start, member.end).replace(/^-/, '');
  return nanoUsdOf(literal)?.toString();
}

function memberSpan(doc: JsonDocument, key: string): Span | undefined {
  return lastMember(doc.root, key);
}

function lastMember(node: Parameters<typeof isObject>[0], key: string): ObjectMember | undefined {
  return isObject(node) ? node.members.findLast((member) => member.key.text === key) : undefined;
}
