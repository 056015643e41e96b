import fc from 'fast-check';
import { utf16Offsets } from './text-units.js';

describe('Offsets counted in other units', () => {
  it('are converted from characters, as Python counts them', () => {
    const offset = utf16Offsets('a😀é😀z', 'code_points');
    expect([0, 1, 2, 3, 4, 5].map(offset)).toEqual([0, 1, 3, 4, 6, 7]);
    expect([6, -1, 1.5, Number.NaN].map(offset)).toEqual([undefined, undefined, undefined, undefined]);
  });

  it('are converted from bytes, except offsets inside a character', () => {
    const offset = utf16Offsets('a😀é', 'utf8_bytes');
    expect([0, 1, 2, 5, 7].map(offset)).toEqual([0, 1, undefined, 3, 4]);
  });

  it('agree with the counts of other languages for any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.nat(), (text, cut) => {
        const characters = [...text];
        const before = characters.slice(0, cut % (characters.length + 1));
        const at = before.join('').length;
        expect(utf16Offsets(text, 'code_points')(before.length)).toBe(at);
        expect(utf16Offsets(text, 'utf8_bytes')(Buffer.byteLength(before.join('')))).toBe(at);
        expect(utf16Offsets(text, 'utf16')(at)).toBe(at);
      }),
    );
  });
});
