import fc from 'fast-check';
import { atOnce } from '../steps/steps.js';
import { countingValues } from './occurrences.js';

/** A small alphabet, so that values occur in texts and overlap each other and themselves. */
const word = fc.string({ unit: fc.constantFrom('a', 'b', 'ä', '\ud83d\ude00'), maxLength: 12 });

function count(text: string, value: string): number {
  let found = 0;
  for (let at = text.indexOf(value); at >= 0; at = text.indexOf(value, at + value.length)) found++;
  return found;
}

describe('countingValues', () => {
  it('counts each value as a separate search would', () => {
    fc.assert(
      fc.property(fc.array(word), fc.uniqueArray(word.filter((value) => value !== '')), (texts, values) => {
        const counts = atOnce(countingValues(texts, values));
        const expected = values.map((value) => texts.reduce((sum, text) => sum + count(text, value), 0));
        expect(counts === undefined ? undefined : values.map((value) => counts.get(value))).toEqual(expected);
        const seen = atOnce(countingValues(texts, values, 1));
        expect(values.map((value) => (seen?.get(value) ?? 0) > 0)).toEqual(expected.map((times) => times > 0));
      }),
    );
  });

  it('gives up if the work is out of proportion to the size of the texts and values', () => {
    const begins = 'a'.repeat(128);
    const values = Array.from({ length: 2_000 }, (_, index) => `${begins}${index + 1_000}`);
    expect(atOnce(countingValues([begins.repeat(2_000)], values))).toBeUndefined();
  });

  it('searches in steps', () => {
    const values = Array.from({ length: 50_000 }, (_, index) => `value-${index}@example.org`);
    const steps = countingValues([values.join(' ')], values);
    let stops = 0;
    let step = steps.next();
    for (; step.done !== true; step = steps.next()) stops++;
    expect(stops).toBeGreaterThanOrEqual(100);
    expect(step.value?.get(values[0]!)).toBe(1);
  });
});
