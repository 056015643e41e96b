import type { Node, ScalarNode, Source } from './node.js';
import { Problems } from './problems.js';
import { readYaml, sourceOf } from './read-yaml.js';

/**
 * The parsed nodes of a file as JSON, with positions: another thread restores the nodes from it without parsing the file again. Scalars
 * are `[start, end, value, written?]`, lists `[start, end, [items]]`, maps `[start, end, [items], [key, keyStart, keyEnd, …]]`.
 */
export function dumpNodes(root: Node): string {
  return JSON.stringify(dump(root));
}

type Dumped = readonly unknown[];

function dump(node: Node): Dumped {
  const { start, end } = node.span;
  switch (node.kind) {
    case 'scalar':
      return node.written === String(node.value)
        ? [start, end, node.value]
        : [start, end, isJson(node.value) ? node.value : { number: String(node.value) }, node.written];
    case 'seq':
      return [start, end, node.items.map(dump)];
    case 'map':
      return [
        start,
        end,
        node.entries.map(({ value }) => dump(value)),
        node.entries.flatMap(({ key, keySpan }) => [key, keySpan.start, keySpan.end]),
      ];
  }
}

/** JSON has no infinities, no NaN and no negative zero. */
function isJson(value: ScalarNode['value']): boolean {
  return typeof value !== 'number' || (Number.isFinite(value) && !Object.is(value, -0));
}

function restore(dumped: Dumped, source: Source): Node {
  const [start, end, value, more] = dumped as readonly [number, number, unknown, unknown];
  const span = { source, start, end };
  if (!Array.isArray(value)) {
    const scalar = isRecord(value) ? numberOf(value.number) : (value as ScalarNode['value']);
    return { kind: 'scalar', span, value: scalar, written: typeof more === 'string' ? more : String(scalar) };
  }
  const items = (value as Dumped[]).map((item) => restore(item, source));
  if (!Array.isArray(more)) return { kind: 'seq', span, items };
  const entries = items.map((item, index) => ({
    key: more[3 * index] as string,
    keySpan: { source, start: more[3 * index + 1] as number, end: more[3 * index + 2] as number },
    value: item,
  }));
  return { kind: 'map', span, entries };
}

function isRecord(value: unknown): value is { readonly number: string } {
  return typeof value === 'object' && value !== null;
}

function numberOf(written: string): number {
  return written === '0' ? -0 : Number(written);
}

/** A file of a policy or its tests. Its parsed nodes are cached by the object's identity, since comparing long texts is slow. */
export interface ReadableFile {
  readonly path: string;
  readonly text: string;
}

interface Reading {
  readonly root: Node | undefined;
  readonly problems: Problems;
}

/** A cache by file object instead of a parameter, since the nodes can also come from another thread (`rememberReading`). */
const readings = new WeakMap<ReadableFile, Reading>();

/** Parses a file once for each file object: environments share files, and parsing is the slowest part of compilation. */
export function readFileOnce(file: ReadableFile): Reading {
  let known = readings.get(file);
  if (known === undefined) {
    const problems = new Problems();
    known = { root: readYaml(file.path, file.text, problems), problems };
    readings.set(file, known);
  }
  return known;
}

/** Caches the nodes that another thread parsed from the same text without a problem, as written by `dumpNodes`. */
export function rememberReading(file: ReadableFile, dumped: string): void {
  const root = restore(JSON.parse(dumped) as Dumped, sourceOf(file.path, file.text));
  readings.set(file, { root, problems: new Problems() });
}
