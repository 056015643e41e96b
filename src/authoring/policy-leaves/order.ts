import type { JsonValue } from '../../core/model/call.js';

/** The effect of a change: lets more pass, lets less pass, neither, or not decidable from the two values alone. */
export type Effect = 'weaker' | 'stricter' | 'neutral' | 'incomparable';

/** Determines which of two values of one leaf is stricter. `undefined` means that no value is set. */
export interface Order {
  /** A description for the reference page. */
  readonly words: string;
  compare(before: JsonValue | undefined, after: JsonValue | undefined): Effect;
  /** A value that could be written by mistake, a weaker one if possible; undefined if there is none. */
  mistake(value: JsonValue): JsonValue | undefined;
}

/** An order of values, given from the strictest on; values in one list are equally strict. */
export function ranked(...groups: readonly (JsonValue | readonly JsonValue[])[]): Order {
  const lists = groups.map((group): readonly JsonValue[] => (Array.isArray(group) ? (group as JsonValue[]) : [group]));
  const rank = (value: JsonValue | undefined): number => lists.findIndex((list) => list.some((one) => one === value));
  return {
    words: `strictest first: ${lists.map((list) => list.map(String).join(' or ')).join(', ')}`,
    compare(before, after) {
      const [from, to] = [rank(before), rank(after)];
      if (from === -1 || to === -1) return before === after ? 'neutral' : 'incomparable';
      return to === from ? 'neutral' : to > from ? 'weaker' : 'stricter';
    },
    mistake(value) {
      const at = rank(value);
      return lists[at + 1]?.[0] ?? lists[at - 1]?.[0] ?? lists[at]?.find((one) => one !== value);
    },
  };
}

const NESTED = ranked('total', ['month', 'week'], 'day', 'hour');

/** Budget windows: a limit for a longer window is stricter if the shorter windows lie entirely within it. */
export const WINDOWS: Order = {
  ...NESTED,
  words: 'a longer window is stricter; a week and a month are incomparable',
  compare(before, after) {
    const isAcross = before !== after && [before, after].every((per) => per === 'month' || per === 'week');
    return isAcross ? 'incomparable' : NESTED.compare(before, after);
  },
};

interface Numbers {
  readonly stricter: 'lower' | 'higher';
  /** The effect of setting no value. */
  readonly none: 'weakest' | 'strictest' | 'incomparable';
  readonly max?: number;
}

/** An order of numbers, or of integers as text (amounts of money). */
export function amounts({ stricter, none, max }: Numbers): Order {
  const sign = stricter === 'lower' ? 1 : -1;
  return {
    words: `a ${stricter} number is stricter${none === 'incomparable' ? '' : `; no value is ${none}`}`,
    compare(before, after) {
      if (before === after) return 'neutral';
      if (before === undefined || after === undefined) {
        if (none === 'incomparable') return 'incomparable';
        return (after === undefined) === (none === 'weakest') ? 'weaker' : 'stricter';
      }
      const difference = compareNumbers(before, after) * sign;
      return difference === 0 ? 'neutral' : difference > 0 ? 'stricter' : 'weaker';
    },
    mistake(value) {
      const text = typeof value === 'string';
      const raised = text ? BigInt(value) * 10n : Number(value) * 10;
      const cut = text
        ? BigInt(value) / 10n
        : max === undefined || max > 1
          ? Math.floor(Number(value) / 2)
          : Number(value) / 2;
      const isCut = stricter === 'higher' || (max !== undefined && raised > max);
      const wrong = isCut ? cut : raised;
      const made = text ? String(wrong) : Number(wrong);
      return made === value ? undefined : made;
    },
  };
}

/** Positive if the first number is larger. */
function compareNumbers(a: JsonValue, b: JsonValue): number {
  if (typeof a === 'string' && typeof b === 'string') {
    const difference = BigInt(a) - BigInt(b);
    return difference === 0n ? 0 : difference > 0n ? 1 : -1;
  }
  return Number(a) - Number(b);
}

