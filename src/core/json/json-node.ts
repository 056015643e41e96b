import type { JsonValue } from '../model/call.js';
import { isStop, type Steps } from '../steps/steps.js';

/** A JSON text whose nodes have positions: the body itself, or the decoded value of one of its strings. */
export interface JsonSource {
  readonly text: string;
  /** The string that contains this text; absent for the body itself. */
  readonly parent?: TextNode;
}

/**
 * A scalar whose characters have positions: every string, object keys included, and every number of at least eight characters before its
 * decimal point, because it may be an unquoted card or account number. Other kinds are not nodes of the tree: base64, which is found inside
 * a string, and rows of character codes (see `CodesWithin`), of bytes (see `JsonDocument.fileOfNumbers`) and of tokens or strings (see
 * `JsonDocument.textFrom`), which have the kind of numbers.
 */
export interface TextNode {
  readonly kind: 'string' | 'number' | 'base64';
  /** The decoded text of a string, the text of a number (see `longNumberOf`), or the text that base64 encodes. */
  readonly text: string;
  /** Half-open range of the token in `source.text`, quotes included, in UTF-16 code units. */
  readonly start: number;
  readonly end: number;
  readonly source: JsonSource;
  /** Index in the document's table of text nodes, stored as `Segment.ref`. */
  readonly ref: number;
  /** For base64: encodes another text with the same character encoding, alphabet, padding and line length. */
  readonly write?: (text: string) => string;
}

/**
 * A row of numbers in a list, or of values in an object whose names are indices, that can be character codes. Its text consists of the
 * numbers; an edit of it replaces them by one string.
 */
export interface CodesWithin {
  /** The position of its first number among the items or members. */
  readonly position: number;
  readonly node: TextNode;
}

/** The range of the values of a list or an object that are all bytes, from the first to the last one. */
export interface BytesWithin {
  readonly source: JsonSource;
  readonly start: number;
  readonly end: number;
}

export interface ArrayNode {
  readonly kind: 'array';
  readonly items: readonly JsonNode[];
  /** Absent for a list without such rows. */
  readonly codes?: readonly CodesWithin[];
  /** Only for a list of numbers that can be a file: at least `LEAST_BYTES`, all of which are bytes. */
  readonly bytes?: BytesWithin;
}

export interface ObjectMember {
  readonly key: TextNode;
  readonly value: JsonNode;
  /** Half-open range of the value in the source's text. */
  readonly start: number;
  readonly end: number;
}

/** Finds members by name without iterating over all of them. */
export interface MemberFinder {
  /** The last member with exactly this key. */
  last(key: string): ObjectMember | undefined;
  /** All members whose key, in lower case, is one of `names`; in text order. */
  named(names: readonly string[]): readonly ObjectMember[];
}

export interface ObjectNode {
  readonly kind: 'object';
  /** In text order; all members with a duplicate key are included. */
  readonly members: readonly ObjectMember[];
  /** Only for an object with many members: finds them by name. */
  readonly index?: MemberFinder;
  /** Absent for an object without such rows. */
  readonly codes?: readonly CodesWithin[];
}

/** Short numbers, booleans and null are plain values: they have no text to find or replace. */
export type JsonNode = TextNode | ArrayNode | ObjectNode | number | boolean | null;

export function isObject(node: JsonNode | undefined): node is ObjectNode {
  return typeof node === 'object' && node !== null && node.kind === 'object';
}

export function isArray(node: JsonNode | undefined): node is ArrayNode {
  return typeof node === 'object' && node !== null && node.kind === 'array';
}

export function isString(node: JsonNode | undefined): node is TextNode {
  return typeof node === 'object' && node !== null && node.kind === 'string';
}

/** The value of a key; of duplicate keys the last one counts, as in JSON.parse. */
export function memberOf(node: JsonNode | undefined, key: string): JsonNode | undefined {
  return isObject(node) ? lastMemberOf(node, key)?.value : undefined;
}

/** The last member with a key. */
export function lastMemberOf({ members, index }: ObjectNode, key: string): ObjectMember | undefined {
  if (index !== undefined) return index.last(key);
  for (let at = members.length - 1; at >= 0; at--) {
    const member = members[at]!;
    if (member.key.text === key) return member;
  }
  return undefined;
}

/** The members whose key, in lower case, is one of `names`; in text order. */
export function membersNamed({ members, index }: ObjectNode, names: readonly string[]): readonly ObjectMember[] {
  return index === undefined
    ? members.filter(({ key: { text } }) => names.includes(text) || names.includes(text.toLowerCase()))
    : index.named(names);
}

/** The value of a key if it is a string. */
export function stringOf(node: JsonNode | undefined, key: string): string | undefined {
  const member = memberOf(node, key);
  return isString(member) ? member.text : undefined;
}

/**
 * All string values of a key, which is given in lower case: duplicate keys and keys in another case are included, because parsers differ in
 * which one they use.
 */
export function stringsOf(node: JsonNode | undefined, key: string): string[] {
  if (!isObject(node)) return [];
  return membersNamed(node, [key]).flatMap(({ value }) => (isString(value) ? [value.text] : []));
}

/** The value of a key if it is a number. */
export function numberOf(node: JsonNode | undefined, key: string): number | undefined {
  const member = memberOf(node, key);
  if (typeof member === 'number') return member;
  return typeof member === 'object' && member !== null && member.kind === 'number' ? Number(member.text) : undefined;
}

/** The digits of an index as a number writes them. */
const INDEX = /^(?:0|[1-9]\d{0,8})$/;

/** The value of a key that is an index. In JavaScript, a string with its digits is the same index, so clients join texts under both. */
export function indexIn(node: JsonNode | undefined, key: string): number | undefined {
  const text = stringOf(node, key);
  return text !== undefined && INDEX.test(text) ? Number(text) : numberOf(node, key);
}

/** The plain value of a node, equal to the result of JSON.parse: the last of duplicate keys wins, and `__proto__` is an own key. */
export function toValue(node: JsonNode): JsonValue {
  if (typeof node !== 'object' || node === null) return node;
  switch (node.kind) {
    case 'string':
    case 'base64':
      return node.text;
    case 'number':
      return Number(node.text);
    case 'array':
      return node.items.map(toValue);
    case 'object':
      return objectValue(node);
  }
}

function objectValue(node: ObjectNode): JsonValue {
  const value: Record<string, JsonValue> = {};
  for (const member of node.members) setOwn(value, member.key.text, toValue(member.value));
  return value;
}

/** Sets a member of any name: in JSON, `__proto__` is an ordinary key. */
export function setOwn(object: Record<string, JsonValue>, key: string, value: JsonValue): void {
  if (key === '__proto__') {
    Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
  } else {
    object[key] = value;
  }
}

/** `toValue` in steps. */
export function* readingValue(node: JsonNode): Steps<JsonValue> {
  if (isArray(node)) {
    const items: JsonValue[] = [];
    for (const [index, item] of node.items.entries()) {
      items.push(isContainer(item) ? yield* readingValue(item) : toValue(item));
      if (isStop(index)) yield;
    }
    return items;
  }
  if (!isObject(node)) return toValue(node);
  const value: Record<string, JsonValue> = {};
  for (const [index, { key, value: inner }] of node.members.entries()) {
    setOwn(value, key.text, isContainer(inner) ? yield* readingValue(inner) : toValue(inner));
    if (isStop(index)) yield;
  }
  return value;
}

function isContainer(node: JsonNode): boolean {
  return isArray(node) || isObject(node);
}
