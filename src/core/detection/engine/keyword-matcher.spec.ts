import fc from 'fast-check';
import { KeywordMatcher } from './keyword-matcher.js';

const hits = (words: string[], text: string): string[] => {
  const found: string[] = [];
  new KeywordMatcher(words).scan(text, (word, start, end) => found.push(`${word}@${start}-${end}`));
  return found.sort();
};

describe('KeywordMatcher', () => {
  it('finds overlapping words and words inside words', () => {
    expect(hits(['he', 'she', 'his', 'hers'], 'uSHErs')).toEqual(['0@2-4', '1@1-4', '3@2-6']);
  });

  it('reports a duplicate word under both numbers', () => {
    expect(hits(['a', 'A'], 'xa')).toEqual(['0@1-2', '1@1-2']);
  });

  it('ignores case even outside ASCII', () => {
    expect(hits(['führerschein'], 'FÜHRERSCHEIN')).toEqual(['0@0-12']);
  });

  it('rejects an empty word', () => {
    expect(() => new KeywordMatcher([''])).toThrow(RangeError);
  });

  it('finds words with more distinct characters than its table has columns', () => {
    const many = Array.from({ length: 300 }, (_, index) => String.fromCharCode(0x4e00 + index));
    expect(hits([...many, `${many[7]}${many[299]}x`], `${many[299]}${many[7]}${many[299]}X`)).toEqual(
      ['299@0-1', '299@2-3', '300@1-4', '7@1-2'].sort(),
    );
  });

  it('does not confuse the letter I with the dotless i of another word', () => {
    expect(hits(['sayısı', 'id'], 'ID')).toEqual(['1@0-2']);
  });

  it('finds exactly the same as a search for each word', () => {
    // More letters than columns, so that some are looked up in the map.
    const crowd = Array.from({ length: 70 }, (_, index) => String.fromCharCode(0x430 + index));
    const rare = ['\u65e5', '\u672c'];
    const letters = fc.string({ unit: fc.constantFrom('a', 'b', 'A', 'é', '-', ...rare), minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(
        fc.array(letters, { maxLength: 8 }),
        fc.string({ unit: fc.constantFrom('a', 'b', 'B', 'É', '-', ' ', ...rare) }),
        fc.boolean(),
        (some, text, crowded) => {
          const words = crowded ? [...some, ...crowd, ...crowd] : some;
          const expected: string[] = [];
          words.forEach((word, number) => {
            for (let at = 0; at <= text.length - word.length; at++) {
              if (text.slice(at, at + word.length).toLowerCase() === word.toLowerCase()) {
                expected.push(`${number}@${at}-${at + word.length}`);
              }
            }
          });
          expect(hits(words, text)).toEqual(expected.sort());
        },
      ),
    );
  });
});
