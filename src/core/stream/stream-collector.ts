import {
  CallCollector,
  type ArgumentsOrigin,
  type FieldReader,
  type FieldReaders,
  type RemainingSteps,
  type Place,
} from '../call/call-collector.js';
import type { JsonValue, SegmentRole, ToolCall } from '../model/call.js';
import { itemPath } from '../call/json-path.js';
import { BLOCK_FIELDS, content } from '../call/block-readers.js';
import type { TokenText } from '../call/reading-place.js';
import { ANSWER_FIELDS, answerFieldsOf } from '../call/root-readers.js';
import { as, listOf, PLAIN_FIELDS, plain, text } from '../call/scalar-readers.js';
import { unnamed } from '../call/shape-readers.js';
import { holdsSignature } from '../call/signed-content.js';
import { withTokenTexts } from '../call/token-texts.js';
import { isCall, readCall } from '../call/tool-readers.js';
import { JsonSyntaxError } from '../json/json-parser.js';
import { PROVIDERS } from '../providers/providers.js';
import type { Scope } from '../providers/stream-family.js';
import type { Steps } from '../steps/steps.js';
import type { JsonDocument } from '../json/json-document.js';
import {
  indexIn,
  isObject,
  isString,
  stringOf,
  stringsOf,
  toValue,
  type JsonNode,
  type ObjectNode,
  type TextNode,
} from '../json/json-node.js';
import { ambiguousMember } from './ambiguous-members.js';
import { misspelledMember } from './spelled-names.js';

/** A tool call in one event: the whole call, or one piece. */
export interface SeenCall extends Omit<ToolCall, 'name'> {
  /** All names that a client could read. */
  readonly names: readonly string[];
  readonly origin: ArgumentsOrigin;
  /** True when this is one piece of a call whose arguments are spread over several events. */
  readonly partial: boolean;
  /** The names, if they continue the name from an earlier event of the same block. */
  readonly joinedNames?: readonly string[];
}

/** The texts of tokens that earlier events of the stream began. */
interface OpenTokenTexts {
  /** Whether tokens at this place continue such a text. */
  isOpen(scope: Scope, place: Place): boolean;
}

/**
 * Reads one event of a stream. Items of lists are named by their own `index`, so that pieces of one text have one path
 * in all events; pieces of tool arguments are texts, not JSON.
 */
export class StreamCollector extends CallCollector {
  readonly seenCalls: SeenCall[] = [];
  /** The places of objects with a signature, which may belong to texts of earlier events. */
  readonly signatures: string[] = [];
  /** The texts of tokens in the event, by the index of their segments. */
  readonly tokenTexts = new Map<number, TokenText>();
  /** Places of tokens that repeat a whole text of the event. */
  readonly repeatedTokens: Place[] = [];
  /** Whether the event contains tokens of log probabilities. */
  holdsTokens = false;
  private partial = false;

  /**
   * @param namesOfItems the names of items from earlier events, by id
   * @param tokenRuns the texts of tokens that earlier events began
   * @param isDocumented whether the event belongs to a documented family, in any case of its names
   */
  constructor(
    doc: JsonDocument,
    private readonly scope: Scope,
    private readonly namesOfItems: ReadonlyMap<string, string>,
    private readonly tokenRuns: OpenTokenTexts,
    private readonly isDocumented: boolean,
  ) {
    super(doc, 'new', unnamed);
  }

  override tokens(tokens: TokenText): void {
    this.holdsTokens = true;
    // Tokens are a text, and no piece of a call, also in an event of a call.
    const place: Place = tokens.place.role === 'tool_call' ? { ...tokens.place, role: 'other' } : tokens.place;
    const { repeats } = tokens;
    if (repeats === 'all' || (repeats === 'part' && !this.tokenRuns.isOpen(this.scope, place))) {
      if (repeats === 'all') this.repeatedTokens.push(place);
      return;
    }
    this.tokenTexts.set(this.segments.length, tokens);
    this.text(tokens.node(), place);
  }

  protected override begins(node: ObjectNode, place: Place): void {
    super.begins(node, place);
    // All names and arguments of a whole call are judged.
    const isOfWholeCall = place.role === 'tool_call' && !this.partial;
    const ambiguous = isOfWholeCall ? undefined : ambiguousMember(node);
    if (ambiguous !== undefined)
      throw new JsonSyntaxError('two texts with the same name', this.doc.text, ambiguous.key.start, true);
    const misspelled = this.isDocumented ? misspelledMember(place.path, node) : undefined;
    if (misspelled !== undefined)
      throw new JsonSyntaxError('a documented name in other letters', this.doc.text, misspelled.key.start, true);
    if (holdsSignature(node)) this.signatures.push(place.path);
  }

  override itemPlace(place: Place, item: JsonNode, position: number): Place {
    return { ...place, path: itemPath(place.path, indexIn(item, 'index') ?? position) };
  }

  override *toolArguments(node: JsonNode, place: Place): Steps<JsonValue | undefined> {
    if (!this.partial) return yield* super.toolArguments(node, place);
    yield* this.rest(this.freeform(node, place));
    return isString(node) ? undefined : toValue(node);
  }

  override *nestedJson(node: TextNode): Steps<JsonNode | undefined> {
    return this.partial ? undefined : yield* super.nestedJson(node);
  }

