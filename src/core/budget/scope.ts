import type { JsonValue } from '../model/call.js';
import type { CallContext } from '../facts/build-facts.js';

/** One part of a budget's scope with its value for a call; null if the call has none. */
export interface ScopeValue {
  /** `app`, `key`, `model`, `provider` or `metadata.<name>`. */
  readonly name: string;
  readonly value: string | null;
}

/**
 * The values by which a call is assigned to one of a budget's counters. All calls without a value share one counter, so that omitting
 * the value does not evade the limit.
 *
 * @param scope the scope in the budget's definition
 */
export function scopeOf(scope: readonly string[], context: CallContext): ScopeValue[] {
  return [...new Set(scope)].sort().map((name) => ({ name, value: scopeValue(name, context) }));
}

/** Writes the values as a text. Two texts are equal only if all values are equal. */
export function scopeText(values: readonly ScopeValue[]): string {
  return JSON.stringify(values.map(({ name, value }) => [name, value]));
}

function scopeValue(name: string, context: CallContext): string | null {
  switch (name) {
    case 'app':
      return context.app.id;
    case 'key':
      return context.key.id;
    case 'model':
      return context.model ?? null;
    case 'provider':
      return context.provider ?? null;
    default:
      return plainText(metadataValue(name.slice('metadata.'.length), context));
  }
}

/** Reads a key that contains dots; if there is none, the dots separate the keys of a path. */
function metadataValue(path: string, { metadata = {} }: CallContext): JsonValue | undefined {
  if (Object.hasOwn(metadata, path)) return metadata[path];
  return path.split('.').reduce<JsonValue | undefined>((value, key) => memberAt(value, key), metadata);
}

function memberAt(value: JsonValue | undefined, key: string): JsonValue | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value) || !Object.hasOwn(value, key))
    return undefined;
  return (value as { readonly [key: string]: JsonValue })[key];
}

/** Converts a value to text. `1` and `"1"` become the same text, because clients use both. */
function plainText(value: JsonValue | undefined): string | null {
  if (value === undefined || value === null || value === '') return null;
  return typeof value === 'string' ? value : JSON.stringify(value);
}
