import { hash } from 'node:crypto';
import fc from 'fast-check';
import { GrowingText } from './growing-text.js';

const LONG = 20_000;
/** The lengths of the beginning that a growing text keeps, and of the part that it can compare before the one that it returns. */
const [HEAD, RECENT] = [4_096, 4_096];

const digest = (text: string): string => hash('sha256', Buffer.from(text, 'utf16le'), 'base64');

/** Two texts of two characters after which a short hash (FNV-1a, 32 bits) of the whole text is equal. */
function collisionAfter(beginning: string): readonly [string, string] {
  const next = (state: number, unit: number): number => Math.imul(state ^ unit, 0x01000193);
  const state = Array.from({ length: beginning.length }, (_, at) => beginning.charCodeAt(at)).reduce(next, 0x811c9dc5);
  const byHalf = new Map<number, number>();
  for (let unit = 0x20; unit < 0xd800; unit++) {
    const own = next(state, unit);
    const other = byHalf.get(own >>> 16);
    if (other !== undefined) {
      const difference = (own ^ next(state, other)) & 0xffff;
      return [String.fromCharCode(unit, 0x41), String.fromCharCode(other, 0x41 ^ difference)];
    }
    byHalf.set(own >>> 16, unit);
  }
  throw new Error('no two units have the same half');
}

function grown(text: string, forgotten: readonly number[]): GrowingText {
  const growing = new GrowingText(digest);
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

  it('does not recognise a text that was written to have the same hash', () => {
    const [beginning, end] = [text.slice(0, 6_000), text.slice(6_002)];
    const [one, other] = collisionAfter(beginning).map((middle) => beginning + middle + end) as [string, string];
    const growing = grown(one, [15_000]);
    expect(growing.beginsWith(one)).toBe(true);
    expect(growing.beginsWith(other)).toBe(false);
    expect(growing.isBeginningOf(`${other}more`)).toBe(false);
  });

  it('recognises no text without a digest of the part that is not kept', () => {
    const growing = new GrowingText();
    growing.append(text);
    expect(growing.beginsWith(text)).toBe(true);
    growing.forget(15_000);
    expect(growing.beginsWith(text)).toBe(false);
    expect(growing.beginsWith(text.slice(0, HEAD))).toBe(true);
  });

  it('keeps only a small part of a long text', () => {
    const growing = new GrowingText(digest);
    for (let at = 0; at < 100; at++) {
      growing.append(text);
      growing.forget(growing.length - 10);
    }
    expect(growing.known.text.length).toBe(10);
    expect(() => growing.whole).toThrow(RangeError);
  });
});
