import fc from 'fast-check';
import type { JsonValue } from '../model/call.js';
import { canonicalJson, writingCanonical } from './canonical-json.js';
import { parseJson } from './json-document.js';
import { atOnce } from '../steps/steps.js';

describe('canonicalJson', () => {
  it('returns the canonical text of the example in RFC 8785, section 3.2', () => {
    const value = {
      numbers: [333333333.33333329, 1e30, 4.5, 2e-3, 0.000000000000000000000000001],
      string: '\u20ac$\u000F\u000aA\'\u0042\u0022\u005c\\\"\/',
      literals: [null, true, false],
    };
    expect(canonicalJson(value)).toBe(
      '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}',
    );
  });

  it('sorts keys by UTF-16 code units, as RFC 8785 section 3.2.3 shows', () => {
    const keys = ['\u20ac', '\r', '\ufb33', '1', '\ud83d\ude00', '\u0080', '\u00f6'];
    const value = Object.fromEntries(keys.map((key) => [key, 0]));
    expect(Object.keys(JSON.parse(canonicalJson(value)) as object)).toEqual([
      '1',
      '\r',
      '\u0080',
      '\u00f6',
      '\u20ac',
      '\ud83d\ude00',
      '\ufb33',
    ]);
  });

  it('depends on the value alone, not on key order or white space', () => {
    const shuffle = (value: unknown): unknown =>
      Array.isArray(value)
        ? value.map(shuffle)
        : typeof value === 'object' && value !== null
          ? Object.fromEntries(
              Object.entries(value)
                .reverse()
                .map(([key, inner]) => [key, shuffle(inner)]),
            )
          : value;
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const shuffled = parseJson(JSON.stringify(shuffle(value), null, 2)).value;
        expect(canonicalJson(shuffled)).toBe(canonicalJson(parseJson(JSON.stringify(value)).value));
      }),
    );
  });

  it('returns different texts for different values, even for those that RFC 8785 excludes', () => {
    const forms = [
      '1e400',
      '-1e400',
      'null',
      '"\\ud83d"',
      '"\\ude00"',
      '"1e999"',
      '{"a":1}',
      '{"a":"1"}',
      '[]',
      '{}',
    ].map((text) => canonicalJson(parseJson(text).value as JsonValue));
    expect(new Set(forms).size).toBe(forms.length);
  });
});

describe('writingCanonical', () => {
  const of = (text: string): string => atOnce(writingCanonical(parseJson(text).root));

  it('returns the canonical form of the value where doubles are exact, however the text is written', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        const { root, value } = parseJson(text);
        expect(atOnce(writingCanonical(root))).toBe(canonicalJson(value));
      }),
    );
    expect(of('{"b":1.0,"a":{"__proto__":2e0},"b":10000000}')).toBe('{"a":{"__proto__":2},"b":10000000}');
    expect(of('[10000000000000000, 1e16, 1000000000000000000000, 1e21]')).toBe(
      '[10000000000000000,10000000000000000,1e+21,1e+21]',
    );
  });

  it('distinguishes integers that are equal as doubles', () => {
    const pairs = [
      ['9007199254740992', '9007199254740993'],
      ['-9007199254740992', '-9007199254740993'],
      ['1000000000000000000000', '1000000000000000000001'],
      ['9'.repeat(400), '8'.repeat(400)],
    ];
    for (const [left = '', right = ''] of pairs) {
      expect(parseJson(left).value).toBe(parseJson(right).value);
      expect(of(left)).not.toBe(of(right));
    }
  });
});
