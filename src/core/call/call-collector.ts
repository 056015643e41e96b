import type { JsonDocument } from '../json/json-document.js';
import {
  isArray,
  isObject,
  isString,
  readingValue,
  type ArrayNode,
  type CodesWithin,
  type JsonNode,
  type ObjectNode,
  type TextNode,
} from '../json/json-node.js';
import type { DeclaredTool, EmbeddedBytes, JsonValue, Segment, ToolCall, ToolResult } from '../model/call.js';
import { atOnce, THINGS_BETWEEN_STOPS, type Steps } from '../steps/steps.js';
import { isSigned } from './signed-content.js';
import { checkingBase64File, checkingLooseBase64, findingBase64, type Base64Places } from './base64-places.js';
import { declaredFile, isBlob } from './blob-fields.js';
import { mayBeCallsWithin, readingCallsWithin } from './calls-within.js';
import { itemPath, memberPath, positionPath } from './json-path.js';
import { mayBeNumbers, readingNumbers, readJoined, type SaidOfFile } from './listed-files.js';
import { PathLimit } from './path-limit.js';
import { isSwitch, scalarArguments } from './plain-values.js';
import type { ArgumentsOrigin, Place, RemainingSteps, TokenText } from './reading-place.js';
import { checkingOpaque, checkingShortFile, MIN_OPAQUE } from './scalar-forms.js';

export type { ArgumentsOrigin, Place, RemainingSteps } from './reading-place.js';

/** Reads the value of a known field. */
export type FieldReader = (collector: CallCollector, node: JsonNode, place: Place) => RemainingSteps;
export type FieldReaders = ReadonlyMap<string, FieldReader>;

/** Longer texts are searched for base64 in steps. */
const LONG_TEXT = 65_536;
/** Number of characters that take about as long as one item. */
const CHARACTERS_OF_A_THING = 4_096;

/**
 * Collects the texts and tool calls of a body in document order, in steps, because a body may contain hundreds of thousands of values.
 * The content of a list or an object is read only when the caller runs the returned steps.
 */
export class CallCollector {
  readonly segments: Segment[] = [];
  readonly declaredTools: DeclaredTool[] = [];
  readonly newToolCalls: ToolCall[] = [];
  readonly pastToolCalls: ToolCall[] = [];
  /** Names of past tool calls by id; the first if several share an id. */
  readonly pastNames = new Map<string, string>();
  readonly pastToolResults: ToolResult[] = [];
  /** Ranges of base64, by the string and the start in it. */
  private readonly files = new Map<string, EmbeddedBytes>();
  /** Cache: whether base64 is text, by the string and the start in it. */
  private readonly known = new Map<string, boolean>();
  /** Indices of the segments that are object keys. */
  readonly keySegments = new Set<number>();

  /** @param calls whether tool calls found now are new, to be judged, or belong to the past */
  constructor(
    readonly doc: JsonDocument,
    public calls: 'new' | 'past',
    /** If calls are new, reads the fields that no table names, because answers contain tool calls in many shapes. */
    private readonly unnamed?: FieldReader,
    /** Readers of past tool calls and their results, for conversations of unknown format. */
    private readonly past?: FieldReaders,
  ) {}

  /** Whether the object being read is signed. */
  private signed = false;
  /** Whether the value being read is the arguments of a tool call. */
  private isInArguments = false;
  /** Number of lists and objects that were started but not completely read. */
  private unfinished = 0;
  /** Amount read since the last stop, in items. */
  private sinceStop = 0;
  private readonly pathLimit = new PathLimit();

  /** Base64 in strings, for a later step that recognises the format of the bytes. */
  get embedded(): EmbeddedBytes[] {
    return [...this.files.values()];
  }

  /** Runs the remaining steps. @throws Error if a reader left steps that were never run, because nothing may stay unread */
  *reading(left: RemainingSteps): Steps<void> {
    yield* this.rest(left);
    if (this.unfinished !== 0) throw new Error('a reader of fields left a part of its value unread');
  }

  /** Runs `reading` synchronously. */
  readAll(left: RemainingSteps): void {
    atOnce(this.reading(left));
  }

  text(node: TextNode, place: Place, cuts?: readonly number[]): void {
    this.sinceStop += 1 + node.text.length / CHARACTERS_OF_A_THING;
    this.pathLimit.count(place.path, this.doc.text.length);
    this.segments.push({
      path: place.path,
      role: place.role,
      text: node.text,
      ref: node.ref,
      ...(place.key === undefined ? {} : { key: place.key }),
      ...(this.signed && { signed: true }),
      ...(cuts && { cuts }),
    });
  }

