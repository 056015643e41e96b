import type { JsonNode } from '../json/json-node.js';
import type { JsonValue } from '../model/call.js';
import { isNameLike } from './json-path.js';

/** Whether a member is a setting such as `"temperature": 0.2`: neither its name nor its value can carry a message. */
export function isSwitch(key: string, value: JsonNode): boolean {
  return (typeof value !== 'object' || value === null) && isNameLike(key);
}

/** The value of arguments that are a string, a number or another single value in JSON: `{}` for no text, undefined for other texts. */
export function scalarArguments(text: string): JsonValue | undefined {
  if (text.trim() === '') return {};
  try {
    const value: unknown = JSON.parse(text);
    // Lists and objects at this point exceeded the parser's limits, as past calls may, so their value from `JSON.parse` is not used.
    return typeof value === 'object' && value !== null ? undefined : (value as JsonValue);
  } catch {
    return undefined;
  }
}
