import fc from 'fast-check';
import { atOnce } from '../steps/steps.js';
import { joining, replacing } from './replacing.js';

describe('Replacing in steps', () => {
  it('returns the same text as String.replace', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'b', '+', '\n', '\ud83d\ude00'), maxLength: 2_000 });
    fc.assert(
      fc.property(text, fc.constantFrom(/a+/g, /(?=b)/g, /\+(a)?/g, /^/g), (given, pattern) => {
        const replaced = atOnce(replacing(given, pattern, ([whole]) => `<${whole}>`));
        expect(replaced).toBe(given.replace(pattern, (whole) => `<${whole}>`));
      }),
    );
  });

  it('joins any number of parts like Array.join', () => {
    for (const count of [0, 1, 2, 4_095, 4_096, 4_097, 10_000]) {
      const parts = Array.from({ length: count }, (_, index) => `${index}`);
      expect(atOnce(joining(parts, ','))).toBe(parts.join(','));
    }
  });
});
