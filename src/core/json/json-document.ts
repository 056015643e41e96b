import type { JsonValue } from '../model/call.js';
import { atOnce, type Steps } from '../steps/steps.js';
import { readingBase64Text, type Base64Text } from './base64-text.js';
import { readingValue, toValue, type BytesWithin, type JsonNode, type JsonSource, type TextNode } from './json-node.js';
import { DEFAULT_JSON_LIMITS, JsonParser, JsonSyntaxError, type JsonLimits } from './json-parser.js';

/** Maximum depth of JSON nested in strings, such as arguments inside a message inside an argument. */
const MAX_NESTED_DOCUMENTS = 3;

/** A parsed JSON text with the position of each of its strings. */
export class JsonDocument {
  readonly source: JsonSource;
  private readonly table: TextNode[] = [];
  /** For each string that was searched for JSON: the root, undefined if it contains none, or an error if its JSON is over a limit. */
  private readonly nestedRoots = new Map<TextNode, JsonNode | JsonSyntaxError | undefined>();
  private readonly base64Texts = new Map<TextNode, Map<number, TextNode | undefined>>();
  private parsedRoot: JsonNode = null;
  private cachedValue: { readonly value: JsonValue } | undefined;

  private constructor(
    text: string,
    private readonly limits: JsonLimits,
  ) {
    this.source = { text };
  }

  /** See `parsingJson`. */
  static *parsing(text: string, limits: JsonLimits): Steps<JsonDocument> {
    const doc = new JsonDocument(text, limits);
    doc.parsedRoot = yield* new JsonParser(doc.source, limits, doc.table).parsing();
    return doc;
  }

  get root(): JsonNode {
    return this.parsedRoot;
  }

  get text(): string {
    return this.source.text;
  }

  /** The plain value, as JSON.parse would give it. */
  get value(): JsonValue {
    this.cachedValue ??= { value: toValue(this.root) };
    return this.cachedValue.value;
  }

  /** Computes `value` in steps and caches it, so that later reads of `value` return at once. */
  *readingWhole(): Steps<JsonValue> {
    this.cachedValue ??= { value: yield* readingValue(this.root) };
    return this.cachedValue.value;
  }

  /** The text node to which a segment's `ref` refers. */
  node(ref: number): TextNode {
    const node = this.table[ref];
    if (node === undefined) throw new RangeError(`no text has the reference ${ref}`);
    return node;
  }

  /** All text nodes in text order, with object keys and all values of duplicate keys; nested ones follow as they are parsed. */
  get texts(): readonly TextNode[] {
    return this.table;
  }

  /**
   * The root of the JSON object or list that a string holds, such as the arguments of a tool call; undefined when the string holds
   * anything else, or JSON over a limit. Its nodes belong to this document: edits in them change the outer text. `NaN` and infinities are
   * accepted, because some clients accept them.
   */
  nested(outer: TextNode): JsonNode | undefined {
    return atOnce(this.readingNested(outer));
  }

  /** `nested` in steps. */
  *readingNested(outer: TextNode): Steps<JsonNode | undefined> {
    const root = yield* this.findingNested(outer);
    return root instanceof JsonSyntaxError ? undefined : root;
  }

  /**
   * Like `readingNested`, for a string whose JSON must not be taken for plain text.
   * @throws JsonSyntaxError for JSON over a limit, because another reader may accept it
   */
  *requiringNested(outer: TextNode): Steps<JsonNode | undefined> {
    const root = yield* this.findingNested(outer);
    if (root instanceof JsonSyntaxError) throw inString(outer, root);
    return root;
  }

