/**
 * What of an event's metadata can be filtered by: a flat map from dotted path to values, all of them text, small
 * enough to index. The metadata itself is stored beside it, untouched.
 */
import type { JsonValue } from '../core/index.js';

/** Bounds of the index, not of metadata: what is beyond them is stored and shown, but no filter finds it. */
const MAX_VALUES = 64;
const MAX_DEPTH = 4;
const MAX_KEY_LENGTH = 128;
const MAX_VALUE_LENGTH = 256;

/**
 * The index of a metadata object as JSON text, or null when there is nothing to find. `{"user": {"id": 7}}` becomes
 * `{"user.id": ["7"]}`; a list of plain values counts as several values of its key.
 */
export function metadataIndex(metadata: string | undefined): string | null {
  if (metadata === undefined) {
    return null;
  }
  const index = new Map<string, string[]>();
  let count = 0;
  for (const { path, text } of leaves(parse(metadata), '', 0)) {
    if (path === '' || path.length > MAX_KEY_LENGTH || text.length > MAX_VALUE_LENGTH) {
      continue;
    }
    if ((count += 1) > MAX_VALUES) {
      break;
    }
    const key = storable(path);
    index.set(key, [...(index.get(key) ?? []), storable(text)]);
  }
  return index.size === 0 ? null : JSON.stringify(Object.fromEntries(index));
}

/** What to look for in the index: `metadata.<path>=<value>` as the JSON text of one contained entry. */
export function metadataTerm(path: string, value: string): string {
  return JSON.stringify({ [storable(path)]: [storable(value)] });
}

/** With the `u` flag a surrogate matches only when it stands alone. */
const NOT_STORABLE = /[\u0000\p{Surrogate}]/gu;

/** PostgreSQL's text and jsonb hold neither NUL nor lone surrogates: both become U+FFFD. */
export function storable(text: string): string {
  return text.replace(NOT_STORABLE, '\uFFFD');
}

function parse(text: string): JsonValue {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return null;
  }
}

/** Values in document order, up to `MAX_VALUES` of them. */
function* leaves(value: JsonValue, path: string, depth: number): Generator<{ path: string; text: string }> {
  if (typeof value !== 'object' || value === null) {
    yield { path, text: String(value) };
  } else if (Array.isArray(value)) {
    for (const item of value as readonly JsonValue[]) {
      if (typeof item !== 'object') {
        yield { path, text: String(item) };
      }
    }
  } else if (depth < MAX_DEPTH) {
    for (const [key, inner] of Object.entries(value)) {
      yield* leaves(inner, path === '' ? key : `${path}.${key}`, depth + 1);
    }
  }
}
