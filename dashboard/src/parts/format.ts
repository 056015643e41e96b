/** Numbers, money and times for people, in the browser's language. */
import { tenths, withDecimals } from './numbers.ts';
import { onClock, zoned } from './zone.ts';

const whole = new Intl.NumberFormat();
const compact = new Intl.NumberFormat(undefined, { notation: 'compact', maximumFractionDigits: 1 });
const percent1 = new Intl.NumberFormat(undefined, { style: 'percent', maximumFractionDigits: 1 });
const percent0 = new Intl.NumberFormat(undefined, { style: 'percent', maximumFractionDigits: 0 });
const COMPACT_FROM = 10_000_000;
const NANO = 1_000_000_000n;
const ONE = whole.format(1);

const DECIMALS = { 2: withDecimals(2), 5: withDecimals(5), '2 to 5': withDecimals(2, 5) };

export const count = (value: number): string => whole.format(value);
/** For example `1 call` or `2 calls`. */
export const counted = (value: number, noun: string): string => `${count(value)} ${plural(count(value), noun)}`;
/** The form of a noun after a formatted number, such as `1` or `10,000+`. */
export const plural = (written: string, noun: string): string => (written === ONE ? noun : `${noun}s`);
export const tileCount = (value: number): string => (value >= COMPACT_FROM ? compact : whole).format(value);
export const ratio = (value: number): string => (Math.abs(value) < 0.1 ? percent1 : percent0).format(value);

/** A change in whole percent with its sign, such as `+6%` or `−12%`. */
export function relativeChange(now: number, before: number): string {
  const percent = Math.round((now / before - 1) * 100);
  return `${percent > 0 ? '+' : percent < 0 ? '−' : ''}${percent0.format(Math.abs(percent) / 100)}`;
}

const NANO_DIGITS = 9;
/** Smaller amounts would be zero with five digits. */
const SMALLEST_NANO = 10_000n;

/** Rounds an amount half up to dollars, as a text that number formats accept without converting it to a float. @param nano not negative */
function rounded(nano: bigint, digits: 2 | 5): `${number}` {
  const unit = 10n ** BigInt(NANO_DIGITS - digits);
  const units = (nano + unit / 2n) / unit;
  const scale = NANO / unit;
  return `${units / scale}.${String(units % scale).padStart(digits, '0')}` as `${number}`;
}

/** Integer nano-dollars as dollars: exact, because they are never converted to a float. */
export function money(nanoUsd: string | bigint | null | undefined, digits: 2 | 5): string {
  if (nanoUsd === null || nanoUsd === undefined) return 'no price';
  const nano = BigInt(nanoUsd);
  if (nano === 0n) return `$${whole.format(0)}`;
  const least = 10n ** BigInt(NANO_DIGITS - digits);
  if (nano > 0n && nano < least) return `<$${DECIMALS[digits].format(rounded(least, digits))}`;
  return `${nano < 0n ? '−' : ''}$${DECIMALS[digits].format(rounded(nano < 0n ? -nano : nano, digits))}`;
}

/** The number of calls that a sum of costs leaves out, in words such as `3 calls have no price`; empty if it contains all of them. */
export const unpricedWords = (withoutPrice = 0): string =>
  withoutPrice === 0 ? '' : `${counted(withoutPrice, 'call')} ${withoutPrice === 1 ? 'has' : 'have'} no price`;

/** A sum of costs; with a `+`, like a capped number, if calls without a price are missing from it. */
export function costSum(nanoUsd: string | bigint, withoutPrice: number | undefined, digits: 2 | 5): string {
  if (unpricedWords(withoutPrice) === '') return money(nanoUsd, digits);
  return BigInt(nanoUsd) === 0n ? money(null, digits) : `${money(nanoUsd, digits)}+`;
}

/**
 * Formats a decimal amount of dollars from the ledger like the cost of a call; below one dollar with up to five digits.
 * @param least digits after the decimal point; five in columns, so that amounts align
 */