  /** Adds a text of tokens, unless it repeats a text beside it. */
  tokens({ repeats, node, place }: TokenText): void {
    if (repeats === 'nothing' || repeats === 'alone') this.text(node(), place);
  }

  /** Records base64 from a position of a string to its end. */
  bytes(node: TextNode, start: number, { path, role }: Place, said: SaidOfFile = {}): void {
    const end = node.text.length;
    this.files.set(`${node.ref}/${start}`, { path, role, ref: node.ref, start, end, ...said });
  }

  /** Reads the text that base64 in a string encodes; if it is JSON, the texts in it. @returns whether it is text */
  *base64Text(outer: TextNode, start: number, place: Place, charset?: string, end = outer.text.length): Steps<boolean> {
    const key = `${outer.ref}/${start}`;
    const known = this.known.get(key);
    if (known !== undefined) return known;
    const inner = yield* this.doc.decodingBase64(outer, start, end, charset);
    this.known.set(key, inner !== undefined);
    if (inner === undefined) return false;
    yield* this.nestedText(inner, place);
    return true;
  }

  /** Reads the text of a file; if it is JSON, the texts in it. */
  *nestedText(inner: TextNode, place: Place): Steps<void> {
    const root = (yield* this.doc.readingNested(inner)) ?? (yield* this.doc.readingLines(inner));
    if (root === undefined) this.text(inner, place);
    else yield* this.rest(this.freeform(root, place));
  }

