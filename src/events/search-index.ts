/**
 * The part of an event's metadata for filters: a flat map from dotted path to values, all of them text, small enough to index. The
 * metadata itself is stored separately, unchanged.
 */
import type { JsonValue } from '../core/index.js';

/**
 * Limits of the index, not of metadata: values beyond them are stored and shown, but no filter finds them.
 */
const MAX_VALUES = 64;
const MAX_DEPTH = 4;
const MAX_KEY_LENGTH = 128;
const MAX_VALUE_LENGTH = 256;

/** A longer text is not remembered. */
const LONGEST_REMEMBERED = 4_096;

/** The last text and its index: the rows of an event's violations follow the row of the event, and have the same metadata. */
let last: { readonly metadata: string; readonly index: string | null } = { metadata: '', index: null };

/**
 * The index of a metadata object as JSON text, or null if it has no values. `{"user": {"id": 7}}` becomes
 * `{"user.id": ["7"]}`; a list of plain values counts as several values of its key.
 */
export function metadataIndex(metadata: string | undefined): string | null {
  if (metadata === undefined || metadata === '{}') return null;
  if (metadata === last.metadata) return last.index;
  const values = new Index();
  values.addAll(parse(metadata), '', 0);
  const index = values.text();
  if (metadata.length <= LONGEST_REMEMBERED) last = { metadata, index };
  return index;
}

/** The indexed values of a metadata object, in document order. */
class Index {
  /** JSON texts of the values, by the JSON text of their path. */
  private readonly values = new Map<string, string>();
  private count = 0;

  addAll(value: JsonValue, path: string, depth: number): void {
    if (typeof value !== 'object' || value === null) this.add(path, String(value));
    else if (Array.isArray(value)) {
      for (const item of value as readonly JsonValue[]) if (typeof item !== 'object') this.add(path, String(item));
    } else if (depth < MAX_DEPTH) {
      const members = value as { readonly [key: string]: JsonValue };
      for (const key of Object.keys(members)) {
        if (this.count >= MAX_VALUES) return;
        this.addAll(members[key]!, path === '' ? key : `${path}.${key}`, depth + 1);
      }
    }
  }

  private add(path: string, text: string): void {
    if (path === '' || path.length > MAX_KEY_LENGTH || text.length > MAX_VALUE_LENGTH) return;
    if (this.count >= MAX_VALUES) return;
    this.count += 1;
    const key = JSON.stringify(storable(path));
    const value = JSON.stringify(storable(text));
    const known = this.values.get(key);
    this.values.set(key, known === undefined ? value : `${known},${value}`);
  }

  text(): string | null {
    let text = '';
    for (const [key, values] of this.values) text += `${text === '' ? '{' : ','}${key}:[${values}]`;
    return text === '' ? null : `${text}}`;
  }
}

/** The search term for the index: `metadata.<path>=<value>` as the JSON text of one contained entry. */
export function metadataTerm(path: string, value: string): string {
  return JSON.stringify({ [storable(path)]: [storable(value)] });
}

/** With the `u` flag a surrogate matches only when it stands alone. */
const NOT_STORABLE = /[\u0000\p{Surrogate}]/gu;

/** PostgreSQL's text and jsonb can store neither NUL nor lone surrogates: both become U+FFFD. */
export function storable(text: string): string {
  return text.isWellFormed() && !text.includes('\u0000') ? text : text.replace(NOT_STORABLE, '\uFFFD');
}

function parse(text: string): JsonValue {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return null;
  }
}
