import type { YamlValue } from './yaml-file.js';

export interface Substitution {
  readonly value: YamlValue;
  /** Referenced names that are not columns. */
  readonly unknown: ReadonlySet<string>;
  readonly used: ReadonlySet<string>;
}

const NAME = /\$(\$|[A-Za-z_]\w*|\{[A-Za-z_]\w*\})/g;

/**
 * Substitutes the cells of one table row in the values and keys of a test. A value that is only `$name` becomes the cell itself (a
 * number stays a number); inside a longer text the cell becomes text, and `${name}` separates the name from following letters. `$$`
 * means one dollar sign.
 */
export function substitute(value: YamlValue, cells: ReadonlyMap<string, YamlValue>): Substitution {
  const unknown = new Set<string>();
  const used = new Set<string>();
  const lookUp = (name: string): YamlValue | undefined => {
    const cell = cells.get(name);
    if (cell === undefined) unknown.add(name);
    else used.add(name);
    return cell;
  };
  const inText = (text: string): string =>
    text.replace(NAME, (whole, found: string) => {
      if (found === '$') return '$';
      const name = found.replace(/[{}]/g, '');
      const cell = lookUp(name);
      return cell === undefined ? whole : typeof cell === 'object' ? JSON.stringify(cell) : String(cell);
    });
  const fill = (node: YamlValue): YamlValue => {
    if (typeof node === 'string') {
      const alone = /^\$([A-Za-z_]\w*)$/.exec(node)?.[1];
      if (alone === undefined) return inText(node);
      const cell = lookUp(alone);
      return cell === undefined ? node : cell;
    }
    if (Array.isArray(node)) return node.map(fill);
    if (typeof node === 'object' && node !== null) {
      return Object.fromEntries(Object.entries(node).map(([key, inner]) => [inText(key), fill(inner)]));
    }
    return node;
  };
  return { value: fill(value), unknown, used };
}
