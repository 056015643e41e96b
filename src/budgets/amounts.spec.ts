import fc from 'fast-check';
import { amountOfText, amountText } from './amounts.js';

describe('amounts as text', () => {
  it.each([
    ['usd', 950_000_000n, '0.95'],
    ['usd', 1_000_000_000n, '1.00'],
    ['usd', -12_000_000_001n, '-12.000000001'],
    ['usd', 0n, '0.00'],
    ['tokens', 4096n, '4096'],
  ] as const)('%s %s is %s', (unit, amount, text) => {
    expect(amountText(unit, amount)).toBe(text);
  });

  it('are unchanged after a round trip', () => {
    fc.assert(
      fc.property(fc.constantFrom('usd', 'tokens'), fc.bigInt(-(10n ** 20n), 10n ** 20n), (unit, amount) => {
        const text = amountText(unit, amount);
        fc.pre(text.replace('-', '').split('.')[0]!.length <= 12);
        expect(amountOfText(unit, text)).toBe(amount);
      }),
    );
  });

  it.each([
    ['tokens', '1.5'],
    ['usd', '0.0000000001'],
    ['usd', '1e3'],
    ['usd', ''],
  ] as const)('refuses %s %s', (unit, text) => {
    expect(amountOfText(unit, text)).toBeUndefined();
  });
});
