import { readPath } from './read-path.js';
import type { FactSet, FactValue } from '../model/fact.js';

/** The prefix of the facts about the time of a call; their names end with a time zone. */
export const CLOCK_ROOT = 'clock';

/** The values of `clock.weekday.<zone>`. */
export const WEEKDAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'] as const;

const formats = new Map<string, Intl.DateTimeFormat>();
const MAX_FORMATS = 1_000;

/** Whether a name is a time zone, such as `Europe/Berlin` or `UTC`. */
export function isTimeZone(name: string): boolean {
  try {
    return formatOf(name) !== undefined;
  } catch {
    return false;
  }
}

/**
 * Adds the facts about the time of a call. Facts that are already given are kept.
 *
 * @param names names of the facts to add, below `clock`, such as `hour.Europe/Berlin`
 * @param nowMs milliseconds since the epoch
 */
export function withClock(facts: FactSet, names: readonly string[], nowMs: number): FactSet {
  if (names.length === 0) return facts;
  const given = facts[CLOCK_ROOT];
  const missing = names.filter((name) => readPath(given, name.split('.')) === undefined);
  if (missing.length === 0) return facts;
  const clock: Record<string, Record<string, FactValue>> = {};
  for (const [kind, below] of Object.entries((given ?? {}) as Record<string, Record<string, FactValue>>)) {
    clock[kind] = { ...below };
  }
  for (const name of missing) {
    const [kind = '', zone = ''] = name.split('.');
    const { hour, weekday } = timeIn(zone, nowMs);
    clock[kind] = { ...clock[kind], [zone]: kind === 'hour' ? hour : weekday };
  }
  return { ...facts, [CLOCK_ROOT]: clock };
}

function timeIn(zone: string, nowMs: number): { readonly hour: number; readonly weekday: string } {
  const parts = new Map(
    formatOf(zone)
      .formatToParts(nowMs)
      .map(({ type, value }) => [type, value]),
  );
  return { hour: Number(parts.get('hour')), weekday: parts.get('weekday')!.toLowerCase() };
}

function formatOf(zone: string): Intl.DateTimeFormat {
  const known = formats.get(zone);
  if (known !== undefined) return known;
  const made = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    hour: 'numeric',
    hourCycle: 'h23',
    weekday: 'long',
  });
  if (formats.size < MAX_FORMATS) formats.set(zone, made);
  return made;
}
