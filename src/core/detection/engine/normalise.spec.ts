import fc from 'fast-check';
import { sampled } from '../../../../test/support/sampled.js';
import { normalise } from './normalise.js';

describe('normalise', () => {
  it.each(['', 'plain ASCII, 1 + 1', 'Zoë Müller', 'Привет, мир', '日本語'])(
    'leaves "%s" alone without copying',
    (text) => {
      const shadow = normalise(text);
      expect(shadow?.text ?? text).toBe(text);
    },
  );

  it.each([
    ['ｆｕｌｌ １２３', 'full 123'],
    ['zero\u200bwidth\u2060\ufeff', 'zerowidth'],
    ['p\u0430ypal', 'paypal'],
    ['caf\u0065\u0301', 'café'],
    ['\u{e0069}\u{e0067}\u{e006e}', 'ign'],
    ['555\u20131234', '555-1234'],
    ['\u0665\u0665', '55'],
    ['\u{1d400}bc', 'Abc'],
    ['a\u00a0b', 'a b'],
    ['lone \ud800 half', 'lone \ud800 half'],
    ['\ufdfa\u0301 \ufdfb', '\ufdfa\u0301 \ufdfb'],
    ['ɪɢɴᴏʀᴇ ᴀʟʟ ꜰᴏʀᴍs', 'ignore all forms'],
    ['ılık', 'ilik'],
    ['ana@example\u3002com', 'ana@example.com'],
    ['ana@example\uff61com', 'ana@example.com'],
    ['机密\u3002ok\u3002 no\u3002', '机密\u3002ok\u3002 no\u3002'],
  ])('turns %j into %j', (text, expected) => {
    expect(normalise(text)?.text ?? text).toBe(expected);
  });

  it('reads every decimal digit of Unicode as an ASCII digit', () => {
    const digits = Array.from({ length: 0x20000 }, (_, point) => String.fromCodePoint(point)).filter((character) =>
      /^\p{Nd}$/u.test(character),
    );
    expect(digits.length).toBeGreaterThan(600);
    expect(digits.map((digit) => normalise(digit)?.text ?? digit).join('')).toMatch(/^(?:0123456789)+$/);
  });

  it('reads an invisible character before a word as a boundary when asked', () => {
    const text = 'a\u200bb\u200b\u2060c \u3164d\u200b e\u200bé';
    expect(normalise(text, { parting: true })?.text).toBe('a\0b\0c \0d eé');
    expect(normalise(text)?.text).toBe('abc d eé');
  });

  it('makes no text longer than six times its length', () => {
    const units = Array.from({ length: 0x10000 - 0x80 }, (_, index) => 0x80 + index);
    for (const unit of sampled(units, 16)) {
      const text = String.fromCharCode(unit).repeat(64);
      for (const options of [{}, { stripAccents: true }, { escapes: true }]) {
        const read = normalise(text, options)?.text ?? text;
        if (read.length > 6 * text.length)
          throw new Error(`U+${unit.toString(16)} is read as ${read.length / 64} units`);
      }
    }
  });

  it('drops accents only when asked', () => {
    expect(normalise('ïgnörê', { stripAccents: true })?.text).toBe('ignore');
  });

  it.each([
    [String.raw`a\nb\tc\rd`, 'a\nb\tc\rd'],
    [String.raw`{\"k\": \"v\"}`, '{"k": "v"}'],
    [String.raw`\u003ca\u0040b\u003e https:\/\/x`, '<a@b> https://x'],
    [String.raw`twice \\nb`, 'twice \\\nb'],
    [String.raw`\x \u12 \ `, String.raw`\x \u12 \ `],
  ])('reads the escapes in %j when asked', (text, expected) => {
    expect(normalise(text, { escapes: true })?.text ?? text).toBe(expected);
    expect(normalise(text)?.text ?? text).toBe(text);
  });

  it('keeps escapes that outnumber the other characters, so that the reach of a pattern stays finite', () => {
    const text = String.raw`\u0041`.repeat(100);
    expect(normalise(text, { escapes: true })!.text.length).toBeGreaterThan(text.length / 2 - 64);
  });

  it.each(['key_аВ3ԁЕ6', 'k3у_9а', 'А4Е9K3', 'а_7x'])(
    'replaces look-alikes next to digits and underscores of a Latin word: %j',
    (text) => {
      expect(normalise(text)!.text).toMatch(/^[\w]+$/);
    },
  );

  it('keeps look-alikes in words of their own script', () => {
    expect(normalise('мама сосна')?.text ?? 'мама сосна').toBe('мама сосна');
    expect(normalise('covid19 вирус')?.text ?? 'covid19 вирус').toBe('covid19 вирус');
  });

  it('keeps invisible characters that outnumber the visible ones, so that the reach of a pattern stays finite', () => {
    expect(normalise(`a${'\u200b'.repeat(500)}b`)!.text.length).toBeGreaterThan(400);
    expect(normalise(Array.from('password', (letter) => `${letter}\u200b`).join(''))!.text).toBe('password');
  });

  it('maps every range of the normalised copy to a range of the original that contains it', () => {
    const unit = fc.oneof(
      fc.constantFrom(
        'a',
        ' ',
        '１',
        'ﬁ',
        '\u200b',
        '\u0301',
        'а',
        '\ud800',
        '\u{e0041}',
        '\u{1d400}',
        '٣',
        '–',
        '\\n',
        '\\u0041',
        '\\',
      ),
      fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
    );
    fc.assert(
      fc.property(fc.array(unit), fc.boolean(), fc.boolean(), (units, stripAccents, escapes) => {
        const text = units.join('');
        const shadow = normalise(text, { stripAccents, escapes });
        if (shadow === undefined) return;
        let end = 0;
        for (let at = 0; at < shadow.text.length; at++) {
          const range = shadow.original(at, at + 1);
          expect(range.start).toBeGreaterThanOrEqual(Math.min(end, range.start));
          expect(range.end).toBeGreaterThan(range.start);
          expect(range.end).toBeGreaterThanOrEqual(end);
          expect(range.end).toBeLessThanOrEqual(text.length);
          end = range.end;
        }
      }),
      { numRuns: 500 },
    );
  });
});
