import fc from 'fast-check';
import type { Finding } from '../../model/finding.js';
import { compilePatterns } from './compile-patterns.js';
import { compileSet } from './pattern-set.js';
import { patternSource, streamCandidates } from './stream-patterns.js';
import { PARTS, PATTERNS, type Code } from './testdata/stream-samples.js';

const ALL = new Set<Code>(PATTERNS.map(({ code }) => code));
const scan = compilePatterns(PATTERNS, { codes: ALL });

interface Released {
  readonly findings: readonly Finding[];
  /** After each piece: the offset up to which the text was settled, and the number of findings returned so far. */
  readonly steps: readonly { readonly upTo: number; readonly released: number; readonly length: number }[];
}

function streamed(pieces: readonly string[], codes: ReadonlySet<Code>, key?: string): Released {
  const stream = scan.stream(key === undefined ? undefined : { key }, codes);
  const findings: Finding[] = [];
  let length = 0;
  const steps = [...pieces, undefined].map((piece) => {
    const settled = piece === undefined ? stream.end() : stream.push(piece);
    findings.push(...settled.findings);
    length += piece?.length ?? 0;
    return { upTo: settled.upTo, released: findings.length, length };
  });
  return { findings, steps };
}

function cut(text: string, places: readonly number[]): string[] {
  const at = [...new Set([0, ...places.map((place) => place % (text.length + 1)), text.length])].sort((a, b) => a - b);
  return at.slice(1).map((end, index) => text.slice(at[index], end));
}

function expectSame(pieces: readonly string[], codes: ReadonlySet<Code>, key?: string): void {
  const text = pieces.join('');
  const whole = scan(text, key === undefined ? undefined : { key }).filter(({ code }) => codes.has(code));
  const { findings, steps } = streamed(pieces, codes, key);
  expect(findings).toEqual(whole);
  let before = 0;
  for (const { upTo, released, length } of steps) {
    expect(upTo).toBeGreaterThanOrEqual(before);
    expect(upTo).toBeLessThanOrEqual(length);
    // Released text contains no part of a later finding.
    for (const late of whole.slice(released)) expect(late.start).toBeGreaterThanOrEqual(upTo);
    before = upTo;
  }
  expect(before).toBe(text.length);
}

/** Letters, marks and symbols of other scripts, and everything that could make Latin letters of them. */
const OF_SCRIPTS = [
  ...[
    '\u0e2a\u0e27',
    '\u0645\u0631\u062d',
    'é',
    'ß',
    '\u{1f680}',
    '≈',
    '×',
    '½',
    '中',
    '。',
    '\u00a0',
    'ﬁ',
    'Ａ',
    '\u0663',
  ],
  ...['а', 'ѕ', '\u0301', '\u0338', '\u200b', '\u200d', '\ud83d', '’', 'ᴀ', '\u2028', 'K', 'ı', '\u0663'],
];

