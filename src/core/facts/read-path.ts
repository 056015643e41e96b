import { AtLeast, Unknown, type FactSet, type FactValue } from '../model/fact.js';
import { Withheld } from './withheld.js';

/** Maximum depth of a path. The compiler rejects deeper paths; here they are read as absent. */
export const MAX_PATH_DEPTH = 16;

/**
 * Reads a path below a fact: only own properties of objects and indices of arrays, so that no name in a policy reaches a prototype. An
 * `Unknown` on the way is returned. Undefined means absent.
 */
export function readPath(value: FactValue | undefined, path: readonly string[]): FactValue | undefined {
  if (path.length > MAX_PATH_DEPTH) return undefined;
  let current = value;
  for (let depth = 0; depth < path.length; depth++) {
    const part = path[depth]!;
    if (current instanceof Withheld) return current.below(path.slice(depth));
    if (current instanceof AtLeast) return new AtLeast(current.source, readPath(current.found, path.slice(depth)));
    if (current instanceof Unknown) return current;
    if (typeof current !== 'object' || current === null || !Object.hasOwn(current, part)) return undefined;
    if (isList(current) && !/^\d{1,9}$/.test(part)) return undefined;
    current = (current as { readonly [key: string]: FactValue })[part];
  }
  return current;
}

/** The root of the facts that a caller sends as metadata. */
const METADATA = 'metadata';

/**
 * Reads a path below the root of a fact. Metadata has nested keys, or one key that contains the dots, because callers send both. The
 * latter has priority, as in the scopes of budgets and in the filters of events.
 */
export function readBelow(root: string, value: FactValue | undefined, path: readonly string[]): FactValue | undefined {
  if (root === METADATA && path.length > 1 && isObject(value)) {
    const key = path.join('.');
    if (Object.hasOwn(value, key)) return value[key];
  }
  return readPath(value, path);
}

/** Reads a path below a value that json-rules-engine passes without the name of its root. */
export function readBelowValue(facts: FactSet, value: FactValue, path: readonly string[]): FactValue | undefined {
  return readBelow(value === facts[METADATA] ? METADATA : '', value, path);
}

function isList(value: FactValue): value is readonly FactValue[] {
  return Array.isArray(value);
}

function isObject(value: FactValue | undefined): value is { readonly [key: string]: FactValue } {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Unknown);
}

/** Splits a dotted name into its root and the path below it. */
export function splitFactName(name: string): { readonly root: string; readonly path: readonly string[] } {
  const [root = '', ...path] = name.split('.');
  return { root, path };
}

/** Reads a fact by its dotted name. */
export function readFact(facts: Readonly<Record<string, FactValue>>, name: string): FactValue | undefined {
  return factReader(name)(facts);
}

/** Like `readFact`, for a fact that is read repeatedly: its name is split once. */
export function factReader(name: string): (facts: Readonly<Record<string, FactValue>>) => FactValue | undefined {
  const { root, path } = splitFactName(name);
  return (facts) => (Object.hasOwn(facts, root) ? readBelow(root, facts[root], path) : undefined);
}
