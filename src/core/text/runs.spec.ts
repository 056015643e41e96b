import fc from 'fast-check';
import { runsOf } from './runs.js';

const wordsOf = (text: string): string[] =>
  [...runsOf(text, /[^ \n]/g, /[ \n]/g)].map(({ start, end }) => text.slice(start, end));

describe('The runs of a text', () => {
  it('are those that one expression finds', () => {
    const text = fc.array(fc.constantFrom('a', 'b', ' ', '\n'), { maxLength: 40 }).map((parts) => parts.join(''));
    fc.assert(fc.property(text, (each) => expect(wordsOf(each)).toEqual(each.match(/[^ \n]+/g) ?? [])));
  });

  it('may have many million characters', () => {
    const long = 'a'.repeat(32 * 1024 * 1024);
    expect(wordsOf(`b ${long}`).map(({ length }) => length)).toEqual([1, long.length]);
  });
});
