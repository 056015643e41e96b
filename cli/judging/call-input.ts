/** Calls given on the command line, read like the service reads them. They are judged by src/core. */
import type { JsonValue } from '../../src/core/index.js';
import { usageError } from '../exit-code.js';

/** JSON of a flag. @throws CliError exit 2 that names the flag */
export function jsonFlag(flag: string, text: string): JsonValue {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    throw usageError(`${flag} takes JSON`);
  }
}

/** `key=value` pairs; a value that is JSON is taken as such. */
export function pairs(flag: string, given: readonly string[]): Record<string, JsonValue> {
  return Object.fromEntries(
    given.map((pair) => {
      const at = pair.indexOf('=');
      if (at < 1) throw usageError(`${flag} takes name=value`);
      return [pair.slice(0, at), looseValue(pair.slice(at + 1))];
    }),
  );
}

/** A value as JSON, or as the text that it is. */
export function looseValue(text: string): JsonValue {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return text;
  }
}