  /** Reads base64 in a text that is not declared as a file: data URLs, files, and texts that are entirely base64. */
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
      this.files.set(key, {
        path: place.path,
        role: place.role,
        ref: node.ref,
        start,
        end,
        ...(hex && { hex }),
        ...(!urls.has(one) && place.isFile !== true && { unsaid: true }),
        ...(charset === undefined ? {} : { charset }),
      });
      yield* this.rest(undefined);
    }
  }

  /** The `Place` of an item of a list. */
  itemPlace(place: Place, _item: JsonNode, position: number): Place {
    return { ...place, path: itemPath(place.path, position) };
  }

  /** Reads every string in a value, including keys, every number long enough to be an account number, and rows of character codes. */
  freeform(node: JsonNode, place: Place): RemainingSteps {
    if (typeof node !== 'object' || node === null) return undefined;
    if (isArray(node)) return this.items(node, place, freeform);
    if (isObject(node)) return this.begun(this.readFreeform(node, place));
    if (isString(node) && isBlob(place)) return this.fileBytes(node, place);
    if (this.isInArguments && mayBeCallsWithin(node.text, place.key)) return this.begun(this.readWithin(node, place));
    return this.words(node, place);
  }

  /** Reads each item of a list with the same reader. */
  items(node: ArrayNode, place: Place, reader: FieldReader): RemainingSteps {
    return this.begun(this.readItems(node, place, reader));
  }

  /** Reads a file in base64. If it contains text, that text is read; other formats are left to later steps. */
  fileBytes(node: JsonNode, place: Place): RemainingSteps {
    if (!isString(node)) return this.other(node, place);
    return this.begun(this.readFileBytes(node, place));
  }

  private *readFileBytes(node: TextNode, place: Place): Steps<void> {
    const isText = yield* this.base64Text(node, 0, place);
    const isFile = yield* checkingBase64File(node.text, 0);
    if (isFile) this.bytes(node, 0, place);
    else if ((yield* checkingLooseBase64(node.text)) || (yield* checkingShortFile(node.text)))
      this.bytes(node, 0, place, { unsaid: true });
    // Many credentials look like base64 in its other alphabet, so the encoded text is read as well.
    if (!(isFile && (yield* checkingOpaque(node.text))) && !(isText && node.text.length >= MIN_OPAQUE))
      yield* this.rest(this.words(node, place));
  }

  /** Reads a text and the base64 in it. @param cuts see `Segment` */
  words(node: TextNode, place: Place, cuts?: readonly number[]): RemainingSteps {
    this.text(node, place, cuts);
    return this.base64In(node, place);
  }

  /** Reads the fields of an object: known fields with their readers, all others as free-form text. All duplicates are read. */
  fields(node: ObjectNode, place: Place, readers: Pick<FieldReaders, 'get'>): RemainingSteps {
    return this.begun(this.readFields(node, place, readers));
  }

  /** Reads an object of unknown format: the members named in `readers` with these, all others as free-form text, and every name. */
  openFields(node: ObjectNode, place: Place, readers: FieldReaders): RemainingSteps {
    return this.begun(this.readFreeform(node, place, readers));
  }

  /** Runs a reader whose tool calls belong to the past and are not judged again. */
  ofPast(read: () => RemainingSteps): RemainingSteps {
    return this.begun(this.readPast(read));
  }

  private *readPast(read: () => RemainingSteps): Steps<void> {
    const before = this.calls;
    this.calls = 'past';
    yield* this.rest(read());
    this.calls = before;
  }

  /** Runs the steps that a reader left, and stops if enough was read. */
  *rest(left: RemainingSteps): Steps<void> {
    if (left !== undefined) yield* left;
    if (this.isEnough()) yield;
  }

  /** Counts an item that was read. @returns whether enough was read for a stop */
  private isEnough(): boolean {
    if (++this.sinceStop < THINGS_BETWEEN_STOPS) return false;
    this.sinceStop = 0;
    return true;
  }

  /** Counts steps as unfinished until they are completely run. */
  begun(steps: Steps<void>): Steps<void> {
    this.unfinished++;
    return this.toItsEnd(steps);
  }

  private *toItsEnd(steps: Steps<void>): Steps<void> {
    yield* steps;
    this.unfinished--;
  }

  private *readItems(node: ArrayNode, place: Place, reader: FieldReader): Steps<void> {
    const { items } = node;
    const codes = mayBeNumbers(node) ? yield* this.readNumbers(node, place) : node.codes;
    let [rows, joined] = [0, -1];
    for (let index = 0; index < items.length; index++) {
      const item = items[index]!;
      if (this.readCodes(codes?.[rows], index, place, itemPath)) rows++;
      if (index > joined) joined = readJoined(this, items, index, place);
      // As `rest`, without a generator for each item.
      const left = reader(this, item, this.itemPlace(place, item, index));
      if (left !== undefined) yield* left;
      if (this.isEnough()) yield;
    }
  }

  /** Reads a file that is written as numbers. @returns the rows of character codes that are still to be read */
  private *readNumbers(node: ArrayNode | ObjectNode, place: Place): Steps<readonly CodesWithin[] | undefined> {
    return (yield* readingNumbers(this, node, place)) ? undefined : node.codes;
  }

  /** Reads a row of numbers that can be character codes if it begins at this position. @returns whether it does */
  private readCodes(row: CodesWithin | undefined, position: number, place: Place, pathOf: typeof itemPath): boolean {
    if (row?.position !== position) return false;
    this.text(row.node, { ...place, path: pathOf(place.path, position) });
    return true;
  }

  /** Called before an object is read. */
  protected begins(node: ObjectNode, _place: Place): void {
    this.signed ||= isSigned(node);
  }

  private *readFreeform(node: ObjectNode, place: Place, readers?: FieldReaders): Steps<void> {
    const before = this.signed;
    this.begins(node, place);
    const codes = mayBeNumbers(node) ? yield* this.readNumbers(node, place) : node.codes;
    let rows = 0;
    for (const [position, member] of node.members.entries()) {
      if (this.readCodes(codes?.[rows], position, place, positionPath)) rows++;
      const left = this.freeformMember(node, member, place, position, readers);
      if (left !== undefined) yield* left;
      if (this.isEnough()) yield;
    }
    this.signed = before;
  }

  private *readFields(node: ObjectNode, place: Place, readers: Pick<FieldReaders, 'get'>): Steps<void> {
    const before = this.signed;
    this.begins(node, place);
    const codes = mayBeNumbers(node) ? yield* this.readNumbers(node, place) : node.codes;
    let rows = 0;
    for (const [position, member] of node.members.entries()) {
      if (this.readCodes(codes?.[rows], position, place, positionPath)) rows++;
      const key = member.key.text;
      const reader = readers.get(key);
      if (reader === undefined && isSwitch(key, member.value)) continue;
      // Numbers are a file only if the object says so: lists in results of tools have the same names as files.
      const said = isFileOfNumbers(member.value) ? declaredFile(node, key) : undefined;
      const left =
        reader === undefined
          ? this.unnamedMember(member.key, member.value, place, position)
          : reader(this, member.value, { path: memberPath(place.path, key, position), role: place.role, key, ...said });
      if (left !== undefined) yield* left;
      if (this.isEnough()) yield;
    }
    this.signed = before;
  }

  /** Reads a value of an unexpected type. */
  other(node: JsonNode, place: Place): RemainingSteps {
    if (this.unnamed === undefined || this.calls === 'past') return this.freeform(node, place);
    return this.unnamed(this, node, place);
  }

  /** Runs `read` completely. Returns the indices of the segments that it added. */
  *gather(read: () => RemainingSteps): Steps<number[]> {
    const first = this.segments.length;
    yield* this.rest(read());
    return Array.from({ length: this.segments.length - first }, (_, index) => first + index);
  }

  /**
   * Reads the arguments of a tool call: JSON in a string (OpenAI) or an object (Anthropic). Returns their value: `{}` for an empty
   * string, undefined if they are not JSON; then they are one text. @throws JsonSyntaxError for arguments of a new call over a limit
   */
  *toolArguments(node: JsonNode, place: Place): Steps<JsonValue | undefined> {
    if (!isString(node)) return yield* this.readArguments(node, place);
    const inner = yield* this.nestedJson(node);
    if (inner !== undefined) return yield* this.readArguments(inner, place);
    if (this.calls === 'new') this.text(node, place);
    else yield* this.rest(this.words(node, place));
    return scalarArguments(node.text);
  }

  /** Reads the texts in arguments. Strings of JSON that may contain further calls or their arguments are read leaf by leaf as well. */
  *argumentTexts(value: JsonNode, place: Place): Steps<void> {
    const before = this.isInArguments;
    this.isInArguments = true;
    yield* this.rest(this.freeform(value, place));
    this.isInArguments = before;
  }

  private *readArguments(value: JsonNode, place: Place): Steps<JsonValue> {
    yield* this.argumentTexts(value, place);
    return yield* readingValue(value);
  }

  private *readWithin(node: TextNode, place: Place): Steps<void> {
    const inner = yield* this.doc.readingNested(node);
    yield* this.rest(inner === undefined ? this.words(node, place) : this.freeform(inner, place));
  }

  /**
   * The object or list that a string contains as JSON; undefined if it contains none or only a part of one.
   * @throws JsonSyntaxError for JSON over a limit where calls are new: a client may accept it and run the calls in it
   */
  nestedJson(node: TextNode): Steps<JsonNode | undefined> {
    return this.calls === 'new' ? this.doc.requiringNested(node) : this.doc.readingNested(node);
  }

  /** Runs the reader `piece` in an event of a stream, where other events may continue a call, and `whole` in any other body. */
  pieceOfCall(_piece: () => RemainingSteps, whole: () => RemainingSteps): RemainingSteps {
    return whole();
  }

  /** Adds a call, and the calls in its arguments. @param names all names of the call; with each of them it is a separate call */
  *addingToolCall(call: ToolCall, _origin?: ArgumentsOrigin, names?: readonly string[]): Steps<void> {
    const known = this.calls === 'new' ? this.newToolCalls : this.pastToolCalls;
    for (const each of yield* readingCallsWithin(call, names)) known.push(each);
    if (this.calls === 'past' && call.id !== undefined && !this.pastNames.has(call.id))
      this.pastNames.set(call.id, call.name);
  }

  private unnamedMember(key: TextNode, value: JsonNode, place: Place, position: number): RemainingSteps {
    const path = memberPath(place.path, key.text, position);
    this.keySegments.add(this.segments.length);
    this.text(key, { path, role: place.role });
    return this.other(value, { path, role: place.role, key: key.text });
  }

  private freeformMember(
    node: ObjectNode,
    { key, value }: ObjectNode['members'][number],
    place: Place,
    position: number,
    readers?: FieldReaders,
  ): RemainingSteps {
    const path = memberPath(place.path, key.text, position);
    this.keySegments.add(this.segments.length);
    this.text(key, { path, role: place.role });
    const past = this.calls === 'past' && isObject(value) ? this.past : undefined;
    const reader = readers?.get(key.text) ?? past?.get(key.text);
    const at = { path, role: place.role, key: key.text, ...declaredFile(node, key.text) };
    return reader === undefined ? this.freeform(value, at) : reader(this, value, at);
  }
}

const freeform: FieldReader = (collector, node, place) => collector.freeform(node, place);

function isFileOfNumbers(node: JsonNode): boolean {
  return (isArray(node) || isObject(node)) && mayBeNumbers(node);
}
