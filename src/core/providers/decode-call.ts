import type { JsonDocument } from '../json/json-document.js';
import {
  isArray,
  isObject,
  isString,
  memberOf,
  readingValue,
  stringOf,
  stringsOf,
  type JsonNode,
  type TextNode,
} from '../json/json-node.js';
import type { DecodedCall, Dialect, JsonValue, Segment, SegmentRole } from '../model/call.js';
import { CallCollector, type FieldReader, type FieldReaders } from '../call/call-collector.js';
import { content, PAST_MEMBERS } from '../call/block-readers.js';
import { itemPath, memberPath } from '../call/json-path.js';
import { answerFieldsOf } from '../call/root-readers.js';
import { as, plain, text } from '../call/scalar-readers.js';
import { unnamed } from '../call/shape-readers.js';
import { withTokenTexts } from '../call/token-texts.js';
import { isCall } from '../call/tool-readers.js';
import { unknownRequest } from '../call/unknown-requests.js';
import { bodyIn, type CalledBody } from './called-body.js';
import { atOnce, type Steps } from '../steps/steps.js';
import type { ProviderDialect } from './provider.js';
import { usageOfAny } from './providers.js';

/**
 * Decodes a request: every text with its path, and the request's tools and tool calls. Unknown fields are read: a string is skipped only if
 * its field is known to hold no text and the string has the form expected there.
 *
 * For the `weir.*` dialects the document is a whole event body and paths start at its `payload`; their direction follows from the
 * dialect, so `decodeAnswer` returns the same result.
 */
export function decodeRequest(dialect: Dialect, doc: JsonDocument): DecodedCall {
  return atOnce(decodingRequest(dialect, doc));
}

/** Decodes an answer, like `decodeRequest`; the tool calls of an answer are new ones. */
export function decodeAnswer(dialect: Dialect, doc: JsonDocument): DecodedCall {
  return atOnce(decodingAnswer(dialect, doc));
}

/** `decodeRequest` in steps. */
export function decodingRequest(dialect: Dialect, doc: JsonDocument): Steps<DecodedCall> {
  return decoding(dialect, doc, 'request');
}

/** `decodeAnswer` in steps. */
export function decodingAnswer(dialect: Dialect, doc: JsonDocument): Steps<DecodedCall> {
  return decoding(dialect, doc, 'answer');
}

/**
 * Reads the texts below one path of a document as free-form text. The log uses it to mask an event's metadata.
 * @param pointer keys (and indices as decimal text) from the root; paths of the segments start there too
 */
export function segmentsOf(doc: JsonDocument, pointer: readonly string[], role: SegmentRole): Segment[] {
  let node: JsonNode | undefined = doc.root;
  let path = '';
  for (const step of pointer) {
    path = isArray(node) ? itemPath(path, Number(step)) : memberPath(path, step, positionOf(node, step));
    node = isArray(node) ? node.items[Number(step)] : memberOf(node, step);
  }
  const collector = new CallCollector(doc, 'past');
  const key = pointer.at(-1);
  if (node !== undefined)
    collector.readAll(collector.freeform(node, { path, role, ...(key === undefined ? {} : { key }) }));
  return collector.segments;
}

function positionOf(node: JsonNode | undefined, key: string): number {
  return isObject(node) ? node.members.findLastIndex((member) => member.key.text === key) : -1;
}

function decoding(dialect: Dialect, doc: JsonDocument, direction: 'request' | 'answer'): Steps<DecodedCall> {
  const body = bodyIn(doc, dialect, direction);
  return dialect === 'weir.tool_call' ? readToolCallEvent(doc, body) : read(dialect, doc, body);
}

function* read(dialect: Dialect, doc: JsonDocument, body: CalledBody): Steps<DecodedCall> {
  const {
    root,
    reading: { fields, role, calls },
  } = body;
  const collector = new CallCollector(doc, calls, unnamed, fields === undefined ? PAST_MEMBERS : undefined);
  // An answer can be a single tool call, for example if it is one item of a conversation.
  const isWhole = isObject(root) && !(calls === 'new' && isCall(root));
  // In an event that a client submits, the answer is in `output`.
  const isProviders = calls === 'new' && dialect !== 'weir.ai_response';
  const place = { path: isObject(root) || isArray(root) ? '' : '$', role };
  const left =
    fields === undefined
      ? unknownRequest(collector, root, place)
      : isWhole
        ? withTokenTexts(collector, root, place, ['logprobs'], () =>
            collector.fields(root, place, isProviders ? answerFieldsOf(root, fields) : fields),
          )
        : collector.other(root, place);
  yield* collector.reading(left);
  return yield* finish(dialect, doc, body, collector);
}

