import fc from 'fast-check';
import { nanoUsdOf } from './nano-usd.js';

describe('nanoUsdOf', () => {
  it.each([
    ['0', 0n],
    ['0.000', 0n],
    ['0e999999999', 0n],
    ['1', 1_000_000_000n],
    ['0.1', 100_000_000n],
    ['0.0000000005', 0n],
    ['0.0000000015', 2n],
    ['0.0000000025', 2n],
    ['0.00000000250000000000000000000000001', 3n],
    ['0.00000000249999999999999999999999999', 2n],
    ['1.5e-3', 1_500_000n],
    ['15E+2', 1_500_000_000_000n],
    ['1e-400', 0n],
    ['1000000000', 1_000_000_000_000_000_000n],
  ])('reads %s exactly', (literal, nanoUsd) => {
    expect(nanoUsdOf(literal)).toBe(nanoUsd);
  });

  it.each(['', '-1', '.5', 'NaN', '1e', '0x10', '1e400', '12345678901.5'])('refuses %s', (literal) => {
    expect(nanoUsdOf(literal)).toBeUndefined();
  });

  it('agrees with scaled integers for every number of decimals', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 10n ** 15n }), fc.integer({ min: 0, max: 9 }), (units, decimals) => {
        const digits = units.toString().padStart(decimals + 1, '0');
        const point = digits.length - decimals;
        const literal = decimals === 0 ? digits : `${digits.slice(0, point)}.${digits.slice(point)}`;
        const expected = units * 10n ** BigInt(9 - decimals);
        expect(nanoUsdOf(literal)).toBe(expected.toString().length > 19 ? undefined : expected);
      }),
    );
  });
});
