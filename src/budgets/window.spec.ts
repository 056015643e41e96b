import { Temporal } from 'temporal-polyfill';
import { sampled } from '../../test/support/sampled.js';
import { currentWindow, windowAt, type WindowLength } from './window.js';

/**
 * Northern and southern zones, half-hour offsets, changes at midnight, a zone that skipped a day, and zones that
 * changed their rules.
 */
const ZONES = [
  'Europe/Berlin',
  'America/New_York',
  'America/Sao_Paulo',
  'America/Havana',
  'America/Santiago',
  'Africa/Cairo',
  'Asia/Beirut',
  'Asia/Kolkata',
  'Australia/Lord_Howe',
  'Pacific/Apia',
  'Africa/Casablanca',
  'America/St_Johns',
];
const YEARS = 8;
/** Samoa skipped a day in 2011; until then Newfoundland changed its clocks a minute after midnight. */
const FIRST_YEAR = (timezone: string): number => (timezone === 'Pacific/Apia' ? 2011 : 2012);
const STEP_MS = 30 * 60_000;

interface WallClock {
  readonly day: string;
  readonly hour: string;
  readonly month: string;
}

/** The wall clock, computed independently of the code under test. */
function wallClock(timezone: string): (ms: number) => WallClock {
  const known = new Map<number, WallClock>();
  const format = new Intl.DateTimeFormat('sv-SE', {
    timeZone: timezone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    hourCycle: 'h23',
    timeZoneName: 'longOffset',
  });
  return (ms) => {
    const seen = known.get(ms);
    if (seen !== undefined) return seen;
    // `2026-10-25 02 GMT+02:00`: an hour that comes twice is two hours.
    const hour = format.format(ms);
    const clock = { day: hour.slice(0, 10), hour, month: hour.slice(0, 7) };
    known.set(ms, clock);
    return clock;
  };
}

function transitionsMs(timezone: string): number[] {
  const found: number[] = [];
  let at: Temporal.ZonedDateTime | null = Temporal.ZonedDateTime.from(
    `${FIRST_YEAR(timezone)}-01-01T00:00[${timezone}]`,
  );
  for (;;) {
    at = at.getTimeZoneTransition('next');
    if (at === null || at.year >= FIRST_YEAR(timezone) + YEARS) return found;
    found.push(at.epochMilliseconds);
  }
}

/** Monday of an ISO week, by arithmetic on the calendar alone. */
function weekOf(day: string): string {
  const date = new Date(`${day}T00:00:00Z`);
  date.setUTCDate(date.getUTCDate() - ((date.getUTCDay() + 6) % 7));
  return date.toISOString().slice(0, 10);
}

const KEYS: Readonly<Record<Exclude<WindowLength, 'total' | 'month'>, (clock: WallClock) => string>> = {
  hour: ({ hour }) => hour,
  day: ({ day }) => day,
  week: ({ day }) => weekOf(day),
};
const REACH_MS = { hour: 3_600_000 * 6, day: 86_400_000 * 2.5, week: 86_400_000 * 8 };

/** Every instant of these samples, grouped by the wall clock: the first of each group begins a window. */
function boundaries(samples: readonly number[], keyOf: (ms: number) => string): [number, number][] {
  const starts: number[] = [];
  let last: string | undefined;
  for (const ms of samples) {
    const key = keyOf(ms);
    if (key !== last) starts.push(ms);
    last = key;
  }
  return starts.slice(1, -1).map((start, index) => [start, starts[index + 2]!]);
}

describe.each(sampled(ZONES, 4))('windows in %s', (timezone) => {
  const clock = wallClock(timezone);
  const changes = transitionsMs(timezone);
  const around = changes.length > 0 ? changes : [Date.UTC(2015, 2, 29)];

  it.each(['hour', 'day', 'week'] as const)('are correct for each %s around every clock change', (per) => {
    let checked = 0;
    for (const change of around) {
      const from = Math.floor((change - REACH_MS[per]) / STEP_MS) * STEP_MS;
      const samples = Array.from({ length: (2 * REACH_MS[per]) / STEP_MS }, (_, index) => from + index * STEP_MS);
      for (const [start, end] of boundaries(samples, (ms) => KEYS[per](clock(ms)))) {
        for (const ms of [start, start + 1, Math.floor((start + end) / 2), end - 1]) {
          expect([ms, windowAt(per, timezone, ms)]).toEqual([ms, { startMs: start, endMs: end }]);
          checked++;
        }
      }
    }
    expect(checked).toBeGreaterThan(0);
  });

  it('are the same if the last one is remembered', () => {
    for (const change of around.slice(0, 3)) {
      for (const per of ['hour', 'day', 'week', 'month', 'total'] as const) {
        for (let ms = change - 2 * REACH_MS.hour; ms < change + 2 * REACH_MS.hour; ms += STEP_MS) {
          // A call that began earlier may be counted later.
          for (const at of [ms, ms + STEP_MS - 1, ms - STEP_MS])
            expect([at, currentWindow(per, timezone, at)]).toEqual([at, windowAt(per, timezone, at)]);
        }
      }
    }
  });

  it('are calendar months of local time, without gaps', () => {
    let at = Date.UTC(FIRST_YEAR(timezone), 5, 15);
    while (at < Date.UTC(FIRST_YEAR(timezone) + YEARS, 0, 1)) {
      const { startMs, endMs = 0 } = windowAt('month', timezone, at);
      const { month } = clock(at);
      expect([clock(startMs).month, clock(endMs - 1).month]).toEqual([month, month]);
      expect(clock(startMs - 1).month).not.toBe(month);
      expect(clock(endMs).month).not.toBe(month);
      at = endMs;
    }
  });
});

describe('windowAt', () => {
  it('gives a day its actual length', () => {
    const hours = (per: WindowLength, timezone: string, at: string): number => {
      const { startMs, endMs = 0 } = windowAt(per, timezone, Date.parse(at));
      return (endMs - startMs) / 3_600_000;
    };
    expect(hours('day', 'Europe/Berlin', '2026-03-29T12:00:00Z')).toBe(23);
    expect(hours('day', 'Europe/Berlin', '2026-10-25T12:00:00Z')).toBe(25);
    expect(hours('day', 'UTC', '2026-10-25T12:00:00Z')).toBe(24);
    expect(hours('hour', 'Australia/Lord_Howe', '2026-10-03T15:31:00Z')).toBe(0.5);
  });

  it('gives a total no end', () => {
    expect(windowAt('total', 'UTC', Date.now())).toEqual({ startMs: 0 });
  });

  it('refuses an unknown zone', () => {
    expect(() => windowAt('day', 'Mars/Olympus', 0)).toThrow(RangeError);
    expect(() => currentWindow('day', 'Mars/Olympus', 0)).toThrow(RangeError);
  });
});
