/** The single values of an event's metadata, and which of them a filter finds. */
import type { CallEvent } from '../api/types.ts';

/** The limits of the service's index (`src/events/search-index.ts`, which a page cannot import): values beyond them are only shown. */
const MAX_VALUES = 64;
const MAX_DEPTH = 4;
const MAX_KEY_LENGTH = 128;
const MAX_VALUE_LENGTH = 256;

interface LeafValue {
  readonly text: string;
  /** A filter by the path finds this value. */
  readonly isIndexed: boolean;
}

/** `{"user": {"id": 7}}` has the leaf `user.id`; a list of plain values is one leaf with several values. */
export interface Leaf {
  /** The names of the members, separated by dots. */
  readonly path: string;
  readonly values: readonly LeafValue[];
}

/** All values of the metadata, in their order. Objects that are nested too deeply are one value, as JSON. */
export function leavesOf(metadata: CallEvent['metadata']): readonly Leaf[] {
  const leaves: Leaf[] = [];
  let indexed = 0;
  const plain = (path: string, value: unknown): LeafValue => {
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    const isShort = path !== '' && path.length <= MAX_KEY_LENGTH && text.length <= MAX_VALUE_LENGTH;
    const isIndexed = isShort && indexed < MAX_VALUES;
    if (isIndexed) indexed++;
    return { text, isIndexed };
  };
  const whole = (value: unknown): LeafValue => ({ text: JSON.stringify(value), isIndexed: false });
  const add = (path: string, value: unknown, depth: number): void => {
    if (typeof value !== 'object' || value === null) leaves.push({ path, values: [plain(path, value)] });
    else if (indexed >= MAX_VALUES) leaves.push({ path, values: [whole(value)] });
    else if (Array.isArray(value) && value.length > 0) {
      const items: readonly unknown[] = value;
      leaves.push({ path, values: items.map((item) => (typeof item === 'object' ? whole(item) : plain(path, item))) });
    } else if (Array.isArray(value) || depth >= MAX_DEPTH || Object.keys(value).length === 0) {
      leaves.push({ path, values: [whole(value)] });
    } else {
      for (const [key, member] of Object.entries(value)) add(path === '' ? key : `${path}.${key}`, member, depth + 1);
    }
  };
  // Metadata without members is not shown at all.
  if (metadata !== null && Object.keys(metadata).length > 0) add('', metadata, 0);
  return leaves;
}

/** Whether `metadata.<path>=<text>` can be written as a filter, and finds the value. */
export function isFilter(path: string, { text, isIndexed }: LeafValue): boolean {
  return isIndexed && text !== '' && path !== '__proto__' && !path.split('.').includes('');
}

/** Whether the service's filter `metadata.<path>=<text>` selects an event with this metadata. */
export function hasValue(metadata: CallEvent['metadata'], path: string, text: string): boolean {
  return leavesOf(metadata).some(
    (leaf) => leaf.path === path && leaf.values.some((value) => value.isIndexed && value.text === text),
  );
}
