import type { JsonValue } from '../../core/model/call.js';
import { sets, type Order } from './order.js';

/** The order of numbers of days, which are written as `30d`. */
function days(stricter: 'shorter' | 'longer'): Order {
  const sign = stricter === 'shorter' ? 1 : -1;
  // Without a value the time is unlimited.
  const length = (value: JsonValue | undefined): number =>
    value === undefined ? Number.POSITIVE_INFINITY : Number.parseInt(textOf(value), 10);
  return {
    words: `a ${stricter} time is stricter; without a value, the time is unlimited`,
    compare(before, after) {
      const [was, is] = [length(before), length(after)];
      if (was === is) return 'neutral';
      return (is > was ? 1 : -1) * sign > 0 ? 'weaker' : 'stricter';
    },
    mistake(value) {
      const wrong = stricter === 'shorter' ? length(value) * 10 : Math.floor(length(value) / 2);
      return wrong < 1 || wrong > 99_999 ? undefined : `${wrong}d`;
    },
  };
}

/** Stored texts can leak, so a shorter time is stricter. */
export const DAYS_OF_TEXTS = days('shorter');
/** Records are evidence, so a longer time is stricter. */
export const DAYS_OF_RECORDS = days('longer');

/** The conditions of a hold, as `name=value`. With more conditions, fewer events are held; without the hold, no events are held. */
export const HELD: Order = {
  ...sets('weaker'),
  words: 'more entries are weaker, fewer entries stricter; removal of the hold is weaker',
  compare(before, after) {
    if (before === undefined || after === undefined) return presence(before, after);
    return sets('weaker').compare(before, after);
  },
};

const DAY_MS = 86_400_000;

/** The end of a hold, as an instant in UTC. */
export const UNTIL: Order = {
  words: 'a later end is stricter; removal of the hold is weaker',
  compare(before, after) {
    if (before === undefined || after === undefined) return presence(before, after);
    const laterMs = Date.parse(textOf(after)) - Date.parse(textOf(before));
    return laterMs === 0 ? 'neutral' : laterMs > 0 ? 'stricter' : 'weaker';
  },
  mistake: (value) => new Date(Date.parse(textOf(value)) - 365 * DAY_MS).toISOString(),
};

function presence(before: JsonValue | undefined, after: JsonValue | undefined): 'neutral' | 'stricter' | 'weaker' {
  if (before === after) return 'neutral';
  return before === undefined ? 'stricter' : 'weaker';
}

function textOf(value: JsonValue): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
