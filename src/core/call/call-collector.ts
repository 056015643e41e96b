import type { JsonDocument } from '../json/json-document.js';
import {
  isArray,
  isObject,
  isString,
  readingValue,
  type ArrayNode,
  type JsonNode,
  type ObjectNode,
  type TextNode,
} from '../json/json-node.js';
import type {
  DeclaredTool,
  EmbeddedBytes,
  JsonValue,
  Segment,
  SegmentRole,
  ToolCall,
  ToolResult,
} from '../model/call.js';
import { atOnce, THINGS_BETWEEN_STOPS, type Steps } from '../steps/steps.js';
import { isSigned } from './signed-content.js';
import { checkingBase64File, findingBase64, looksLikeBase64, type Base64Places } from './base64-places.js';
import { readingCallsWithin } from './calls-within.js';
import { isNameLike, itemPath, memberPath } from './json-path.js';
import { checkingOpaque, MIN_OPAQUE } from './scalar-forms.js';

/** The position of a node, and how its texts count. */
export interface Place {
  readonly path: string;
  readonly role: SegmentRole;
  /** Nearest object key. */
  readonly key?: string;
}

/** What is left to read behind what was read at once: whoever asked for it goes on with it before anything else. */
export type RemainingSteps = Steps<void> | undefined;

/** What is to be done with the value of a known field. */
export type FieldReader = (collector: CallCollector, node: JsonNode, place: Place) => RemainingSteps;
export type FieldReaders = ReadonlyMap<string, FieldReader>;

/** A longer text is looked at in turns with others. */
const LONG_TEXT = 65_536;
/** So many characters take about as long to look at as one thing. */
const CHARACTERS_OF_A_THING = 4_096;

/**
 * Gathers what a decoder finds, in the order of the text, and in steps: a body may hold hundreds of thousands of things. What
 * stands in a list or an object is read when somebody goes on with the steps that are given back for it.
 */
export class CallCollector {
  readonly segments: Segment[] = [];
  readonly declaredTools: DeclaredTool[] = [];
  readonly newToolCalls: ToolCall[] = [];
  readonly pastToolCalls: ToolCall[] = [];
  /** Names of past tool calls by id: of several with one id, the first. */
  readonly pastNames = new Map<string, string>();
  readonly pastToolResults: ToolResult[] = [];
  /** Base64 by its string and where it begins there. */
  private readonly files = new Map<string, EmbeddedBytes>();
  /** Whether base64 is text, for what has been looked at. */
  private readonly known = new Map<string, boolean>();
  /** Indices of the segments that are object keys. */
  readonly keySegments = new Set<number>();

  /**
   * @param calls whether tool calls that are found now are new ones, to be judged, or belong to the past
   */
  constructor(
    readonly doc: JsonDocument,
    public calls: 'new' | 'past',
    /** Reads what no table of fields names while calls are new ones: answers hold them in many shapes. */
    private readonly unnamed?: FieldReader,
    /** Members that are calls and results of a conversation so far, where nothing else is known of it. */
    private readonly past?: FieldReaders,
  ) {}

  /** Whether what is read now is signed. */
  private signed = false;
  /** Lists and objects that were begun and not read to their ends. */
  private unfinished = 0;
  /** How much was read since others had their turn. */
  private sinceStop = 0;

  /** Base64 in strings, for somebody who can tell what the bytes are. */
  get embedded(): EmbeddedBytes[] {
    return [...this.files.values()];
  }

  /** Goes on with what is left to the end. @throws Error when a reader has not gone on with something: nothing may go by unread */
  *reading(left: RemainingSteps): Steps<void> {
    yield* this.rest(left);
    if (this.unfinished !== 0) throw new Error('a reader of fields left a part of its value unread');
  }

  /** The same, now. */
  readAll(left: RemainingSteps): void {
    atOnce(this.reading(left));
  }

  text(node: TextNode, place: Place): void {
    this.sinceStop += 1 + node.text.length / CHARACTERS_OF_A_THING;
    this.segments.push({
      path: place.path,
      role: place.role,
      text: node.text,
      ref: node.ref,
      ...(place.key === undefined ? {} : { key: place.key }),
      ...(this.signed && { signed: true }),
    });
  }

  /** Notes base64 in a string that is said to be a file. */
  bytes(node: TextNode, start: number, { path, role }: Place, end = node.text.length, unsaid = false): void {
    this.files.set(`${node.ref}/${start}`, { path, role, ref: node.ref, start, end, ...(unsaid && { unsaid }) });
  }

  /** The text that base64 in a string stands for: where that is JSON, the texts in it. @returns whether there is one */
  *base64Text(outer: TextNode, start: number, place: Place, charset?: string, end = outer.text.length): Steps<boolean> {
    const key = `${outer.ref}/${start}`;
    const known = this.known.get(key);
    if (known !== undefined) return known;
    const inner = yield* this.doc.decodingBase64(outer, start, end, charset);
    this.known.set(key, inner !== undefined);
    if (inner === undefined) return false;
    const root = (yield* this.doc.readingNested(inner)) ?? (yield* this.doc.readingLines(inner));
    if (root === undefined) this.text(inner, place);
    else yield* this.rest(this.freeform(root, place));
    return true;
  }

