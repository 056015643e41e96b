import fc from 'fast-check';
import { dueAfter, dueUntil, LAST_DAY, WEEKDAYS, type Due } from './due-times.js';

const hour = fc.integer({ min: 0, max: 23 });
const dues = fc.oneof(
  fc.record({ every: fc.constant('day' as const), hour }),
  fc.record({ every: fc.constant('week' as const), weekday: fc.constantFrom(...WEEKDAYS), hour }),
  fc.record({ every: fc.constant('month' as const), day: fc.integer({ min: 1, max: LAST_DAY }), hour }),
);
const instants = fc.integer({ min: Date.UTC(2000, 0), max: Date.UTC(2100, 0) });

describe('Due times of a schedule', () => {
  it.each<[Due, string, string]>([
    [{ every: 'day', hour: 2 }, '2026-11-22T01:59:59.999Z', '2026-11-22T02:00:00.000Z'],
    [{ every: 'day', hour: 2 }, '2026-11-22T02:00:00.000Z', '2026-11-23T02:00:00.000Z'],
    [{ every: 'day', hour: 0 }, '2028-02-28T12:00:00.000Z', '2028-02-29T00:00:00.000Z'],
    // 2026-11-22 is a Sunday.
    [{ every: 'week', weekday: 'monday', hour: 6 }, '2026-11-22T12:00:00.000Z', '2026-11-23T06:00:00.000Z'],
    [{ every: 'week', weekday: 'sunday', hour: 6 }, '2026-11-22T12:00:00.000Z', '2026-11-29T06:00:00.000Z'],
    [{ every: 'week', weekday: 'sunday', hour: 13 }, '2026-11-22T12:00:00.000Z', '2026-11-22T13:00:00.000Z'],
    [{ every: 'month', day: 1, hour: 0 }, '2026-12-31T23:00:00.000Z', '2027-01-01T00:00:00.000Z'],
    [{ every: 'month', day: 28, hour: 23 }, '2027-01-31T23:00:00.000Z', '2027-02-28T23:00:00.000Z'],
  ])('for %j: the first after %s is %s', (due, from, expected) => {
    expect(new Date(dueAfter(due, Date.parse(from))).toISOString()).toBe(expected);
  });

  it('enclose every instant between two consecutive due times', () => {
    fc.assert(
      fc.property(dues, instants, (due, ms) => {
        const [before, after] = [dueUntil(due, ms), dueAfter(due, ms)];
        expect(before).toBeLessThanOrEqual(ms);
        expect(after).toBeGreaterThan(ms);
        expect([dueAfter(due, before), dueUntil(due, after - 1)]).toEqual([after, before]);
      }),
    );
  });

  it('have the hour and day of the schedule', () => {
    fc.assert(
      fc.property(dues, instants, (due, ms) => {
        const at = new Date(dueAfter(due, ms));
        expect([at.getUTCHours(), at.getTime() % 3_600_000]).toEqual([due.hour, 0]);
        if (due.every === 'week') expect(WEEKDAYS[(at.getUTCDay() + 6) % 7]).toBe(due.weekday);
        if (due.every === 'month') expect(at.getUTCDate()).toBe(due.day);
      }),
    );
  });
});