describe('a streamed scan', () => {
  it('finds the same as the scan of the whole text among letters of all scripts', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(...PARTS, ...OF_SCRIPTS, ...OF_SCRIPTS), { maxLength: 14 }),
        fc.array(fc.nat(), { maxLength: 12 }),
        fc.subarray([...ALL], { minLength: 1 }),
        (parts, places, codes) => {
          expectSame(cut(parts.join(''), places), new Set(codes));
          expectSame(parts, new Set(codes));
        },
      ),
      { numRuns: Number(process.env['WEIR_TEST_STREAMS'] ?? 1000) },
    );
  });

  it('releases words of scripts that have no look-alikes immediately', () => {
    const pieces = ['\u0e2a\u0e27\u0e31', ' \u0645\u0631\u062d', ' d\u00e9j\u00e0', ' \u{1f680}', ' ≈', ' ok'];
    const { steps } = streamed(pieces, new Set<Code>(['TOKEN']));
    for (const { upTo, length } of steps) expect(upTo).toBe(length);
  });

  it('finds the same as the scan of the whole text for every split, and settles nothing too early', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(...PARTS), { maxLength: 14 }),
        fc.array(fc.nat(), { maxLength: 10 }),
        fc.subarray([...ALL], { minLength: 1 }),
        fc.constantFrom(undefined, 'note', 'case'),
        (parts, places, codes, key) => expectSame(cut(parts.join(''), places), new Set(codes), key),
      ),
      { numRuns: 1000 },
    );
  });

  it('finds the same as the scan of the whole text when every character arrives separately', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...PARTS), { maxLength: 20 }), (parts) => {
        expectSame(parts.join('').split(''), ALL);
      }),
      { numRuns: 300 },
    );
  });

  it('finds the same as the scan of the whole text in long texts whose beginning is no longer stored', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...PARTS), { minLength: 200, maxLength: 400 }), fc.nat(9), (parts, step) => {
        const text = parts.join('');
        expectSame(text.match(new RegExp(`[^]{1,${step + 1}}`, 'g')) ?? [], ALL);
      }),
      { numRuns: 20 },
    );
  });

  it('finds the same as the scan of the whole text if a look-alike and CJK letters follow a match', () => {
    for (const word of ['TK-1234\u0430\u4e2dab', 'TK-1234\u0430\u00e9\ud55cTK-5678', 'TK-1234\u0425\u3042b'])
      expectSame(word.split(''), ALL);
  });

  it('waits for the text after an escape that ends with a letter', () => {
    for (const text of ['\\u003A#abc!', 'ab@cd\\n#abc!', '\\u003aTK-1234']) expectSame(text.split(''), ALL);
  });

  it('decodes nested escapes in the same way, whatever text follows', () => {
    for (const text of [
      '\\u\\u006483dT\\u004b-1234\u00e9',
      '\\u\\u006483dT\\u004b-1234\u4e2d',
      '\\u\\u006483dT\\u004b-1234',
    ])
      for (const pieces of [[text], text.split('')]) expectSame(pieces, new Set<Code>(['TICKET', 'KEYED']));
  });

  it('reads a letter together with its mark, whatever text follows', () => {
    for (const text of [
      '99 USDR\u0301TK-1234',
      'xy77 \u0301#abc!',
      '99 USDR\u0301',
      'xy77\u0301#abc!',
      'xy77-\u0336#abc!',
    ])
      for (const key of [undefined, 'note']) expectSame(text.split(''), ALL, key);
  });

  it('releases spared words immediately, although a mark may join the last letter', () => {
    const { steps } = streamed(['The', ' looked', ' is', '\u0301', ' fo'], new Set<Code>(['TOKEN']));
    expect(steps.map(({ upTo }) => upTo)).toEqual([3, 9, 13, 13, 15, 17]);
  });

  it('holds back a match that ends before a letter until no mark can join the letter', () => {
    const codes = new Set<Code>(['TOKEN']);
    expectSame(['Q4Q4Q4XYab', 'c', '\u0301', ' '], codes);
    expect(streamed(['Q4Q4Q4XYab', 'c'], codes).steps[1]!.upTo).toBe(0);
  });

  it('holds back the finding of a group from the earliest start of the group', () => {
    const { steps } = streamed(['see "', 'id', '": ', '"ab', 'c1"', ' and'], new Set<Code>(['KEYED']));
    expect(steps.map(({ upTo }) => upTo)).toEqual([5, 7, 9, 9, 9, 19, 20]);
  });

  it('releases plain prose immediately', () => {
    const { steps } = streamed(['The quick ', 'brown fox ', 'jumps '], new Set<Code>(['TICKET']));
    expect(steps.map(({ upTo }) => upTo)).toEqual([10, 20, 26, 26]);
  });

  it('makes no further trial readings of a piece once one has found something', () => {
    const source = patternSource(compileSet(PATTERNS, { codes: ALL }), { normalisation: {}, codes: ALL });
    let readings = 0;
    const counted: typeof source = {
      ...source,
      read: (...asked) => {
        readings++;
        return source.read(...asked);
      },
    };
    const readingsOf = (piece: string): number => {
      readings = 0;
      streamCandidates(counted, undefined, new Set<Code>(['TOKEN'])).push(piece);
      return readings;
    };
    expect(readingsOf('see the lamp')).toBe(3);
    expect(readingsOf('see TK-1234 a')).toBe(2);
  });

  it('holds back no more than a possible beginning of a match', () => {
    const { steps } = streamed(['see T', 'K', '-12', ' next '], new Set<Code>(['TICKET']));
    expect(steps.map(({ upTo }) => upTo)).toEqual([4, 4, 4, 15, 15]);
  });
});
