import { atOnce, decodeRequest, parseJson } from '../core/index.js';
import { findingRepeated } from './repeated-members.js';

const MESSAGE = 'must be given only once, whatever the case of its letters';
const repeatedIn = (body: string, governed = true): string | undefined => {
  const found = atOnce(findingRepeated(parseJson(body), governed));
  expect(found?.message ?? MESSAGE).toBe(MESSAGE);
  return found?.path;
};

describe('a setting of a request that is given twice', () => {
  it.each<[string, string]>([
    ['with the same name', '{"model":"small","messages":[],"model":"large"}'],
    ['in another case', '{"model":"small","Model":"large"}'],
    ['with an escaped name', '{"model":"small","m\\u006fdel":"large"}'],
    ['with equal values', '{"model":"small","model":"small"}'],
  ])('is found: %s', (_, body) => {
    expect(repeatedIn(body)).toBe('model');
    expect(repeatedIn(body, false)).toBe('model');
  });

  it('is found with letters that parsers of Go do not distinguish', () => {
    expect(repeatedIn('{"stream":false,"\u017ftream":true}', false)).toBe('stream');
  });

  it('is found under the names of further settings on a recognised route', () => {
    expect(repeatedIn('{"tools":[],"Tools":[]}')).toBe('tools');
    expect(repeatedIn('{"tools":[],"Tools":[]}', false)).toBeUndefined();
  });

  it('is not found under other names, in inner objects and in other values', () => {
    for (const body of [
      '{"model":"a","models":["a"],"a":{"model":"b","model":"c"}}',
      '[{"model":1,"model":2}]',
      '{"a":1,"a":2}',
    ])
      expect(repeatedIn(body)).toBeUndefined();
  });
});

it('reads the name of the model under its key in another case, as parsers of Go do', () => {
  const modelIn = (body: string): string | undefined => decodeRequest('openai.chat', parseJson(body)).model;
  expect(modelIn('{"MODEL":"large"}')).toBe('large');
  expect(modelIn('{"model":"small","models":["large"]}')).toBe('small');
});
