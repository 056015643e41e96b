import './stored-zone-for-tests.ts';
import { localInput, ofLocalInput, setZone, shownTime, typedTime } from './zone.ts';

// Other files of tests share the module.
afterEach(() => setZone('Europe/Berlin'));

const CHANGES = [
  {
    zone: 'Europe/Berlin',
    twice: '2026-10-25T02:30',
    occurrences: ['2026-10-25T00:30:00.000Z', '2026-10-25T01:30:00.000Z'],
    missing: { typed: '2026-03-29T02:30', moment: '2026-03-29T01:30:00.000Z' },
  },
  {
    zone: 'America/New_York',
    twice: '2026-11-01T01:30',
    occurrences: ['2026-11-01T05:30:00.000Z', '2026-11-01T06:30:00.000Z'],
    missing: { typed: '2026-03-08T02:30', moment: '2026-03-08T06:30:00.000Z' },
  },
  {
    // Its clocks change by half an hour.
    zone: 'Australia/Lord_Howe',
    twice: '2026-04-05T01:45',
    occurrences: ['2026-04-04T14:45:00.000Z', '2026-04-04T15:15:00.000Z'],
    missing: { typed: '2026-10-04T02:15', moment: '2026-10-03T15:45:00.000Z' },
  },
] as const;

describe.each(CHANGES)('A time typed in $zone', ({ zone, twice, occurrences, missing }) => {
  beforeEach(() => setZone(zone));

  it('is its first occurrence if clocks are set back', () => {
    for (const occurrence of occurrences) expect(localInput(occurrence)).toBe(twice);
    expect(ofLocalInput(twice)).toBe(occurrences[0]);
  });

  it('stays the second occurrence if it was shown as that and not edited', () => {
    for (const occurrence of occurrences) expect(shownTime(occurrence)).toEqual({ text: twice, at: occurrence });
    expect(typedTime(twice)).toEqual({ text: twice, at: occurrences[0] });
  });

  it('is the moment with the same text, for every hour of the days around a change', () => {
    for (const moment of occurrences) {
      for (let hours = -36; hours <= 36; hours++) {
        const at = new Date(Date.parse(moment) + hours * 3_600_000).toISOString();
        const read = ofLocalInput(localInput(at));
        expect(localInput(read)).toBe(localInput(at));
        expect(Date.parse(read)).toBeLessThanOrEqual(Date.parse(at));
      }
    }
  });

  it('is read with an offset near the change if clocks are set forward over it', () => {
    expect(ofLocalInput(missing.typed)).toBe(missing.moment);
  });
});

describe('A time that is shown in an input', () => {
  it('keeps its seconds until it is edited', () => {
    const at = '2026-11-30T10:15:42.137Z';
    expect(shownTime(at)).toEqual({ text: '2026-11-30T11:15', at });
    expect(typedTime('2026-11-30T11:15').at).toBe('2026-11-30T10:15:00.000Z');
  });

  it('stays the same moment in another zone', () => {
    const [, second] = CHANGES[0].occurrences;
    const { at } = shownTime(second);
    setZone('Asia/Kabul');
    expect(shownTime(at)).toEqual({ text: '2026-10-25T06:00', at: second });
  });

  it('is no moment while the input is empty or has no readable text', () => {
    expect(shownTime(undefined)).toEqual({ text: '', at: undefined });
    expect(shownTime('yesterday')).toEqual({ text: '', at: undefined });
    expect(typedTime('')).toEqual({ text: '', at: undefined });
    expect(typedTime('12026-11-01T10:00').at).toBeUndefined();
  });
});
