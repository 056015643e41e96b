import fc from 'fast-check';
import { GrowingText } from './growing-text.js';

const LONG = 20_000;
/** The lengths of the beginning that a growing text keeps, and of the part that it can compare before the one that it returns. */
const [HEAD, RECENT] = [4_096, 4_096];

function grown(text: string, forgotten: readonly number[]): GrowingText {
  const growing = new GrowingText();
  let at = 0;
  for (const place of [...forgotten].sort((a, b) => a - b)) {
    growing.append(text.slice(at, Math.max(at, place)));
    at = Math.max(at, place);
    growing.forget(Math.max(0, at - 10));
  }
  growing.append(text.slice(at));
  return growing;
}

describe('a growing text', () => {
  const text = Array.from({ length: LONG / 8 }, (_, index) => `w${index} `.padEnd(8, '.')).join('');
  const places = fc.array(fc.nat({ max: LONG }), { maxLength: 6 });

  it('recognises each of its prefixes that ends in a part that it still has', () => {
    fc.assert(
      fc.property(places, fc.nat({ max: LONG }), (forgotten, length) => {
        const growing = grown(text, forgotten);
        expect(growing.length).toBe(text.length);
        const isKnown = length <= HEAD || length >= growing.known.from - RECENT;
        if (isKnown) expect(growing.beginsWith(text.slice(0, length))).toBe(true);
        expect(growing.isBeginningOf(`${text}more`)).toBe(true);
      }),
    );
  });

  it('does not recognise a text that differs in one place, wherever the text ends', () => {
    fc.assert(
      fc.property(places, fc.nat({ max: LONG - 1 }), fc.nat({ max: LONG }), (forgotten, at, more) => {
        const other = `${text.slice(0, at)}#${text.slice(at + 1, at + 1 + more)}`;
        expect(grown(text, forgotten).beginsWith(other)).toBe(false);
      }),
    );
  });

  it('does not recognise another text of the same length', () => {
    fc.assert(
      fc.property(places, fc.nat({ max: LONG - 1 }), (forgotten, at) => {
        const other = `${text.slice(0, at)}#${text.slice(at + 1)}`;
        const growing = grown(text, forgotten);
        expect(growing.beginsWith(other)).toBe(false);
        expect(growing.isBeginningOf(other)).toBe(false);
        expect(growing.beginsWith(`${text}x`)).toBe(false);
      }),
    );
  });

  it('keeps only a small part of a long text', () => {
    const growing = new GrowingText();
    for (let at = 0; at < 100; at++) {
      growing.append(text);
      growing.forget(growing.length - 10);
    }
    expect(growing.known.text.length).toBe(10);
    expect(() => growing.whole).toThrow(RangeError);
  });
});
