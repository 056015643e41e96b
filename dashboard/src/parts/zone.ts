/** The time zone in which times are shown: the browser's, or one that a person chose. Nothing else depends on it. */
import { useSyncExternalStore } from 'react';
import { onChangeElsewhere } from './other-tabs.ts';

const KEPT_AS = 'weir.zone';
const listeners = new Set<() => void>();
let chosen = keptZone();

function keptZone(): string | undefined {
  const kept = localStorage.getItem(KEPT_AS);
  return kept !== null && isZone(kept) ? kept : undefined;
}

function isZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}

export const browserZone = (): string => new Intl.DateTimeFormat().resolvedOptions().timeZone;

/** Undefined: the time zone of the browser. */
export const chosenZone = (): string | undefined => chosen;
export const zoneNow = (): string => chosen ?? browserZone();

export function setZone(name: string | undefined): void {
  chosen = name !== undefined && isZone(name) ? name : undefined;
  if (chosen === undefined) localStorage.removeItem(KEPT_AS);
  else localStorage.setItem(KEPT_AS, chosen);
  for (const listener of listeners) listener();
}

onChangeElsewhere(KEPT_AS, () => {
  chosen = keptZone();
  for (const listener of listeners) listener();
});

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Components that use it are rendered again when the time zone changes. */
export const useZone = (): string => useSyncExternalStore(subscribe, zoneNow);

/** A time format in the zone that is active at the time of formatting. */
export function zoned(
  options: Intl.DateTimeFormatOptions,
  language?: string,
): { readonly format: (at: Date) => string; readonly parts: (at: Date) => ReadonlyMap<string, string> } {
  const made = new Map<string, Intl.DateTimeFormat>();
  const inZone = (): Intl.DateTimeFormat => {
    const zone = zoneNow();
    const known = made.get(zone) ?? new Intl.DateTimeFormat(language, { ...options, timeZone: zone });
    made.set(zone, known);
    return known;
  };
  return {
    format: (at) => inZone().format(at),
    parts: (at) =>
      new Map(
        inZone()
          .formatToParts(at)
          .map(({ type, value }) => [type, value]),
      ),
  };
}

const whole = zoned(
  {
    ...{ year: 'numeric', month: '2-digit', day: '2-digit', hour: '2-digit', minute: '2-digit', second: '2-digit' },
    ...{ fractionalSecondDigits: 3, hourCycle: 'h23' },
  },
  'en-GB',
);

/** The digits of a time as a clock in the zone shows them. */
export function onClock(at: Date): { readonly day: string; readonly time: string; readonly offsetMinutes: number } {
  const parts = whole.parts(at);
  const part = (name: string): string => parts.get(name) ?? '';
  const day = `${part('year').padStart(4, '0')}-${part('month')}-${part('day')}`;
  const time = `${part('hour')}:${part('minute')}:${part('second')}.${part('fractionalSecond')}`;
  return { day, time, offsetMinutes: Math.round((Date.parse(`${day}T${time}Z`) - at.getTime()) / 60_000) };
}

/** The value of a `datetime-local` input: day and time without a zone. */
export function localInput(at: string | undefined): string {
  const date = new Date(at ?? '');
  if (Number.isNaN(date.getTime())) return '';
  const { day, time } = onClock(date);
  return `${day}T${time.slice(0, 5)}`;
}

/**
 * The last day and time that inputs accept: browsers let a person type years of six digits, which no standard text of a time has. In UTC,
 * a local time may be on the next day.
 */
export const LAST_DAY = '9999-12-30';
export const LAST_LOCAL_INPUT = `${LAST_DAY}T23:59`;

/** Whether a typed local time can be parsed. */
export const isLocalInput = (text: string): boolean =>
  /^\d{4}-/.test(text) && text <= LAST_LOCAL_INPUT && !Number.isNaN(Date.parse(`${text}Z`));

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

/**
 * Parses a typed local time of the zone. If clocks are set back, a local time occurs twice: the first is meant. A local time
 * that does not occur, because clocks are set forward, is read with the offset from before or after the change.
 *
 * @param text as `isLocalInput` accepts it
 */
export function ofLocalInput(text: string): string {
  const written = Date.parse(`${text}Z`);
  const momentWith = (offsetMinutes: number): number => written - offsetMinutes * MINUTE_MS;
  const offsetAt = (ms: number): number => onClock(new Date(ms)).offsetMinutes;
  // The offset of a day after the last year of four digits is unknown.
  const isOffset = (offset: number): boolean => Number.isFinite(offset) && offsetAt(momentWith(offset)) === offset;
  // Around a change of the clocks these are the offsets before and after it, at other times the same one.
  const offsets = [offsetAt(written - DAY_MS), offsetAt(written + DAY_MS)];
  const moments = offsets.filter(isOffset).map(momentWith);
  const moment = moments.length > 0 ? Math.min(...moments) : momentWith(offsetAt(momentWith(offsetAt(written))));
  return new Date(moment).toISOString();
}

/** The content of a time input, and the moment that it stands for: a text has no seconds, and when clocks are set back, it occurs twice. */
export interface TypedTime {
  readonly text: string;
  /** Undefined: the input is empty, or its text cannot be parsed. */
  readonly at: string | undefined;
}

/** A moment that was not typed: it stays exactly this moment for as long as its text is not edited. */
export function shownTime(at: string | undefined): TypedTime {
  const text = localInput(at);
  return { text, at: text === '' ? undefined : at };
}

export const typedTime = (text: string): TypedTime => ({
  text,
  at: isLocalInput(text) ? ofLocalInput(text) : undefined,
});