/** An order of lists whose entries are in no particular order. */
export function sets(more: 'stricter' | 'weaker'): Order {
  const fewer = more === 'stricter' ? 'weaker' : 'stricter';
  return {
    words: `more entries are ${more}, fewer entries ${fewer}; a list with both added and removed entries is incomparable`,
    compare(before, after) {
      const [was, is] = [membersOf(before), membersOf(after)];
      const lost = [...was].some((one) => !is.has(one));
      const gained = [...is].some((one) => !was.has(one));
      if (lost && gained) return 'incomparable';
      return lost ? fewer : gained ? more : 'neutral';
    },
    mistake(value) {
      const list = Array.isArray(value) ? (value as readonly JsonValue[]) : [];
      return list.length === 0 ? undefined : list.slice(1);
    },
  };
}

export function membersOf(value: JsonValue | undefined): ReadonlySet<string> {
  return new Set((Array.isArray(value) ? (value as readonly JsonValue[]) : []).map((one) => JSON.stringify(one)));
}

/** Shares of a limit at which a warning is sent: fewer or later warnings are weaker. */
export const SHARES: Order = {
  ...sets('stricter'),
  words: 'more or lower shares are stricter; fewer or higher shares are weaker',
  compare(before, after) {
    const [was, is] = [numbersIn(before), numbersIn(after)];
    const [less, more] = [covers(was, is), covers(is, was)];
    return less && more ? 'neutral' : less ? 'weaker' : more ? 'stricter' : 'incomparable';
  },
  mistake: (value) => (numbersIn(value).length === 0 ? undefined : []),
};

/** Whether the first list has at least as many shares, each at least as early. */
function covers(first: readonly number[], second: readonly number[]): boolean {
  return second.every((share, index) => first[index] !== undefined && first[index] <= share);
}

function numbersIn(value: JsonValue | undefined): number[] {
  return Array.isArray(value) ? [...(value as number[])].sort((a, b) => a - b) : [];
}

/** Minimum scores by code: higher is weaker. Only codes in both values are compared. */
export const SCORES: Order = {
  words: 'a lower score is stricter, for each code',
  compare(before, after) {
    const [was, is] = [scoresIn(before), scoresIn(after)];
    const codes = Object.keys(was).filter((code) => is[code] !== undefined);
    const higher = codes.some((code) => is[code]! > was[code]!);
    const lower = codes.some((code) => is[code]! < was[code]!);
    return higher && lower ? 'incomparable' : higher ? 'weaker' : lower ? 'stricter' : 'neutral';
  },
  mistake: () => undefined,
};

function scoresIn(value: JsonValue | undefined): Readonly<Record<string, number>> {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, number>>) : {};
}

/** A changed value may find more in one text and less in another. An added one finds more, a removed one less. */
export const PRESENCE: Order = {
  words: 'an added value is stricter, a removed value weaker, a changed value incomparable',
  compare(before, after) {
    if (before === after) return 'neutral';
    return before === undefined ? 'stricter' : after === undefined ? 'weaker' : 'incomparable';
  },
  mistake: () => undefined,
};

/** Another value can be weaker or stricter. */
export const INCOMPARABLE: Order = {
  words: 'another value is incomparable',
  compare: (before, after) => (JSON.stringify(before) === JSON.stringify(after) ? 'neutral' : 'incomparable'),
  mistake(value) {
    const entries = typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.entries(value) : [];
    return entries.length === 0 ? undefined : Object.fromEntries(entries.slice(1));
  },
};

/** The value does not affect the judgement of calls. */
export const NEUTRAL: Order = {
  words: 'neither weaker nor stricter',
  compare: () => 'neutral',
  mistake: () => undefined,
};

/** The combined effect of several changes. */
export function together(effects: readonly Effect[]): Effect {
  const felt = new Set(effects.filter((effect) => effect !== 'neutral'));
  const [only] = felt;
  return only === undefined ? 'neutral' : felt.size > 1 ? 'incomparable' : only;
}
