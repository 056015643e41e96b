import type { JsonValue } from '../model/call.js';
import { compareText } from '../model/compare-text.js';
import { sorted, THINGS_BETWEEN_STOPS, isStop, type Steps } from '../steps/steps.js';
import {
  isArray,
  isObject,
  type ArrayNode,
  type JsonNode,
  type ObjectMember,
  type ObjectNode,
  type TextNode,
} from './json-node.js';

/**
 * The canonical form of a JSON value (RFC 8785): no white space, keys sorted by UTF-16 code units, numbers in ECMAScript's notation. Two
 * results of JSON.parse are equal exactly if their canonical forms are. RFC 8785 excludes values outside I-JSON; here a number beyond
 * double range is `1e999` (or `-1e999`) and a lone surrogate is its escape, so that no accepted input fails later.
 */
export function canonicalJson(value: JsonValue): string {
  if (typeof value === 'number') return canonicalNumber(value);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (isList(value)) return `[${value.map(canonicalJson).join(',')}]`;
  const members = Object.keys(value)
    .sort(compareText)
    .map((key) => `${JSON.stringify(key)}:${canonicalJson(value[key]!)}`);
  return `{${members.join(',')}}`;
}

/**
 * The canonical form of a parsed text, computed in steps. It equals the canonical form of its value, except that integers that a double
 * cannot represent keep all their digits: two long account numbers that JSON.parse makes equal stay different.
 */
export function* writingCanonical(node: JsonNode): Steps<string> {
  if (isArray(node)) return yield* writingList(node);
  return isObject(node) ? yield* writingObject(node) : canonicalScalar(node);
}

const INTEGER = /^-?\d+$/;

function canonicalScalar(node: TextNode | number | boolean | null): string {
  if (typeof node !== 'object' || node === null) return canonicalJson(node);
  if (node.kind !== 'number') return JSON.stringify(node.text);
  const literal = node.source.text.slice(node.start, node.end);
  return INTEGER.test(literal) ? canonicalInteger(literal) : canonicalNumber(Number(literal));
}

function* writingList({ items }: ArrayNode): Steps<string> {
  const written: string[] = [];
  for (const item of items) {
    written.push(isArray(item) || isObject(item) ? yield* writingCanonical(item) : canonicalScalar(item));
    if (isStop(written.length)) yield;
  }
  return `[${written.join(',')}]`;
}

/** Of duplicate keys the last one counts, as in JSON.parse. */
function* writingObject({ members }: ObjectNode): Steps<string> {
  const isSmall = members.length <= THINGS_BETWEEN_STOPS;
  const ordered = isSmall ? members.toSorted(compareKeys) : yield* sorted(members, compareKeys);
  const written: string[] = [];
  for (let index = 0; index < ordered.length; index++) {
    const { key, value } = ordered[index]!;
    if (isStop(index)) yield;
    if (ordered[index + 1]?.key.text === key.text) continue;
    const inner = isArray(value) || isObject(value) ? yield* writingCanonical(value) : canonicalScalar(value);
    written.push(`${JSON.stringify(key.text)}:${inner}`);
  }
  return `{${written.join(',')}}`;
}

function compareKeys({ key: { text: left } }: ObjectMember, { key: { text: right } }: ObjectMember): number {
  return compareText(left, right);
}

/** JSON integers have no leading zeros, so two integers are equal exactly if their literals are. */
function canonicalInteger(literal: string): string {
  const value = Number(literal);
  const exact = Number.isSafeInteger(value) || (Number.isFinite(value) && BigInt(value).toString() === literal);
  return exact ? canonicalNumber(value) : literal;
}

function canonicalNumber(value: number): string {
  if (Number.isFinite(value)) return JSON.stringify(value);
  return value > 0 ? '1e999' : '-1e999';
}

function isList(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value);
}
