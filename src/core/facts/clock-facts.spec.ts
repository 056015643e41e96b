import fc from 'fast-check';
import { WEEKDAYS, withClock } from './clock-facts.js';

const at = (instant: string, ...names: string[]) => withClock({}, names, Date.parse(instant))['clock'];

describe('facts about the time of a call', () => {
  it('are those of the time zone in the rule, including daylight saving time', () => {
    expect(at('2026-11-23T23:30:00Z', 'hour.Europe/Berlin', 'weekday.Europe/Berlin')).toEqual({
      hour: { 'Europe/Berlin': 0 },
      weekday: { 'Europe/Berlin': 'tuesday' },
    });
    expect(at('2026-07-01T10:00:00Z', 'hour.Europe/Berlin', 'hour.America/Los_Angeles', 'hour.Asia/Kolkata')).toEqual({
      hour: { 'Europe/Berlin': 12, 'America/Los_Angeles': 3, 'Asia/Kolkata': 15 },
    });
  });

  it('match the calendar in UTC', () => {
    fc.assert(
      fc.property(fc.date({ min: new Date(0), max: new Date('2100-01-01'), noInvalidDate: true }), (date) => {
        expect(at(date.toISOString(), 'hour.UTC', 'weekday.UTC')).toEqual({
          hour: { UTC: date.getUTCHours() },
          weekday: { UTC: WEEKDAYS[(date.getUTCDay() + 6) % 7] },
        });
      }),
    );
  });

  it('are absent if no rule reads them, and do not replace given values', () => {
    const facts = { clock: { hour: { UTC: 7 } } };
    expect(withClock({}, [], 0)).toEqual({});
    expect(withClock(facts, ['hour.UTC'], 0)).toBe(facts);
    expect(withClock(facts, ['hour.UTC', 'weekday.UTC'], 0)['clock']).toEqual({
      hour: { UTC: 7 },
      weekday: { UTC: 'thursday' },
    });
  });
});
