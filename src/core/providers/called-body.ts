import { isObject, memberOf, type JsonNode } from '../json/json-node.js';
import type { JsonDocument } from '../json/json-document.js';
import type { FieldReader } from '../call/call-collector.js';
import type { Dialect, JsonValue } from '../model/call.js';
import { DIALECTS, dialectFacts } from './dialects.js';
import type { JsonRecord, ProviderDialect, RootReading } from './provider.js';
import { SHARED_REQUEST } from './shared-fields.js';

/** The request or answer in a document: its root, the readers of its fields, and the known properties of its kind. */
export interface CalledBody {
  readonly root: JsonNode;
  readonly reading: RootReading;
  readonly facts: ProviderDialect;
}

/** Dialects for which the document is the body of an event. */
const EVENTS: ReadonlySet<Dialect> = new Set([
  'weir.ai_request',
  'weir.ai_response',
  'weir.ai_error',
  'weir.tool_call',
]);

/** Dialects that are not read with the events' table of fields. OpenAI's and Anthropic's routes share that table. */
const OF_OTHER_FIELDS = Object.values(DIALECTS).filter(
  ({ request: { fields } }) => fields !== undefined && fields !== SHARED_REQUEST.fields,
);

/**
 * Finds the call in an event's `payload`. The payload can be a provider's request, or contain a complete answer of a provider
 * as its `output`. Such a request or answer is read like the same body in the proxy.
 */
export function bodyIn(doc: JsonDocument, dialect: Dialect, direction: 'request' | 'answer'): CalledBody {
  const own = dialectFacts(dialect);
  const reading = own[direction];
  if (!EVENTS.has(dialect)) return { root: doc.root, reading, facts: own };
  const root = memberOf(doc.root, 'payload') ?? null;
  const payload = recordOf(recordOf(doc.value)?.['payload']);
  if (dialect === 'weir.ai_request') {
    const found = dialectWith(payload);
    return found === undefined
      ? { root, reading, facts: own }
      : { root, reading: found.request, facts: both(own, found) };
  }
  const found = dialect === 'weir.ai_response' ? dialectWith(recordOf(payload?.['output'])) : undefined;
  if (found === undefined) return { root, reading, facts: own };
  const fields = new Map([...(reading.fields ?? []), ['output', wholeAnswer(found)] as const]);
  return { root, reading: { ...reading, fields }, facts: both(own, found) };
}

function dialectWith(body: JsonRecord | undefined): ProviderDialect | undefined {
  return body && OF_OTHER_FIELDS.find(({ recognises }) => recognises(body));
}

function wholeAnswer({ answer: { fields } }: ProviderDialect): FieldReader {
  return (collector, node, place) =>
    isObject(node) && fields !== undefined ? collector.fields(node, place, fields) : collector.freeform(node, place);
}

/** Combines the properties of a provider's body with those of the event's own members. */
function both(own: ProviderDialect, found: ProviderDialect): ProviderDialect {
  return {
    ...found,
    modelMembers: [...own.modelMembers, ...found.modelMembers],
    outputLimits: [...own.outputLimits, ...found.outputLimits],
    outputSchemas: [...own.outputSchemas, ...found.outputSchemas],
  };
}

function recordOf(value: JsonValue | undefined): Readonly<Record<string, JsonValue>> | undefined {
  const isRecord = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isRecord ? (value as Readonly<Record<string, JsonValue>>) : undefined;
}
