import fc from 'fast-check';
import { metadataIndex, metadataTerm, storable } from './search-index.js';

describe('the index of metadata', () => {
  const index = (metadata: unknown): unknown =>
    JSON.parse(metadataIndex(JSON.stringify(metadata)) ?? 'null') as unknown;

  it('contains every value under its dotted path, as text', () => {
    expect(index({ user: { id: 7, staff: true }, plan: 'pro', none: null })).toEqual({
      'user.id': ['7'],
      'user.staff': ['true'],
      plan: ['pro'],
      none: ['null'],
    });
  });

  it('counts the plain values of a list as values of its key', () => {
    expect(index({ tags: ['a', 2, { deep: 1 }, ['b']] })).toEqual({ tags: ['a', '2'] });
  });

  it('leaves out values that are too long, too deep or too many', () => {
    expect(index({ a: 'x'.repeat(257), ['k'.repeat(129)]: 1, b: { c: { d: { e: { f: 1 } } } } })).toBeNull();
    const many = Object.fromEntries(Array.from({ length: 100 }, (_, n) => [`k${n}`, n]));
    expect(Object.keys(index(many) as object)).toHaveLength(64);
  });

  it('is the same for every row of an event, whichever texts came before', () => {
    const long = { text: Object.fromEntries(Array.from({ length: 40 }, (_, n) => [`k${n}`, 'x'.repeat(120)])) };
    const all = [{ a: 1 }, { a: 1 }, { a: 2 }, {}, long, long, [], { a: 1 }];
    const keysOf = (metadata: unknown): string[] => Object.keys((index(metadata) as object | null) ?? {});
    expect(all.map((metadata) => keysOf(metadata).length)).toEqual([1, 1, 1, 0, 40, 40, 0, 1]);
    expect([index({ a: 1 }), index({ a: 2 }), index({ a: 1 })]).toEqual([{ a: ['1'] }, { a: ['2'] }, { a: ['1'] }]);
  });

  it('is empty for metadata that is not an object, and without metadata', () => {
    for (const text of [undefined, '{}', '[]', '"x"', '7', 'null', 'not json']) {
      expect(metadataIndex(text)).toBeNull();
    }
  });

  it('contains the term for each path and value, and only text that jsonb accepts', () => {
    const word = fc.string({ unit: 'binary', maxLength: 20 });
    fc.assert(
      fc.property(fc.dictionary(word, word, { minKeys: 1, maxKeys: 5 }), (metadata) => {
        const text = metadataIndex(JSON.stringify(metadata)) ?? '{}';
        const entries = JSON.parse(text) as Record<string, string[]>;
        expect(text).not.toMatch(/\\u0000|\\ud[89a-f]/i);
        for (const [path, value] of Object.entries(metadata).filter(([key]) => key !== '')) {
          const [[key, values]] = Object.entries(JSON.parse(metadataTerm(path, value)) as Record<string, string[]>) as [
            [string, string[]],
          ];
          expect(Object.hasOwn(entries, key)).toBe(true);
          expect(entries[key]).toContain(values[0]);
        }
      }),
    );
  });
});

describe('text that PostgreSQL can store', () => {
  it('keeps everything but NUL and lone surrogates', () => {
    expect(storable('a\0b\ud800c🙂\udc00\n\u0001')).toBe('a\uFFFDb\uFFFDc🙂\uFFFD\n\u0001');
  });
});
