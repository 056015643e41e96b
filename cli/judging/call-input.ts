/** Calls given on the command line, parsed as the service parses them. They are judged by src/core. */
import type { JsonValue } from '../../src/core/index.js';
import { usageError } from '../exit-code.js';

/** Parses the JSON value of a flag. @throws CliError exit 2 that names the flag */
export function jsonFlag(flag: string, text: string): JsonValue {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    throw usageError(`${flag} takes JSON`);
  }
}

/** Parses `key=value` pairs; a value that is valid JSON is parsed. */
export function pairs(flag: string, given: readonly string[]): Record<string, JsonValue> {
  return Object.fromEntries(
    given.map((pair) => {
      const at = pair.indexOf('=');
      if (at < 1) throw usageError(`${flag} takes name=value`);
      return [pair.slice(0, at), looseValue(pair.slice(at + 1))];
    }),
  );
}

/** The parsed JSON value of a text, or the text itself. */
export function looseValue(text: string): JsonValue {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return text;
  }
}