export function dollars(decimal: string, least: 2 | 5 = 2): string {
  const sign = decimal.startsWith('-') ? '−' : '';
  const [integer = '', fraction = ''] = decimal.replace('-', '').split('.');
  const nano = BigInt(`${integer}${fraction.slice(0, NANO_DIGITS).padEnd(NANO_DIGITS, '0')}`);
  if (nano > 0n && nano < SMALLEST_NANO) return `${sign}<$${DECIMALS[5].format(rounded(SMALLEST_NANO, 5))}`;
  const digits = nano < NANO ? 5 : least;
  return `${sign}$${DECIMALS[least === digits ? least : '2 to 5'].format(rounded(nano, digits))}`;
}

/** An amount without the word "tokens", which is shown next to it. */
export function figure(decimal: string, unit: 'usd' | 'tokens'): string {
  return unit === 'usd' ? dollars(decimal) : whole.format(BigInt(decimal.split('.')[0] ?? '0'));
}

/** Like `amount`, with a fixed number of digits for columns. */
export const columnAmount = (decimal: string, unit: 'usd' | 'tokens'): string =>
  unit === 'usd' ? dollars(decimal, 5) : amount(decimal, unit);

export function amount(decimal: string, unit: 'usd' | 'tokens'): string {
  const written = figure(decimal, unit);
  return unit === 'usd' ? written : `${written} ${plural(written, 'token')}`;
}

export function duration(ms: number | null | undefined): string {
  if (ms === null || ms === undefined) return '–';
  // What would be rounded to 100.0 ms or 1000 ms is written in the next form.
  if (ms >= 999.5) return `${tenths(ms / 1000)} s`;
  return ms < 99.95 ? `${tenths(ms)} ms` : `${whole.format(Math.round(ms))} ms`;
}

const time = zoned({ hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' });
/** Day, hour and minute: short enough for rows and axes. */
export const dayTime = zoned({
  ...{ day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' },
  hourCycle: 'h23',
});
const dayTimeOfYear = zoned({
  ...{ day: 'numeric', month: 'short', year: 'numeric', hour: '2-digit', minute: '2-digit' },
  hourCycle: 'h23',
});
const year = zoned({ year: 'numeric' });
const isOfThisYear = (date: Date, now: number): boolean => year.format(date) === year.format(new Date(now));
/** With the year if it is not the current one. */
export const dayAndTime = (date: Date, now = Date.now()): string =>
  (isOfThisYear(date, now) ? dayTime : dayTimeOfYear).format(date);
const day = zoned({ day: 'numeric', month: 'short', year: 'numeric' });
const relative = new Intl.RelativeTimeFormat(undefined, { numeric: 'always', style: 'short' });
const DAY_MS = 86_400_000;

/** For tables: today only the time; earlier this year day and time; in another year only the day. */
export function tableTime(at: string, now = Date.now()): string {
  const date = new Date(at);
  if (now - date.getTime() < DAY_MS && day.format(date) === day.format(new Date(now))) return time.format(date);
  return (isOfThisYear(date, now) ? dayTime : day).format(date);
}
export const clock = (at: string): string => time.format(new Date(at));
export const onDay = (at: string): string => day.format(new Date(at));

/** To the millisecond, with the zone: for records that serve as evidence. */
export function exactTime(at: string): string {
  const { day: ymd, time: clockTime, offsetMinutes: minutes } = onClock(new Date(at));
  const size = Math.abs(minutes);
  const rest = size % 60 === 0 ? '' : `:${String(size % 60).padStart(2, '0')}`;
  const zone = minutes === 0 ? 'UTC' : `UTC${minutes < 0 ? '−' : '+'}${Math.floor(size / 60)}${rest}`;
  return `${ymd} ${clockTime} ${zone}`;
}

/** For times within a day of now; another time is shown as in a table, because "41 days ago" says neither day nor hour. */
export function ago(at: string, now = Date.now()): string {
  const seconds = Math.round((new Date(at).getTime() - now) / 1000);
  const size = Math.abs(seconds);
  if (size < 10) return 'now';
  if (size < 60) return relative.format(seconds, 'second');
  if (size < 3600) return relative.format(Math.trunc(seconds / 60), 'minute');
  if (size < 86_400) return relative.format(Math.trunc(seconds / 3600), 'hour');
  return tableTime(at, now);
}

/** Shortens the middle of a long id; the tooltip and the copy button have the complete id. */
export function shortId(id: string, head = 8, tail = 4): string {
  return id.length <= head + tail + 1 ? id : `${id.slice(0, head)}…${tail === 0 ? '' : id.slice(-tail)}`;
}
