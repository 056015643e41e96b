import fc from 'fast-check';
import { GrowingJson } from './growing-json.js';
import { parseJson } from './json-document.js';
import { isArray, isObject, type JsonNode } from './json-node.js';
import { JsonSyntaxError } from './json-parser.js';

interface Leaf {
  readonly key?: string;
  readonly text: string;
  /** The offset in the JSON text of each of the leaf's characters, and the end of the last one; only start and end for a number. */
  readonly places: readonly number[];
}

function grown(pieces: readonly string[]): { json: GrowingJson; leaves: Leaf[] } {
  const json = new GrowingJson();
  const texts = new Map<object, string>();
  const leaves: { leaf: ReturnType<GrowingJson['push']>[number] }[] = [];
  for (const piece of pieces) {
    for (const leaf of json.push(piece)) {
      if (!texts.has(leaf)) leaves.push({ leaf });
      texts.set(leaf, (texts.get(leaf) ?? '') + leaf.fresh);
    }
  }
  return {
    json,
    leaves: leaves.map(({ leaf }) => {
      const text = texts.get(leaf)!;
      const places =
        leaf.kind === 'number'
          ? [leaf.offsets.rawOffset(0), leaf.offsets.rawOffset(0) + leaf.jsonLength]
          : Array.from({ length: text.length + 1 }, (_, at) => leaf.offsets.rawOffset(at));
      return { ...(leaf.key === undefined ? {} : { key: leaf.key }), text, places };
    }),
  };
}

/** The leaves that `parseJson` finds in the complete text. */
function parsed(text: string): Leaf[] {
  const doc = parseJson(text, { nonFinite: true });
  const leaves: Leaf[] = [];
  const read = (node: JsonNode, key?: string): void => {
    if (typeof node !== 'object' || node === null) return;
    if (isArray(node) || isObject(node)) node.codes?.forEach((row) => read(row.node, key));
    if (isArray(node)) node.items.forEach((item) => read(item, key));
    else if (isObject(node)) {
      for (const member of node.members) {
        read(member.key);
        read(member.value, member.key.text);
      }
    } else {
      const isNumber = node.kind === 'number';
      const quote = isNumber ? 0 : 1;
      const inner = text.slice(node.start + quote, node.end - quote);
      const units = isNumber ? [inner] : (inner.match(/\\u.{4}|\\.|[^]/g) ?? []);
      const places = [node.start + quote];
      for (const unit of units) places.push(places.at(-1)! + unit.length);
      leaves.push({ ...(key === undefined ? {} : { key }), text: node.text, places });
    }
  };
  read(doc.root);
  return leaves;
}

function isWhole(text: string): boolean {
  try {
    const { root } = parseJson(text, { nonFinite: true });
    return isArray(root) || isObject(root);
  } catch (error) {
    if (error instanceof JsonSyntaxError) return false;
    throw error;
  }
}

