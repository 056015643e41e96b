import fc from 'fast-check';
import { allSame, digitsOf, weightedSum } from './digits.js';
import { passesMod11Minus2, passesMod11Over10, passesMod97 } from './iso7064.js';
import { passesLuhn } from './luhn.js';
import { passesVerhoeff } from './verhoeff.js';

const DIGITS = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9];
const body = fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 8, maxLength: 18 });

/** Tests that a checksum detects each single wrong digit: exactly one check digit passes, and no single change does. */
function catchesSingleErrors(passes: (digits: readonly number[]) => boolean): void {
  fc.assert(
    fc.property(body, fc.nat(), fc.integer({ min: 1, max: 9 }), (digits, place, by) => {
      const whole = DIGITS.map((check) => [...digits, check]).filter(passes);
      expect(whole).toHaveLength(1);
      const wrong = [...whole[0]!];
      wrong[place % wrong.length] = (wrong[place % wrong.length]! + by) % 10;
      expect(passes(wrong)).toBe(false);
    }),
  );
}

describe('checksums:', () => {
  it('Luhn accepts published test cards, and rejects one with another last digit', () => {
    expect(passesLuhn(digitsOf('4111 1111 1111 1111'))).toBe(true);
    expect(passesLuhn(digitsOf('3782 822463 10005'))).toBe(true);
    expect(passesLuhn(digitsOf('4111 1111 1111 1112'))).toBe(false);
    expect(passesLuhn([])).toBe(false);
  });
  it('Luhn rejects every single wrong digit', () => catchesSingleErrors(passesLuhn));

  it('Verhoeff accepts the published example', () => {
    expect(passesVerhoeff(digitsOf('2363'))).toBe(true);
    expect(passesVerhoeff(digitsOf('2364'))).toBe(false);
    expect(passesVerhoeff([])).toBe(false);
  });
  it('Verhoeff rejects every single wrong digit', () => catchesSingleErrors(passesVerhoeff));

  it('Verhoeff rejects every transposition of adjacent digits', () => {
    fc.assert(
      fc.property(body, fc.nat(), (digits, at) => {
        const whole = DIGITS.map((check) => [...digits, check]).find(passesVerhoeff)!;
        const left = at % (whole.length - 1);
        fc.pre(whole[left] !== whole[left + 1]);
        const swapped = [...whole];
        [swapped[left], swapped[left + 1]] = [whole[left + 1]!, whole[left]!];
        expect(passesVerhoeff(swapped)).toBe(false);
      }),
    );
  });

  it('MOD 11,10 accepts the example of the standard, and rejects every single wrong digit', () => {
    expect(passesMod11Over10(digitsOf('0794'))).toBe(false);
    expect(passesMod11Over10(digitsOf('07945'))).toBe(true);
    expect(passesMod11Over10([5])).toBe(false);
    catchesSingleErrors(passesMod11Over10);
  });

  it('MOD 97-10 accepts the examples of the registry, rearranged', () => {
    expect(passesMod97('WEST12345698765432' + 'GB82')).toBe(true);
    expect(passesMod97('370400440532013000' + 'DE89')).toBe(true);
    expect(passesMod97('370400440532013000' + 'DE88')).toBe(false);
    expect(passesMod97('37040044053201300-' + 'DE89')).toBe(false);
    expect(passesMod97('')).toBe(false);
  });

  it('MOD 11-2 accepts the examples of the standard', () => {
    expect(passesMod11Minus2([0, 7, 9, 4], 0)).toBe(true);
    expect(passesMod11Minus2([0, 7, 9, 4], 1)).toBe(false);
    expect(passesMod11Minus2(digitsOf('000000021825009'), 7)).toBe(true);
  });

  it('weightedSum weights digits, and allSame detects repetition', () => {
    expect(weightedSum([1, 2, 3], [10, 1, 5])).toBe(27);
    expect(allSame([7, 7, 7])).toBe(true);
    expect(allSame([7, 7, 1])).toBe(false);
  });
});
