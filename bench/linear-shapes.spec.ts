import { assembleList, assembleStream, decodeAnswer, decodeRequest, parseJson } from '../src/core/index.js';
import { DIALECTS } from '../src/core/providers/dialects.js';
import { SHAPES, type Shape } from './linear-shapes.js';

function textsOf({ dialect, direction, body }: Shape): readonly string[] {
  const made = body(6);
  const written = typeof made === 'string' ? made : JSON.stringify(made);
  if (direction === 'stream') return assembleStream(dialect, written).call.segments.map(({ text }) => text);
  if (direction === 'list') return assembleList(dialect, written).call.segments.map(({ text }) => text);
  const decode = direction === 'request' ? decodeRequest : decodeAnswer;
  return decode(dialect, parseJson(written)).segments.map(({ text }) => text);
}

describe('The sweep of what has to be linear', () => {
  it('has calls of each dialect', () => {
    expect([...new Set(SHAPES.map(({ dialect }) => dialect))].sort()).toEqual(Object.keys(DIALECTS).sort());
  });

  // Token ids are numbers.
  it.each(SHAPES.filter(({ name }) => !name.endsWith('token ids')).map((shape) => [shape.name, shape] as const))(
    'has texts to read in %s',
    (_, shape) => expect(textsOf(shape)).not.toEqual([]),
  );
});