const value = fc.jsonValue({ noUnicodeString: false });
const spaced = fc.tuple(
  fc.oneof(fc.dictionary(fc.string(), value), fc.array(value)),
  fc.constantFrom(undefined, 1, '\t'),
);
const json = spaced.map(([each, indent]) =>
  JSON.stringify(each, undefined, indent).replace(/[a-e@é]/g, escapeInString),
);
/** Escapes `c` to `e` and `é`. An `e` outside strings, as in `true` or `1e3`, breaks the text: tests that need valid JSON skip it. */
function escapeInString(char: string): string {
  return char < 'c' ? char : `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
const mark = fc.constantFrom(
  '{',
  '}',
  '[',
  ']',
  '"',
  ':',
  ',',
  ' ',
  '\\',
  '\\u00',
  'a',
  '1',
  '-',
  '.',
  'e',
  'true',
  'NaN',
  'Infinity',
  '\n',
  '\u0001',
  '12345678',
);
const places = fc.array(fc.nat(), { maxLength: 20 });

function cut(text: string, at: readonly number[]): string[] {
  const ends = [...new Set([...at.map((place) => place % (text.length + 1)), text.length])].sort((a, b) => a - b);
  return ends.map((end, index) => text.slice(ends[index - 1] ?? 0, end));
}

describe('GrowingJson', () => {
  it('returns the strings, keys and long numbers of the complete text with their offsets, however it is split', () => {
    fc.assert(
      fc.property(json, places, (text, at) => {
        fc.pre(isWhole(text));
        const { json: read, leaves } = grown(cut(text, at));
        expect(read.isJson).toBe(true);
        expect(read.closedAt).toBe(text.trimEnd().length - 1);
        expect(leaves).toEqual(parsed(text));
      }),
      { numRuns: 300 },
    );
  });

  it('returns a number as the account number that it denotes, with its range in the JSON text', () => {
    for (const text of ['{"card":4.111111111111111e15}', '{"card":4111111111111111.0}']) {
      expect(grown([text.slice(0, 12), text.slice(12)]).leaves).toEqual(parsed(text));
      expect(parsed(text).map((leaf) => leaf.text)).toEqual(['card', '4111111111111111']);
    }
  });

  it('returns rows of character codes in lists and in objects with indices, as the parser does', () => {
    const code = fc.constantFrom(9, 32, 65, 100, 126, 65.5, 127, 8, 12_345_678, -65, 'x', null, true, [65], { a: 65 });
    const items = fc.array(
      fc.oneof({ weight: 9, arbitrary: fc.constantFrom(66, 98) }, { weight: 2, arbitrary: code }),
      {
        maxLength: 40,
      },
    );
    const rows = fc.oneof(items, fc.record({ b: items }), items.map((each) => ({ ...each })), items.map((each) => ({ c: { ...each, d: 66 } }))); // prettier-ignore
    const byPlace = (leaves: readonly Leaf[]): Leaf[] => leaves.toSorted((a, b) => a.places[0]! - b.places[0]!);
    let count = 0;
    fc.assert(
      fc.property(rows, fc.constantFrom(undefined, 1), places, (value, indent, at) => {
        const text = JSON.stringify(value, undefined, indent);
        const all = parsed(text);
        count += all.filter((leaf) => leaf.text.includes(', ')).length;
        expect(byPlace(grown(cut(text, at)).leaves)).toEqual(byPlace(all));
      }),
      { numRuns: 300 },
    );
    expect(count).toBeGreaterThan(0);
  });

  it('reports a row of character codes as undecided until it has ended', () => {
    const read = new GrowingJson();
    const from = (piece: string): number => {
      read.push(piece);
      return read.pendingFrom;
    };
    expect(from('{"a":[1,65,66')).toBe(8);
    expect(from(',67,')).toBe(8);
    expect(from(' 68,"')).toBe(22);
    expect(from('"]')).toBe(24);
  });

  it('accepts numbers that only some clients accept', () => {
    for (const text of ['{"a":NaN}', '[-Infinity,"b",Infinity]', '{"a":nan}', '[NaN1]', '[-NaN]']) {
      const { json: read, leaves } = grown([...text]);
      expect(read.isJson && read.closedAt !== undefined).toBe(isWhole(text));
      if (isWhole(text)) expect(leaves).toEqual(parsed(text));
    }
  });

  it('counts a text as JSON while a valid continuation exists, and as complete only if the parser accepts it', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(mark, json), { maxLength: 8 }), places, (parts, at) => {
        const text = parts.join('');
        const { json: read } = grown(cut(text, at));
        expect(read.isJson && read.closedAt !== undefined).toBe(isWhole(text));
      }),
      { numRuns: 500 },
    );
    fc.assert(
      fc.property(json, places, fc.nat(), (text, at, length) => {
        fc.pre(isWhole(text));
        expect(grown(cut(text.slice(0, length % (text.length + 1)), at)).json.isJson).toBe(true);
      }),
    );
  });

  it('limits the nesting like the parser', () => {
    const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);
    for (const depth of [63, 64, 65]) expect(grown([nested(depth)]).json.isJson).toBe(isWhole(nested(depth)));
  });

  it('reports where the undecided part begins', () => {
    const read = new GrowingJson();
    const from = (piece: string): number => {
      read.push(piece);
      return read.pendingFrom;
    };
    expect(from('{"a')).toBe(3);
    expect(from('\\u00')).toBe(3);
    expect(from('e9"')).toBe(10);
    expect(from(':12')).toBe(11);
    expect(from('3,')).toBe(15);
  });
});
