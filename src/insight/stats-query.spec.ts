import { rangeOf } from './stats-query.js';

const NOW = Date.parse('2026-11-30T10:20:30Z');
const DAY_MS = 86_400_000;
const before = (days: number): Date => new Date(NOW - days * DAY_MS);

describe('The range of statistics', () => {
  it('has buckets of whole hours if sums per minute of the range, or of the period before it, are deleted', () => {
    expect(rangeOf({ from: before(2), to: before(1), step: 'auto' }, NOW).stepSeconds).toBe(1_800);
    const old = rangeOf({ from: before(100), to: before(99), step: 'auto' }, NOW);
    expect(old).toMatchObject({ stepSeconds: 3_600, fromMs: Date.parse('2026-08-22T10:00:00Z') });
    expect(rangeOf({ from: before(70), to: before(69), step: 'auto' }, NOW).stepSeconds).toBe(3_600);
    expect(rangeOf({ from: before(100), to: before(99), step: 7_200 }, NOW).stepSeconds).toBe(7_200);
  });

  it('is refused with a finer step for such times, and not answered without the deleted minutes', () => {
    expect(rangeOf({ from: before(31), to: before(0), step: 1_800 }, NOW).stepSeconds).toBe(1_800);
    expect(() => rangeOf({ from: before(36), to: before(1), step: 2_880 }, NOW)).toThrow('whole hours');
    expect(() => rangeOf({ from: before(100), to: before(99), step: 60 }, NOW)).toThrow('whole hours');
  });
});
