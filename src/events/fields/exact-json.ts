/** Stored JSON, returned exactly as it was written. */
import type { JsonValue } from '../../core/index.js';

/** `JSON.rawJSON` and the reviver's `source`: https://tc39.es/proposal-json-parse-with-source/ */
type Reviver = (this: unknown, key: string, value: unknown, context: { readonly source?: string }) => unknown;
interface JsonWithSource {
  parse(text: string, reviver: Reviver): unknown;
  rawJSON(text: string): object;
}
const json = JSON as unknown as JsonWithSource;

/** Text with a number that `JSON.parse` may change. Cheaper than checking each number. */
const RISKY_NUMBER = /\d{16}|\d[.eE]|-0/;

/**
 * Parses stored JSON so that `JSON.stringify` writes every number unchanged: a log must not round
 * `12345678901234567890` or turn `1.10` into `1.1`. Such a number becomes an object that only `JSON.stringify` reads.
 */
export function exactJson(text: string | null): JsonValue {
  if (text === null) {
    return null;
  }
  if (!RISKY_NUMBER.test(text)) {
    return JSON.parse(text) as JsonValue;
  }
  return json.parse(text, (_key, value, { source }) =>
    typeof value === 'number' && source !== undefined && String(value) !== source ? json.rawJSON(source) : value,
  ) as JsonValue;
}
