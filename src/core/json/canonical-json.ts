import type { JsonValue } from '../call/call.js';

/**
 * The canonical form of a JSON value (RFC 8785): no white space, keys sorted by UTF-16 code units, numbers as
 * ECMAScript prints them. Two values that JSON.parse can give are equal exactly when their canonical forms are.
 * RFC 8785 leaves out what I-JSON cannot hold; here a number beyond double range is `1e999` (or `-1e999`) and a lone
 * surrogate is its escape, so that no input that was accepted fails later.
 */
export function canonicalJson(value: JsonValue): string {
  if (typeof value === 'number') return canonicalNumber(value);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (isList(value)) return `[${value.map(canonicalJson).join(',')}]`;
  const members = Object.keys(value)
    .sort(compareCodeUnits)
    .map((key) => `${JSON.stringify(key)}:${canonicalJson(value[key]!)}`);
  return `{${members.join(',')}}`;
}

function canonicalNumber(value: number): string {
  if (Number.isFinite(value)) return JSON.stringify(value);
  return value > 0 ? '1e999' : '-1e999';
}

function isList(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value);
}

function compareCodeUnits(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0;
}
