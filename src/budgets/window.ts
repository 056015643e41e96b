import { Temporal } from 'temporal-polyfill';
import type { BudgetDefinition } from '../core/index.js';

export type WindowLength = BudgetDefinition['window']['per'];

/** Half-open, in milliseconds since the epoch. */
export interface BudgetWindow {
  readonly startMs: number;
  /** Undefined for a window that never ends. */
  readonly endMs?: number;
}

const HOUR_MS = 3_600_000;

/** The maximum number of lengths and zones whose last window is remembered. Policies name only a few. */
const MOST_REMEMBERED = 1_000;

/**
 * The window of a budget that contains an instant, by the wall clock of its zone: days have their local length (23 or 25 hours when
 * clocks change), weeks begin on Monday (ISO 8601), a day that a zone skipped belongs to the day before. Windows of one zone and length
 * never overlap and have no gaps.
 *
 * @param timezone IANA name; @throws RangeError for an unknown one
 */
export function windowAt(per: WindowLength, timezone: string, nowMs: number): BudgetWindow {
  if (per === 'total') return { startMs: 0 };
  const now = Temporal.Instant.fromEpochMilliseconds(nowMs).toZonedDateTimeISO(timezone);
  if (per === 'hour') return hourOf(now);
  const first = firstDay(per, now.toPlainDate());
  return { startMs: dayStartMs(first, timezone), endMs: dayStartMs(first.add(LENGTHS[per]), timezone) };
}

const LENGTHS = { day: { days: 1 }, week: { weeks: 1 }, month: { months: 1 } } as const;

/** The last windows, by length and zone. */
const lastWindows = new Map<string, BudgetWindow>();

/**
 * `windowAt`, remembered until the window ends: nearly every call counts in the same window as the call before it, and working with time zones
 * takes longer than judging a short call.
 */
export function currentWindow(per: WindowLength, timezone: string, nowMs: number): BudgetWindow {
  const key = `${per} ${timezone}`;
  const known = lastWindows.get(key);
  if (known !== undefined && known.startMs <= nowMs && nowMs < (known.endMs ?? Infinity)) return known;
  const window = windowAt(per, timezone, nowMs);
  if (lastWindows.size >= MOST_REMEMBERED) lastWindows.clear();
  lastWindows.set(key, window);
  return window;
}

function firstDay(per: keyof typeof LENGTHS, day: Temporal.PlainDate): Temporal.PlainDate {
  switch (per) {
    case 'day':
      return day;
    case 'week':
      return day.subtract({ days: day.dayOfWeek - 1 });
    case 'month':
      return day.with({ day: 1 });
  }
}

/** The first instant of a day; where midnight is skipped, the instant at which clocks jump over it. */
function dayStartMs(day: Temporal.PlainDate, timezone: string): number {
  return day.toZonedDateTime(timezone).epochMilliseconds;
}

/** From one full hour of the wall clock to the next; an hour in which clocks change ends at the change. */
function hourOf(now: Temporal.ZonedDateTime): BudgetWindow {
  const { minute, second, millisecond } = now;
  const startMs = now.epochMilliseconds - ((minute * 60 + second) * 1000 + millisecond);
  // A change at exactly this instant counts as the previous change.
  const before = now.add({ nanoseconds: 1 }).getTimeZoneTransition('previous')?.epochMilliseconds ?? startMs;
  const endMs = startMs + HOUR_MS;
  const after = now.getTimeZoneTransition('next')?.epochMilliseconds ?? endMs;
  return { startMs: Math.max(startMs, before), endMs: Math.min(endMs, after) };
}
