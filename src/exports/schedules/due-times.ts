/** The due times of a schedule. They are in UTC, where every day has 24 hours. */

/** Monday first, as ISO 8601 counts. */
export const WEEKDAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'] as const;
export type Weekday = (typeof WEEKDAYS)[number];

/** The last day that every month has. */
export const LAST_DAY = 28;

/** Delay between the due time of a file and its start. An event that is logged later than this after its receipt is late. */
export const SETTLE_SECONDS = 600;

export type Due =
  | { readonly every: 'day'; readonly hour: number }
  | { readonly every: 'week'; readonly weekday: Weekday; readonly hour: number }
  | { readonly every: 'month'; readonly day: number; readonly hour: number };

const DAY_MS = 86_400_000;
/** 1970-01-01 was a Thursday. */
const EPOCH_WEEKDAY = 3;

/** The first due time after an instant. */
export function dueAfter(due: Due, ms: number): number {
  const last = dueUntil(due, ms);
  return stepped(due, last, 1);
}

/** The last due time up to and including an instant. */
export function dueUntil(due: Due, ms: number): number {
  const guess = nearby(due, ms);
  return guess <= ms ? guess : stepped(due, guess, -1);
}

/** The due time in the day, week or month of an instant. */
function nearby(due: Due, ms: number): number {
  const hours = due.hour * 3_600_000;
  const day = Math.floor(ms / DAY_MS);
  if (due.every === 'day') return day * DAY_MS + hours;
  if (due.every === 'week') {
    const passed = modulo(day + EPOCH_WEEKDAY - WEEKDAYS.indexOf(due.weekday), 7);
    return (day - passed) * DAY_MS + hours;
  }
  const at = new Date(ms);
  return Date.UTC(at.getUTCFullYear(), at.getUTCMonth(), due.day, due.hour);
}

function stepped(due: Due, ms: number, steps: 1 | -1): number {
  if (due.every === 'day') return ms + steps * DAY_MS;
  if (due.every === 'week') return ms + steps * 7 * DAY_MS;
  const at = new Date(ms);
  return Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + steps, due.day, due.hour);
}

const modulo = (value: number, by: number): number => ((value % by) + by) % by;
