import { assembleList, assembleStream, decodeAnswer, decodeRequest, parseJson } from '../src/core/index.js';
import { DIALECTS } from '../src/core/providers/dialects.js';
import type { FieldReader } from '../src/core/call/call-collector.js';
import { isArray, isObject } from '../src/core/json/json-node.js';
import { FIELD_SHAPES, TABLES } from './field-shapes.js';
import { SHAPES } from './linear-shapes.js';
import type { Shape } from './shape.js';

function textsOf({ dialect, direction, body }: Shape): readonly string[] {
  const made = body(6);
  const written = typeof made === 'string' ? made : JSON.stringify(made);
  if (direction === 'stream') return assembleStream(dialect, written).call.segments.map(({ text }) => text);
  if (direction === 'list') return assembleList(dialect, written).call.segments.map(({ text }) => text);
  const decode = direction === 'request' ? decodeRequest : decodeAnswer;
  return decode(dialect, parseJson(written)).segments.map(({ text }) => text);
}

const MANY = 7;

describe('The shapes of the linearity bench', () => {
  it('include calls of each dialect', () => {
    expect([...new Set(SHAPES.map(({ dialect }) => dialect))].sort()).toEqual(Object.keys(DIALECTS).sort());
  });

  it('include every field of every field table as a list and as a map', () => {
    const read = new Map<FieldReader, Set<string>>();
    const original = TABLES.map((table) => [...table]);
    const watched = (reader: FieldReader): FieldReader => {
      const kinds = read.get(reader) ?? new Set();
      read.set(reader, kinds);
      return (collector, node, place) => {
        const size = isArray(node) ? node.items.length : isObject(node) ? node.members.length : 0;
        if (size >= MANY) kinds.add(isArray(node) ? 'list' : 'map');
        return reader(collector, node, place);
      };
    };
    try {
      for (const [index, table] of TABLES.entries())
        for (const [key, reader] of original[index]!) (table as Map<string, FieldReader>).set(key, watched(reader));
      for (const { dialect, direction, body } of FIELD_SHAPES) {
        const decode = direction === 'request' ? decodeRequest : decodeAnswer;
        decode(dialect, parseJson(JSON.stringify(body(MANY))));
      }
    } finally {
      for (const [index, table] of TABLES.entries())
        for (const [key, reader] of original[index]!) (table as Map<string, FieldReader>).set(key, reader);
    }
    const missing = original.flat().filter(([, reader]) => read.get(reader)?.size !== 2);
    expect([...new Set(missing.map(([key]) => key))]).toEqual([]);
  });

  // Shapes of token ids contain numbers only.
  it.each(SHAPES.filter(({ name }) => !name.endsWith('token ids')).map((shape) => [shape.name, shape] as const))(
    'have texts in %s',
    (_, shape) => expect(textsOf(shape)).not.toEqual([]),
  );
});