  private *findingNested(outer: TextNode): Steps<JsonNode | JsonSyntaxError | undefined> {
    if (this.nestedRoots.has(outer)) return this.nestedRoots.get(outer);
    const isJson = outer.kind !== 'number' && /^[ \t\r\n]*[[{]/.test(outer.text);
    const root = isJson ? yield* this.parsedWithin(outer, (parser) => parser.parsing()) : undefined;
    this.nestedRoots.set(outer, root);
    return root;
  }

  /**
   * Decodes a range of a string that contains base64 of a text; undefined for any other range. An edit of the decoded text encodes the
   * range again with the same character encoding, alphabet, padding and line length.
   * @param charset the declared character encoding of its bytes
   */
  *decodingBase64(
    outer: TextNode,
    start: number,
    end = outer.text.length,
    charset?: string,
  ): Steps<TextNode | undefined> {
    if (outer.kind !== 'string') return undefined;
    let known = this.base64Texts.get(outer);
    if (known === undefined) this.base64Texts.set(outer, (known = new Map<number, TextNode | undefined>()));
    if (known.has(start)) return known.get(start);
    const read = yield* readingBase64Text(outer.text, start, end, charset);
    const node = read && this.base64Node(read, outer, start, end);
    known.set(start, node);
    return node;
  }

  /** Parses a string of JSON lines, each with one value, into a list of the values. */
  *readingLines(outer: TextNode): Steps<JsonNode | undefined> {
    if (!/^[\s\x1e]*[[{]/.test(outer.text)) return undefined;
    const lines = yield* this.parsedWithin(outer, (parser) => parser.parsingLines());
    return lines instanceof JsonSyntaxError ? undefined : lines;
  }

  /** A text that several strings form, from the first to the last one. An edit of it replaces all of them by one string. */
  textFrom(first: TextNode, { end }: TextNode, text: string): TextNode {
    const { start, source } = first;
    const node: TextNode = { kind: 'number', text, start, end, source, ref: this.table.length };
    this.table.push(node);
    return node;
  }

  /** A file that is written in numbers, as hexadecimal digits. An edit of it replaces all numbers by one string. */
  fileOfNumbers({ source, start, end }: BytesWithin, digits: string): TextNode {
    const node: TextNode = { kind: 'number', text: digits, start, end, source, ref: this.table.length };
    this.table.push(node);
    return node;
  }

  /** The text of a file that is written in numbers. An edit of it replaces all numbers by the edited text. */
  textOfNumbers(file: TextNode, text: string): TextNode {
    const source = { text: file.text, parent: file };
    const write = (edited: string): string => edited;
    const end = file.text.length;
    const node: TextNode = { kind: 'base64', text, write, start: 0, end, source, ref: this.table.length };
    this.table.push(node);
    return node;
  }

  private base64Node(read: Base64Text, outer: TextNode, start: number, end: number): TextNode {
    const source = { text: outer.text, parent: outer };
    const node: TextNode = { kind: 'base64', ...read, start, end, source, ref: this.table.length };
    this.table.push(node);
    return node;
  }

  /** @returns the parsed text; undefined for a text that is not JSON, and an error for JSON over a limit */
  private *parsedWithin(
    outer: TextNode,
    parse: (parser: JsonParser) => Steps<JsonNode>,
  ): Steps<JsonNode | JsonSyntaxError | undefined> {
    let levels = 0;
    for (let source: JsonSource = outer.source; source.parent !== undefined; source = source.parent.source) levels++;
    const known = this.table.length;
    const limits = { ...this.limits, nonFinite: true };
    try {
      const root = yield* parse(new JsonParser({ text: outer.text, parent: outer }, limits, this.table));
      if (levels < MAX_NESTED_DOCUMENTS) return root;
      this.table.length = known;
      return new JsonSyntaxError(`JSON in more than ${MAX_NESTED_DOCUMENTS} strings`, outer.text, 0, true);
    } catch (error) {
      this.table.length = known;
      if (!(error instanceof JsonSyntaxError)) throw error;
      return error.overLimit ? error : undefined;
    }
  }
}

/** The error for JSON over a limit in a string, with the position of the string. */
function inString({ source, start }: TextNode, { message }: JsonSyntaxError): JsonSyntaxError {
  return new JsonSyntaxError(`A string contains JSON over a limit (${message})`, source.text, start, true);
}

/**
 * Parses a JSON text (RFC 8259, strictly) and keeps the position of every string and long number in it.
 * @throws JsonSyntaxError for malformed text and for text over a limit; the message never quotes the text.
 */
export function parseJson(text: string, limits: Partial<JsonLimits> = {}): JsonDocument {
  return atOnce(parsingJson(text, limits));
}

/** `parseJson` in steps. */
export function parsingJson(text: string, limits: Partial<JsonLimits> = {}): Steps<JsonDocument> {
  return JsonDocument.parsing(text, { ...DEFAULT_JSON_LIMITS, ...limits });
}
