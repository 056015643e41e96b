import fc from 'fast-check';
import { describeDetector } from '../../test/support/describe-detector.js';
import { keywords } from './keywords.js';
import { standsAlone } from './word-boundary.js';

const options = keywords.meta.options.parse({
  lists: {
    PROJECT_NAME: ['Blue Harbor', 'Kestrel'],
    RIVAL: { words: ['ACME'], case_sensitive: true, score: 0.6 },
  },
});

describeDetector(keywords, { options, fragments: ['kestrel', 'ACME', 'blue harbor'], attacks: ['kestrel', 'blue '] });

const scanWith = (lists: unknown, text: string): string[] => {
  const parsed = keywords.meta.options.parse({ lists });
  return keywords
    .create(parsed, { codes: new Set(Object.keys(parsed.lists)) })(text)
    .map(({ code, start, end, score }) => `${code}:${text.slice(start, end)}:${score}`);
};

describe('keywords', () => {
  it('finds words of every script, with or without spaces between words', () => {
    expect(scanWith({ A: ['проект'] }, 'Проект и проекты')).toEqual(['A:Проект:1']);
    expect(scanWith({ A: ['機密'] }, 'これは機密です')).toEqual(['A:機密:1']);
    expect(scanWith({ A: ['ÄRGER'] }, 'viel ärger')).toEqual(['A:ärger:1']);
    expect(scanWith({ A: ['😀'] }, 'a😀b')).toEqual(['A:😀:1']);
  });

  it('searches inside words if the list allows it', () => {
    expect(scanWith({ A: { words: ['kestrel'], whole_words: false } }, 'Kestrels_kestrel')).toEqual([
      'A:Kestrel:1',
      'A:kestrel:1',
    ]);
  });

  it('matches words that begin or end with a symbol exactly', () => {
    expect(scanWith({ A: ['C++', '.NET'] }, 'C++11, ASP.NET and xC++')).toEqual(['A:C++:1', 'A:.NET:1']);
  });

  it('reports the longer of two overlapping words of one list, but both words if they are in different lists', () => {
    expect(scanWith({ A: ['blue', 'blue harbor'] }, 'blue harbor')).toEqual(['A:blue harbor:1']);
    expect(scanWith({ A: ['blue'], B: ['blue harbor'] }, 'blue harbor')).toEqual(['B:blue harbor:1', 'A:blue:1']);
  });

  it.each([
    ['control characters', [...'kestrel'].join('\u0001')],
    ['many invisible characters', 'kes\u200b\u200b\u200b\u200btrel'],
    ['blanks of Braille', [...'kestrel'].join('\u2800')],
    ['letters in squares', '🅺🅴🆂🆃🆁🅴🅻'],
    ['an entity', 'k&#101;strel'],
  ])('finds words with hidden letters: %s', (_what, hidden) => {
    expect(scanWith({ A: ['kestrel'] }, `ask ${hidden}.`)).toEqual([`A:${hidden}:1`]);
  });

  it('finds both of two words that only an invisible character separates', () => {
    expect(scanWith({ A: ['kestrel'] }, 'kestrel\u200bkestrel')).toEqual(['A:kestrel:1', 'A:kestrel:1']);
  });

  it('finds words of lists with more distinct characters than one matcher supports', () => {
    const many = Array.from({ length: 1_000 }, (_, index) => `${String.fromCharCode(0x4e00 + index)}x`);
    expect(scanWith({ A: many }, `see ${many[3]} and ${many[997]}`)).toEqual([`A:${many[3]}:1`, `A:${many[997]}:1`]);
  });

  it.each([
    ['no list', {}, 'name at least one list'],
    ['an empty list', { A: [] }, 'a list needs at least one keyword'],
    ['an empty keyword', { A: [''] }, 'a keyword must not be empty or begin or end with a space'],
    ['spaces around a keyword', { A: [' a'] }, 'a keyword must not be empty or begin or end with a space'],
    ['a long keyword', { A: ['a'.repeat(101)] }, 'a keyword has at most 100 characters'],
    ['a code with a dash', { 'a-b': ['x'] }, 'a code consists of letters, digits and underscores'],
    [
      'keywords with too many characters',
      { A: Array.from({ length: 600 }, () => 'a'.repeat(100)) },
      'at most 50000 characters',
    ],
    ['an unknown key', { A: { words: ['x'], case: true } }, 'Unrecognized key'],
  ])('refuses %s with the reason', (_what, lists, why) => {
    const result = keywords.meta.options.safeParse({ lists });
    expect(JSON.stringify(result.error?.issues)).toContain(why);
  });

  it('finds exactly the matches of an equivalent regular expression', () => {
    const text = fc
      .array(fc.constantFrom('ab', 'a', 'b', ' ', '_', 'é', 'AB'), { maxLength: 12 })
      .map((parts) => parts.join(''));
    fc.assert(
      fc.property(text, (sample) => {
        const expected = [...sample.matchAll(/(?<![\p{L}\p{N}\p{M}_])ab(?![\p{L}\p{N}\p{M}_])/giu)].map(
          ({ index }) => index,
        );
        const parsed = keywords.meta.options.parse({ lists: { A: ['ab'] } });
        const found = keywords.create(parsed, { codes: new Set(['A']) })(sample);
        expect(found.map(({ start }) => start)).toEqual(expected);
      }),
    );
  });
});

describe('standsAlone', () => {
  it.each([
    ['a cat', 2, 5, true],
    ['a cats', 2, 5, false],
    ['concat', 3, 6, false],
    ['_cat', 1, 4, false],
    ['(cat)', 1, 4, true],
    ['𝒶cat', 2, 5, false],
    ['cat\u0301', 0, 3, false],
    ['cat猫', 0, 3, true],
    ['', 0, 0, true],
  ])('takes the part of %j from %i to %i as a whole word: %s', (text, start, end, alone) => {
    expect(standsAlone(text, start, end)).toBe(alone);
  });
});
