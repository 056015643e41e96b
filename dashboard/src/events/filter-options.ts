/** The values that can be chosen for a filter, and the filters after a choice. */
import type { Search } from '../shell/view.ts';
import { isList, turnedRound } from './filters.ts';

/** A value with the number of events that have it, as the service counts them. */
export interface Facet {
  readonly value: string;
  readonly label?: string | null;
  readonly count: number;
}

export interface Option {
  readonly value: string;
  readonly label: string;
  /** Undefined: it is unknown. */
  readonly count: number | undefined;
  /** The filter has this value. */
  readonly isChosen: boolean;
}

/** The maximum number of values that the service counts. */
export const MOST_COUNTED = 100;

const negated = (name: string): string => `not.${name}`;
const valuesIn = (search: Search, name: string): readonly string[] => search[name]?.split(',').filter(Boolean) ?? [];

/** The filters whose events the values are counted in: without the filter itself, because then no other value would be left. */
export function filtersBeside(filters: Readonly<Record<string, string>>, name: string): Record<string, string> {
  return Object.fromEntries(Object.entries(filters).filter(([each]) => each !== name && each !== negated(name)));
}

interface Choosable {
  /** All possible values, such as the apps, in the order to show; undefined if only the counted ones are known. */
  readonly known: readonly Pick<Option, 'value' | 'label'>[] | undefined;
  /** Undefined: not counted, or not yet. */
  readonly counted: readonly Facet[] | undefined;
}

/** All values that can be chosen. Known ones keep their order, so that they do not move when they have been counted. */
export function optionsOf(search: Search, name: string, { known = [], counted }: Choosable): readonly Option[] {
  const chosen = valuesIn(search, name);
  const counts = new Map((counted ?? []).map(({ value, count }) => [value, count]));
  // With fewer values than were asked for, all values are counted.
  const rest = counted !== undefined && counted.length < MOST_COUNTED ? 0 : undefined;
  const named = new Map<string, string>(known.map(({ value, label }) => [value, label]));
  for (const { value, label } of counted ?? []) if (!named.has(value)) named.set(value, label ?? value);
  for (const value of chosen) if (!named.has(value)) named.set(value, value);
  return [...named].map(([value, label]) => ({
    ...{ value, label },
    count: counts.get(value) ?? rest,
    isChosen: chosen.includes(value),
  }));
}

/** The options that contain the typed text. */
export function optionsWith(options: readonly Option[], typed: string): readonly Option[] {
  const text = typed.trim().toLowerCase();
  return options.filter(({ value, label }) => [value, label].some((each) => each.toLowerCase().includes(text)));
}

/**
 * The change of the parameters that adds values to a filter. A filter with a single value gets the new one instead. The opposite filter
 * loses these values, because no event would match both.
 */
export function withValues(search: Search, name: string, value: string): Search {
  const opposite = turnedRound(name);
  if (!isList(name)) {
    const isOpposed = opposite !== undefined && search[opposite] === value;
    return { [name]: value, ...(isOpposed ? { [opposite]: undefined } : {}) };
  }
  const added = value.split(',');
  const kept = [...new Set([...valuesIn(search, name), ...added])].join(',');
  if (opposite === undefined) return { [name]: kept };
  const opposed = valuesIn(search, opposite);
  const left = opposed.filter((each) => !added.includes(each));
  return {
    [name]: kept,
    ...(left.length === opposed.length ? {} : { [opposite]: left.length === 0 ? undefined : left.join(',') }),
  };
}

/** The change of the parameters that removes one value of a filter; without values, the filter is removed. */
export function withoutValue(search: Search, name: string, value: string): Search {
  const left = valuesIn(search, name).filter((each) => each !== value);
  return { [name]: left.length === 0 ? undefined : left.join(',') };
}