/** `{tool, arguments, call_id?, session_id?, result?}`: one new call, with its result if it has already run. */
function* readToolCallEvent(doc: JsonDocument, body: CalledBody): Steps<DecodedCall> {
  const payload = body.root;
  const collector = new CallCollector(doc, 'new');
  if (!isObject(payload)) {
    yield* collector.reading(collector.freeform(payload, { path: '$', role: 'tool_call' }));
    // The payload is missing, but a tool is about to run, so an empty call is added for rules with allow lists to judge.
    if (payload === null) yield* collector.addingToolCall({ name: '', args: {}, path: 'tool', segments: [] });
    return yield* finish('weir.tool_call', doc, body, collector);
  }
  const id = stringOf(payload, 'call_id');
  const name = stringOf(payload, 'tool') ?? '';
  const own: number[][] = [];
  const result: number[][] = [];
  let args: JsonValue | undefined = {};
  const gathered =
    (into: number[][], reader: FieldReader): FieldReader =>
    (_, node, place) =>
      collector.begun(
        (function* () {
          into.push(yield* collector.gather(() => reader(collector, node, place)));
        })(),
      );
  const readArgs: FieldReader = (_, node, place) =>
    collector.begun(
      (function* () {
        args = yield* collector.toolArguments(node, place);
      })(),
    );
  const readers: FieldReaders = new Map<string, FieldReader>([
    ['call_id', plain],
    ['session_id', plain],
    ['tool', gathered(own, text)],
    ['arguments', gathered(own, readArgs)],
    ['result', gathered(result, as('tool_result', content))],
  ]);
  yield* collector.reading(collector.fields(payload, { path: '', role: 'tool_call' }, readers));
  yield* collector.addingToolCall({
    ...(id === undefined ? {} : { id }),
    name,
    args,
    path: 'tool',
    segments: own.flat(),
  });
  if (memberOf(payload, 'result') !== undefined) {
    collector.pastToolResults.push({
      ...(id === undefined ? {} : { callId: id }),
      name,
      path: 'result',
      segments: result.flat(),
    });
  }
  return yield* finish('weir.tool_call', doc, body, collector);
}

function* finish(
  dialect: Dialect,
  doc: JsonDocument,
  { root, facts, reading }: CalledBody,
  collector: CallCollector,
): Steps<DecodedCall> {
  const { segments, declaredTools, newToolCalls, pastToolCalls, pastToolResults, embedded } = collector;
  // A complete answer of a provider also contains its usage.
  const whole = dialect === 'weir.ai_response' ? memberOf(root, 'output') : undefined;
  const model = [doc.root, root, whole]
    .flatMap((node) => facts.modelMembers.map((member) => nameUnder(node, member)))
    .find((name) => name !== undefined);
  const maxTokens = maxTokensOf(root, facts.outputLimits);
  const usage = usageOfAny(root) ?? usageOfAny(whole);
  const outputSchema = yield* outputSchemaOf(root, facts);
  return {
    dialect,
    segments,
    declaredTools,
    newToolCalls,
    pastToolCalls,
    pastToolResults,
    ...(embedded.length === 0 ? {} : { embedded }),
    ...(outputSchema === undefined ? {} : { outputSchema }),
    ...(model === undefined ? {} : { model }),
    ...(maxTokens === undefined ? {} : { maxTokens }),
    stream: memberOf(root, 'stream') === true,
    ...(usage === undefined ? {} : { usage }),
    ...chainOf(root, facts, reading.calls),
  };
}

/** The name under a key. Parsers of Go also accept the key in another case. */
function nameUnder(node: JsonNode | undefined, key: string): string | undefined {
  return stringOf(node, key) ?? stringsOf(node, key.toLowerCase()).at(-1);
}

/** For providers that store answers: the id of the stored answer that a request continues, or the answer's own id. */
function chainOf(root: JsonNode, { previousAnswer }: ProviderDialect, calls: 'past' | 'new') {
  if (previousAnswer === undefined) return {};
  const named = stringOf(root, calls === 'past' ? previousAnswer : 'id');
  if (named === undefined) return {};
  return calls === 'past' ? { previousAnswer: named } : { answerId: named };
}

function* outputSchemaOf(root: JsonNode, facts: ProviderDialect): Steps<JsonValue | undefined> {
  for (const path of facts.outputSchemas) {
    const schema = path.reduce<JsonNode | undefined>(memberOf, root);
    if (!isObject(schema)) continue;
    const value = yield* readingValue(schema);
    return facts.readingSchema === undefined ? value : yield* facts.readingSchema(value);
  }
  return undefined;
}

/** The largest output that the request allows, under any of its names. */
function maxTokensOf(root: JsonNode, places: readonly (readonly string[])[]): number | undefined {
  const limits = places.map((path) => countOf(path.reduce<JsonNode | undefined>(memberOf, root)));
  const known = limits.filter((limit) => limit !== undefined && Number.isSafeInteger(limit) && limit >= 0);
  return known.length === 0 ? undefined : Math.max(...(known as number[]));
}

/** Reads a number, or the digits of a number in a string, which some servers accept. */
function countOf(node: JsonNode | undefined): number | undefined {
  if (typeof node === 'number') return node;
  const isCount = isString(node) ? /^\d[\d.eE+]{0,20}$/.test(node.text) : isNumber(node);
  return isCount ? Number((node as TextNode).text) : undefined;
}

function isNumber(node: JsonNode | undefined): node is TextNode {
  return typeof node === 'object' && node !== null && node.kind === 'number';
}
