import { parsePhoneNumberFromString, type CountryCode } from 'libphonenumber-js';
import fc from 'fast-check';
import { planTest } from './phone-plan.js';

const REGIONS: readonly CountryCode[] = [
  'US',
  'GB',
  'DE',
  'FR',
  'IN',
  'BR',
  'AR',
  'MX',
  'IT',
  'AX',
  'CA',
  'RU',
  'SM',
  'JP',
];
const tests = new Map(REGIONS.map((region) => [region, planTest(region)]));

describe('planTest', () => {
  it('accepts exactly the numbers that libphonenumber accepts', () => {
    const digits = fc.array(fc.nat(9), { minLength: 5, maxLength: 14 }).map((list) => list.join(''));
    const national = fc.tuple(fc.constantFrom('', '0', '1', '00', '011', '49'), digits).map((parts) => parts.join(''));
    fc.assert(
      fc.property(fc.constantFrom(...REGIONS), national, (region, number) => {
        const { isValid, surely } = tests.get(region)!;
        const valid = parsePhoneNumberFromString(number, region)?.isValid() === true;
        expect(isValid(number, number)).toBe(valid);
        if (surely(number, number)) expect(valid).toBe(true);
      }),
      { numRuns: 3_000 },
    );
  });

  it.each([
    ['DE', '03012345678', true],
    ['FR', '0142685300', true],
    ['US', '2125550100', true],
    ['BR', '0141000000000', true],
    ['US', '0551173134', false],
  ] as const)('tells whether in %s the number %s is valid: %s', (region, number, expected) => {
    expect(tests.get(region)!.isValid(number, number)).toBe(expected);
  });
});
