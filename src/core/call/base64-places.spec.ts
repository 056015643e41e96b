import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { filesIn, findingBase64 } from './base64-places.js';

/** All beginnings in one pattern: a slower reference implementation. */
const FILE =
  /(?<![A-Za-z0-9+/_=-])(?:JVBERi0|UEsDB|0M8R4KGx|H4sI|e1xydG|PCFET0NUWVBF|PCFkb2N0eXBl|PGh0bWw|PD94bWwg)[A-Za-z0-9+/_-]{40,}={0,2}/g;
const part = fc.oneof(
  fc.constantFrom(
    'JVBERi0',
    'UEsDB',
    '0M8R4KGx',
    'H4sI',
    'e1xydG',
    'PCFET0NUWVBF',
    'PCFkb2N0eXBl',
    'PGh0bWw',
    'PD94bWwg',
  ),
  fc.constantFrom('"', ' ', ':', '=', '==', 'ß', '-', 'a'),
  fc.integer({ min: 30, max: 50 }).map((length) => 'QmFz'.repeat(13).slice(0, length)),
);

describe('Files encoded inside a text', () => {
  it('are found in base64 at any position, and end where the base64 ends', () => {
    fc.assert(
      fc.property(fc.array(part, { maxLength: 30 }), (parts) => {
        const text = parts.join('');
        const meant = [...text.matchAll(FILE)].map(({ index, 0: found }) => ({
          start: index,
          end: index + found.length,
        }));
        expect(filesIn(text)).toEqual(text.length < 64 ? [] : meant);
      }),
      { numRuns: 2_000 },
    );
  });

  it('are found at the end of a long text, which is searched in many steps', () => {
    const file = gzipSync('some words '.repeat(20)).toString('base64');
    const steps = findingBase64(`${'words and more words '.repeat(100_000)}${file}`);
    let count = 0;
    for (let step = steps.next(); ; step = steps.next(), count++) {
      if (step.done !== true) continue;
      expect(step.value.places).toEqual([{ start: 2_100_000, end: 2_100_000 + file.length }]);
      break;
    }
    expect(count).toBeGreaterThan(6);
  });

  it('are found in hexadecimal digits, with or without a prefix such as 0x', () => {
    const digits = gzipSync('key_'.repeat(20) + 'and words').toString('hex');
    for (const before of ['', 'x ', '0x', '"', "X'", '\\x', 'b: '])
      for (const spelt of [digits, digits.toUpperCase()]) {
        const text = `${before}${spelt}" and more words in this text behind it`;
        const start = before.length;
        expect(filesIn(text)).toEqual([{ start, end: start + spelt.length, hex: true }]);
      }
  });

  it('do not include hashes or other numbers', () => {
    const hash = `789c${'0123456789ab'.repeat(5)}`;
    const others = [
      hash,
      `1f8b08${'0'.repeat(51)}`,
      `2f8b08${'0'.repeat(60)}`,
      `1f8b08${'0'.repeat(60)}g`,
      'cafe'.repeat(30),
    ];
    for (const text of others)
      expect(filesIn(`the number is ${text} and nothing else, as all of us can see`)).toEqual([]);
  });
});