  /** Base64 in a text of which nobody says that it is a file: data URLs, and texts that are base64 from end to end. */
  private base64In(node: TextNode, place: Place): RemainingSteps {
    if (node.kind !== 'string') return undefined;
    if (node.text.length > LONG_TEXT) return this.begun(this.readBase64In(node, place));
    const found = atOnce(findingBase64(node.text));
    return found.places.length === 0 ? undefined : this.begun(this.readPlaces(node, place, found));
  }

  private *readBase64In(node: TextNode, place: Place): Steps<void> {
    yield* this.readPlaces(node, place, yield* findingBase64(node.text));
  }

  private *readPlaces(node: TextNode, place: Place, { places, urls }: Base64Places): Steps<void> {
    for (const one of places) {
      const { start, end, charset, hex } = one;
      if (hex !== true) yield* this.base64Text(node, start, place, charset, end);
      const key = `${node.ref}/${start}`;
      if (this.files.has(key)) continue;
      const { path, role } = place;
      this.files.set(key, {
        path,
        role,
        ref: node.ref,
        start,
        end,
        ...(hex && { hex }),
        ...(!urls.has(one) && { unsaid: true }),
      });
      yield* this.rest(undefined);
    }
  }

  /** The place of an item of a list. */
  itemPlace(place: Place, _item: JsonNode, position: number): Place {
    return { ...place, path: itemPath(place.path, position) };
  }

  /** Every string below, keys included, and every integer long enough to be an account number. */
  freeform(node: JsonNode, place: Place): RemainingSteps {
    if (typeof node !== 'object' || node === null) return undefined;
    if (isArray(node)) return this.items(node, place, freeform);
    if (isObject(node)) return this.begun(this.readFreeform(node, place));
    if (isString(node) && isBlob(place)) return this.fileBytes(node, place);
    return this.words(node, place);
  }

  /** Each item of a list by the same reader. */
  items(node: ArrayNode, place: Place, reader: FieldReader): RemainingSteps {
    return this.begun(this.readItems(node, place, reader));
  }

  /** A file in base64. Where it holds text, that text; whether it is more than that is somebody else's to read. */
  fileBytes(node: JsonNode, place: Place): RemainingSteps {
    return isString(node) ? this.begun(this.readFileBytes(node, place)) : this.other(node, place);
  }

  private *readFileBytes(node: TextNode, place: Place): Steps<void> {
    const isText = yield* this.base64Text(node, 0, place);
    const isFile = yield* checkingBase64File(node.text, 0);
    if (isFile) this.bytes(node, 0, place);
    else if (looksLikeBase64(node.text)) this.bytes(node, 0, place, undefined, true);
    // Many credentials look like base64 in its other alphabet: it is also read as it stands.
    if (!(isFile && (yield* checkingOpaque(node.text))) && !(isText && node.text.length >= MIN_OPAQUE))
      yield* this.rest(this.words(node, place));
  }

  /** A text, and the base64 that stands in it. */
  words(node: TextNode, place: Place): RemainingSteps {
    this.text(node, place);
    return this.base64In(node, place);
  }

  /** The fields of an object: known ones by their reader, all others as free-form text. Duplicates are all read. */
  fields(node: ObjectNode, place: Place, readers: Pick<FieldReaders, 'get'>): RemainingSteps {
    return this.begun(this.readFields(node, place, readers));
  }

  /** Calls that this finds were made before, and are not judged again. */
  ofPast(read: () => RemainingSteps): RemainingSteps {
    return this.begun(this.readPast(read));
  }

  private *readPast(read: () => RemainingSteps): Steps<void> {
    const before = this.calls;
    this.calls = 'past';
    yield* this.rest(read());
    this.calls = before;
  }

  /** Goes on with what a reader has left, and lets others have their turn. */
  *rest(left: RemainingSteps): Steps<void> {
    if (left !== undefined) yield* left;
    if (++this.sinceStop < THINGS_BETWEEN_STOPS) return;
    this.sinceStop = 0;
    yield;
  }

  /** Counts what is begun until it has come to its end. */
  begun(steps: Steps<void>): Steps<void> {
    this.unfinished++;
    return this.toItsEnd(steps);
  }

  private *toItsEnd(steps: Steps<void>): Steps<void> {
    yield* steps;
    this.unfinished--;
  }

  private *readItems({ items }: ArrayNode, place: Place, reader: FieldReader): Steps<void> {
    for (let index = 0; index < items.length; index++) {
      const item = items[index]!;
      yield* this.rest(reader(this, item, this.itemPlace(place, item, index)));
    }
  }

