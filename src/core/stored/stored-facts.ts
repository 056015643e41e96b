/** The stored form of each fact of a call, as a value and as the JSON text of that value. It never contains user-written text. */
import { NOTHING_FOUND } from '../facts/build-facts.js';
import { setOwn } from '../json/json-node.js';
import type { JsonValue } from '../model/call.js';
import { AtLeast, Unknown, type FactSet, type FactValue } from '../model/fact.js';

/**
 * Facts whose values a caller or a model wrote. The results of conditions on them are stored instead of the values. The record itself
 * contains the masked values of `metadata`, `session` and `context`.
 */
export const WRITTEN_ROOTS: ReadonlySet<string> = new Set(['metadata', 'context', 'session', 'flow', 'history']);

/** The stored form of a fact. @param root the fact's name, up to the first dot */
export function storedFact(root: string, value: FactValue): JsonValue {
  if (WRITTEN_ROOTS.has(root)) return shapeOf(value);
  if (root === 'tool') return toolFacts(value);
  return root === 'tool_calls' ? toolCallNames(value) : plain(value);
}

/** The JSON text of the stored forms of all facts, written directly: every call has at least twenty facts, most of them empty. */
export function storedFactsText(facts: FactSet): string {
  let text = '';
  for (const root of Object.keys(facts)) {
    const kept = storedFactText(root, facts[root]!);
    if (kept !== undefined) text += text === '' ? nameText(root) + kept : `,${nameText(root)}${kept}`;
  }
  return `{${text}}`;
}

function storedFactText(root: string, value: FactValue): string | undefined {
  const isPlain = !WRITTEN_ROOTS.has(root) && root !== 'tool' && root !== 'tool_calls';
  return plainText(isPlain ? value : storedFact(root, value));
}

/** `JSON.stringify(plain(value))`; undefined for values that have no JSON form. */
function plainText(value: FactValue | undefined): string | undefined {
  switch (typeof value) {
    case 'string':
      return JSON.stringify(value);
    case 'number':
      return Number.isFinite(value) ? String(value) : 'null';
    case 'boolean':
      return value ? 'true' : 'false';
    case 'object':
      return value === null ? 'null' : objectText(value);
    default:
      return undefined;
  }
}

const NOTHING_FOUND_TEXT = JSON.stringify(NOTHING_FOUND);

function objectText(value: Exclude<FactValue, string | number | boolean | null>): string {
  if (value === NOTHING_FOUND) return NOTHING_FOUND_TEXT;
  if (value instanceof Unknown) return JSON.stringify(plain(value));
  if (Array.isArray(value)) {
    return value.length === 0
      ? '[]'
      : `[${Array.from(value, (item: FactValue) => plainText(item) ?? 'null').join(',')}]`;
  }
  const members = value as Readonly<Record<string, FactValue>>;
  let text = '';
  for (const name of Object.keys(members)) {
    const inner = plainText(members[name]);
    if (inner !== undefined) text += text === '' ? nameText(name) + inner : `,${nameText(name)}${inner}`;
  }
  return `{${text}}`;
}

/** Cache of facts' names as JSON, each with its colon. Names come from policies and plugins, so there are few. */
const names = new Map<string, string>();
const MAX_NAMES = 10_000;

function nameText(name: string): string {
  const known = names.get(name);
  if (known !== undefined) return known;
  const text = `${JSON.stringify(name)}:`;
  if (names.size < MAX_NAMES) names.set(name, text);
  return text;
}

function plain(value: FactValue): JsonValue {
  if (value instanceof Unknown) {
    const unknown = { unknown: value.reason, source: value.source };
    return value instanceof AtLeast && value.found !== undefined
      ? { ...unknown, at_least: plain(value.found) }
      : unknown;
  }
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null) return value;
  const kept: Record<string, JsonValue> = {};
  for (const [key, inner] of Object.entries(value)) setOwn(kept, key, plain(inner));
  return kept;
}

/** Type and size of a value instead of the value: `string(12)`, `number`, `list(3)`. */
function shapeOf(value: FactValue): JsonValue {
  if (value instanceof Unknown) return plain(value);
  if (typeof value === 'string') return `string(${value.length})`;
  if (Array.isArray(value)) return `list(${value.length})`;
  if (typeof value === 'object' && value !== null) return `object(${Object.keys(value).length})`;
  return value === null ? null : typeof value;
}

function toolFacts(value: FactValue): JsonValue {
  if (value instanceof Unknown || typeof value !== 'object' || value === null || Array.isArray(value))
    return shapeOf(value);
  const entries = Object.entries(value).map(([key, inner]) => [key, key === 'args' ? shapeOf(inner) : plain(inner)]);
  return Object.fromEntries(entries) as JsonValue;
}

function toolCallNames(value: FactValue): JsonValue {
  if (!Array.isArray(value)) return shapeOf(value);
  return value.map((call: FactValue) =>
    typeof call === 'object' && call !== null && 'name' in call ? plain(call.name) : null,
  );
}
