import fc from 'fast-check';
import { normalise } from './normalise.js';
import { stableLength } from './stable-text.js';

const read = (text: string): string => normalise(text)?.text ?? text;

describe('stableLength', () => {
  it.each([
    ['a letter, which a mark may join', 'ab ', 'e'],
    ['a sign that a stroke may go through', 'a ', '='],
    ['a sign of a comparison', 'a ', '>'],
  ])('holds back %s', (_what, sure, open) => {
    expect(stableLength(sure + open, {})).toBe(sure.length);
  });

  it('holds back a look-alike as long as a Latin letter may follow its digits', () => {
    expect(stableLength('12 а3_4', {})).toBe(3);
    expect(stableLength('12 а3_4 ', {})).toBe(8);
    expect(stableLength(`а${'3'.repeat(11)}`, {})).toBe(0);
    expect(stableLength(`а${'3'.repeat(12)}`, {})).toBe(13);
  });

  it('holds back an ideographic full stop, which may be a dot, and invisible characters, which may be a boundary', () => {
    expect(stableLength('ana@example\u3002', {})).toBe(11);
    expect(stableLength('ana@example\u3002c', {})).toBe(11);
    for (const invisible of ['\u200b', '\u3164', '\u{e0001}'])
      expect(stableLength(`ab${invisible}`, { parting: true })).toBe(2);
  });

  it.each([{}, { parting: true }])(
    'counts only text whose normalised form cannot change with the text after it (%j)',
    (options) => {
      const unit = fc.constantFrom(
        ...['а', 'е', 'k', '3', '_', ' ', 'ж', '\u0301', '\u3002', '\u200b', '\u3164', 'ᴀ'],
        ...['é', '\u0e2a', '\u0645', '\u{1f680}', '\ud83d', '½', '≈'],
      );
      const letters = fc.string({ unit, maxLength: 24 });
      const readWith = (text: string): string => normalise(text, options)?.text ?? text;
      fc.assert(
        fc.property(letters, letters, (before, after) => {
          const sure = before.slice(0, stableLength(before, options));
          expect(readWith(before + after).startsWith(readWith(sure))).toBe(true);
        }),
      );
    },
  );

  it('holds back only the last letter of a word in a script without look-alikes', () => {
    for (const word of [
      '\u0e2a\u0e27\u0e31\u0e2a',
      '\u0645\u0631\u062d',
      'd\u00e9j\u00e0',
      'Gr\u00f6\u00dfe',
      '\u{1f680}\u{1f389}',
    ])
      expect(stableLength(`a ${word}`, {})).toBe(2 + word.length - Array.from(word).at(-1)!.length);
    expect(stableLength('a \u043f\u0440\u0438', {})).toBe(2);
  });

  it('holds back a look-alike together with the letter that decides about it', () => {
    expect(stableLength('see \u0435\u200ban', { disguises: true })).toBe(4);
  });

  it('holds back nothing if no mark can join the last character', () => {
    expect(stableLength('12 + 3+', {})).toBe(7);
  });

  it('counts only text whose normalised form cannot change with a mark after it', () => {
    for (let unit = 0x20; unit < 0x7f; unit++) {
      for (let mark = 0x300; mark <= 0x36f; mark++) {
        const text = `-${String.fromCharCode(unit)}`;
        const sure = text.slice(0, stableLength(text, {}));
        expect(read(text + String.fromCharCode(mark)).startsWith(read(sure))).toBe(true);
      }
    }
  });
});
