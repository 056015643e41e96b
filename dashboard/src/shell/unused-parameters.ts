/** Parameters of a link that have no effect on its page: they are reported, never ignored without a notice. */
import { isRange } from './ranges.ts';
import type { Search } from './view.ts';

export interface Unused {
  readonly name: string;
  /** Why the parameter, or all but one of its values, has no effect. */
  readonly reason: 'repeated' | 'no start' | 'unknown range';
}

/**
 * @param search the parameters that the page uses
 * @param written the query string of the address
 */
export function unusedOf(search: Search, written: string): readonly Unused[] {
  const names = [...new URLSearchParams(written).keys()];
  const repeated = [...new Set(names.filter((name, at) => names.indexOf(name) !== at))];
  const { from, to, range } = search;
  return [
    ...repeated.map((name): Unused => ({ name, reason: 'repeated' })),
    ...(from === undefined && to !== undefined ? [{ name: 'to', reason: 'no start' } as const] : []),
    ...(range !== undefined && !isRange(range) ? [{ name: 'range', reason: 'unknown range' } as const] : []),
  ];
}