  /** Notes the call. Calls nested in its arguments are searched for once these are complete. */
  override *addingToolCall(
    { name, ...call }: ToolCall,
    origin: ArgumentsOrigin = 'member',
    names: readonly string[] = [name],
  ): Steps<void> {
    if (this.calls === 'new') this.seenCalls.push({ ...call, names, origin, partial: this.partial });
    yield;
  }

  override pieceOfCall(piece: () => RemainingSteps): RemainingSteps {
    return this.inPieces(piece);
  }

  /** Reads the event's JSON. */
  *readingEvent(): Steps<void> {
    const { root } = this.doc;
    const role: SegmentRole = isObject(root) ? roleOf(stringOf(root, 'type') ?? '') : 'other';
    yield* this.reading(isObject(root) ? this.event(root, role) : this.other(root, { path: '$', role }));
  }

  private event(root: ObjectNode, role: SegmentRole): RemainingSteps {
    const place = { path: '', role };
    const { family, type } = this.scope;
    // An event can be a piece of a call, as in Mistral's conversations, or a whole call, as in Vercel's gateway.
    if (family.isPieceOfCall(type)) return this.inPieces(() => readCall(this, root, place, PIECE_FIELDS, ''));
    if (!isCall(root) || this.repeatsItem(root))
      return withTokenTexts(this, root, place, LOGPROBS, () => this.fields(root, place, STREAM_FIELDS));
    return readCall(this, root, place, STREAM_FIELDS);
  }

  /** Whether an event repeats an item of an earlier event with the same name. */
  private repeatsItem(root: ObjectNode): boolean {
    const name = this.namesOfItems.get(stringOf(root, 'item_id') ?? '');
    return name !== undefined && stringsOf(root, 'name').every((each) => each === name);
  }

  /** Reads pieces: texts with the same path in later events continue them. */
  pieces(node: JsonNode, place: Place): RemainingSteps {
    return this.inPieces(() =>
      isObject(node)
        ? withTokenTexts(this, node, place, LOGPROBS, () => this.fields(node, place, DELTA_FIELDS))
        : this.other(node, place),
    );
  }

  private inPieces(read: () => RemainingSteps): RemainingSteps {
    return this.begun(this.readInPieces(read));
  }

  private *readInPieces(read: () => RemainingSteps): Steps<void> {
    const before = this.partial;
    this.partial = true;
    yield* this.rest(read());
    this.partial = before;
  }
}

/** Members with log probabilities. */
const LOGPROBS: readonly string[] = ['logprobs'];

/**
 * Types of events about the arguments of a tool call. Types of responses name the item and its argument (`shell_call_command`,
 * `apply_patch_call_operation_diff`); the output of a call is not an argument.
 */
const OF_ARGUMENTS =
  /arguments|custom_tool_call_input|_call_code|^response\.\w+_call_(?!output|result)\w+\.(?:added|delta|done)$/;

function roleOf(type: string): SegmentRole {
  if (OF_ARGUMENTS.test(type)) return 'tool_call';
  return /reasoning|thinking/.test(type) ? 'reasoning' : 'assistant';
}

/** The part that a delta adds. A delta that is itself a call is complete, as in Gemini's interactions. */
const pieces: FieldReader = (collector, node, place) => {
  if (isObject(node) && isCall(node)) return readCall(collector, node, place, DELTA_FIELDS);
  return collector instanceof StreamCollector ? collector.pieces(node, place) : collector.freeform(node, place);
};

const wholeArguments: FieldReader = (collector, node, place) =>
  collector.begun(
    (function* () {
      yield* collector.toolArguments(node, place);
    })(),
  );

const DELTA_FIELDS: FieldReaders = new Map<string, FieldReader>([
  ...BLOCK_FIELDS,
  ['partial_json', as('tool_call', text)],
  // Of the steps of Gemini's interactions.
  ['arguments', as('tool_call', text)],
  ['stop_sequence', text],
]);

const CHOICE_FIELDS: FieldReaders = new Map<string, FieldReader>([
  ...BLOCK_FIELDS,
  ['delta', pieces],
  ['message', content],
]);

const choice: FieldReader = (collector, node, place) =>
  isObject(node)
    ? withTokenTexts(collector, node, place, LOGPROBS, () => collector.fields(node, place, CHOICE_FIELDS))
    : collector.freeform(node, place);

const wholeAnswer: FieldReader = (collector, node, place) =>
  isObject(node) ? collector.fields(node, place, answerFieldsOf(node, ANSWER_FIELDS)) : collector.freeform(node, place);

/** Root fields of the events of chat completions, completions, responses and messages. */
const STREAM_FIELDS: FieldReaders = new Map<string, FieldReader>([
  ...ANSWER_FIELDS,
  ...PLAIN_FIELDS,
  ['choices', listOf(choice)],
  ['delta', pieces],
  // Agents stream their states, including the model's latest text.
  ['messages', content],
  ['content_block', content],
  ['item', content],
  ['part', content],
  ['response', wholeAnswer],
  ['arguments', as('tool_call', wholeArguments)],
  ['obfuscation', plain],
  ...Object.values(PROVIDERS).flatMap(({ streamFields }) => [...streamFields]),
]);

/** Root fields of events that are pieces of a tool call. */
const PIECE_FIELDS: FieldReaders = new Map<string, FieldReader>([
  ...STREAM_FIELDS,
  ...['toolCallId', 'actionExecutionId', 'parentMessageId'].map((key) => [key, plain] as const),
]);