  /** An object is about to be read. */
  protected begins(node: ObjectNode, _place: Place): void {
    this.signed ||= isSigned(node);
  }

  private *readFreeform(node: ObjectNode, place: Place): Steps<void> {
    const before = this.signed;
    this.begins(node, place);
    for (const [position, { key, value }] of node.members.entries())
      yield* this.rest(this.freeformMember(key, value, place, position));
    this.signed = before;
  }

  private *readFields(node: ObjectNode, place: Place, readers: Pick<FieldReaders, 'get'>): Steps<void> {
    const before = this.signed;
    this.begins(node, place);
    for (const [position, member] of node.members.entries()) {
      const key = member.key.text;
      const reader = readers.get(key);
      if (reader === undefined && isSwitch(key, member.value)) continue;
      const left =
        reader === undefined
          ? this.unnamedMember(member.key, member.value, place, position)
          : reader(this, member.value, { path: memberPath(place.path, key, position), role: place.role, key });
      yield* this.rest(left);
    }
    this.signed = before;
  }

  /** What stands where something else was expected. */
  other(node: JsonNode, place: Place): RemainingSteps {
    if (this.unnamed === undefined || this.calls === 'past') return this.freeform(node, place);
    return this.unnamed(this, node, place);
  }

  /** Runs `read` to its end and gives the indices of the segments that it added. */
  *gather(read: () => RemainingSteps): Steps<number[]> {
    const first = this.segments.length;
    yield* this.rest(read());
    return Array.from({ length: this.segments.length - first }, (_, index) => first + index);
  }

  /**
   * Arguments of a tool call: JSON in a string (OpenAI) or an object (Anthropic). Gives their value: `{}` for an empty
   * string, undefined for what is not JSON; that is then one text.
   */
  *toolArguments(node: JsonNode, place: Place): Steps<JsonValue | undefined> {
    if (!isString(node)) {
      yield* this.rest(this.freeform(node, place));
      return yield* readingValue(node);
    }
    const inner = yield* this.doc.readingNested(node);
    if (inner !== undefined) {
      yield* this.rest(this.freeform(inner, place));
      return yield* readingValue(inner);
    }
    this.text(node, place);
    return parseScalar(node.text);
  }

  /** The object or list that a string holds as JSON; undefined where it holds none, or a piece of one. */
  nestedJson(node: TextNode): Steps<JsonNode | undefined> {
    return this.doc.readingNested(node);
  }

  *addingToolCall(call: ToolCall): Steps<void> {
    const known = this.calls === 'new' ? this.newToolCalls : this.pastToolCalls;
    for (const each of yield* readingCallsWithin(call)) known.push(each);
    if (this.calls === 'past' && call.id !== undefined && !this.pastNames.has(call.id))
      this.pastNames.set(call.id, call.name);
  }

  private unnamedMember(key: TextNode, value: JsonNode, place: Place, position: number): RemainingSteps {
    const path = memberPath(place.path, key.text, position);
    this.keySegments.add(this.segments.length);
    this.text(key, { path, role: place.role });
    return this.other(value, { path, role: place.role, key: key.text });
  }

  private freeformMember(key: TextNode, value: JsonNode, place: Place, position: number): RemainingSteps {
    const path = memberPath(place.path, key.text, position);
    this.keySegments.add(this.segments.length);
    this.text(key, { path, role: place.role });
    const reader = this.calls === 'past' && isObject(value) ? this.past?.get(key.text) : undefined;
    const at = { path, role: place.role, key: key.text };
    return reader === undefined ? this.freeform(value, at) : reader(this, value, at);
  }
}

const freeform: FieldReader = (collector, node, place) => collector.freeform(node, place);

/** A setting such as `"temperature": 0.2`: neither its name nor its value can carry a message. */
function isSwitch(key: string, value: JsonNode): boolean {
  return (typeof value !== 'object' || value === null) && isNameLike(key);
}

/**
 * Members that hold bytes in base64 wherever they stand: of Bedrock, Vertex, Ollama and the routes that make pictures.
 * Gemini's `data` does so within `inlineData`.
 */
const BLOBS: ReadonlySet<string> = new Set([
  'bytes',
  'blob',
  'bytesBase64Encoded',
  'bytes_base64_encoded',
  'b64_json',
  'images',
]);
const INLINE_DATA = /(?:^|\.)inline_?data\.data$/i;

function isBlob({ key, path }: Place): boolean {
  return key !== undefined && (BLOBS.has(key) || (key === 'data' && INLINE_DATA.test(path)));
}

function parseScalar(text: string): JsonValue | undefined {
  if (text.trim() === '') return {};
  try {
    const value: unknown = JSON.parse(text);
    // Lists and objects that got here were refused by the limits: their value is not trusted to a second parser.
    return typeof value === 'object' && value !== null ? undefined : (value as JsonValue);
  } catch {
    return undefined;
  }
}
