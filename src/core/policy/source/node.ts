/**
 * YAML for the compiler: plain values with their positions. Nodes are never changed; an override creates new ones. This file does not
 * depend on the policy format.
 */
export interface Source {
  readonly path: string;
  readonly text: string;
  /** Offsets of the line starts, ascending; the first is 0. */
  readonly lineStarts: readonly number[];
}

/** Half-open range of offsets in one file. */
export interface Span {
  readonly source: Source;
  readonly start: number;
  readonly end: number;
}

export interface Entry {
  readonly key: string;
  readonly keySpan: Span;
  readonly value: Node;
}

export interface MapNode {
  readonly kind: 'map';
  readonly span: Span;
  readonly entries: readonly Entry[];
}

export interface SeqNode {
  readonly kind: 'seq';
  readonly span: Span;
  readonly items: readonly Node[];
}

export interface ScalarNode {
  readonly kind: 'scalar';
  readonly span: Span;
  readonly value: string | number | boolean | null;
  /** The characters as written, for numbers that must stay exact. */
  readonly written: string;
}

export type Node = MapNode | SeqNode | ScalarNode;

/** The value under a key, or undefined. */
export function valueOf(node: Node | undefined, key: string): Node | undefined {
  return entryOf(node, key)?.value;
}

/** The entry of a key, or undefined. */
export function entryOf(node: Node | undefined, key: string): Entry | undefined {
  return node?.kind === 'map' ? node.entries.find((entry) => entry.key === key) : undefined;
}

/** The value at the end of a path of keys, or undefined. */
export function nodeAt(node: Node | undefined, ...keys: readonly string[]): Node | undefined {
  return keys.reduce(valueOf, node);
}

/** The span to report for a key of a map: the key itself, or the map if the key is missing. */
export function keySpan(node: Node, key: string): Span {
  return entryOf(node, key)?.keySpan ?? node.span;
}

/** The name of a node's kind in messages. */
export function kindOf(node: Node): string {
  switch (node.kind) {
    case 'map':
      return 'a map';
    case 'seq':
      return 'a list';
    case 'scalar':
      if (node.value === null) return 'nothing';
      return typeof node.value === 'boolean' ? 'true or false' : `a ${typeof node.value}`;
  }
}

/** The plain value of a node, as in JSON. Its objects have no prototype, so that no key of a file can access one. */
export function plainOf(node: Node): unknown {
  switch (node.kind) {
    case 'scalar':
      return node.value;
    case 'seq':
      return node.items.map(plainOf);
    case 'map': {
      const plain = Object.create(null) as Record<string, unknown>;
      for (const { key, value } of node.entries) plain[key] = plainOf(value);
      return plain;
    }
  }
}
