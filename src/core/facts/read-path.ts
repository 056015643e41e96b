import { AtLeast, Unknown, type FactValue } from '../model/fact.js';
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

function isList(value: FactValue): value is readonly FactValue[] {
  return Array.isArray(value);
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
  return (facts) => (Object.hasOwn(facts, root) ? readPath(facts[root], path) : undefined);
}
