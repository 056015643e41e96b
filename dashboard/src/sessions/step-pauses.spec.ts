import { pauseWords } from './step-pauses.ts';

const MINUTE_MS = 60_000;

describe('A pause between two steps of a session', () => {
  it.each([
    [60_000, undefined],
    [61_000, '1 min later'],
    [90 * MINUTE_MS, '90 min later'],
    [25 * 60 * MINUTE_MS, '25 h later'],
    [3 * 24 * 60 * MINUTE_MS, '3 days later'],
  ])('of %d ms is in a unit that suits its length', (ms, words) => {
    expect(pauseWords(ms)).toBe(words);
  });
});
