/** Links from a call to lists of calls like it. */
import type { CallEvent } from '../api/types.ts';
import type { Search } from '../shell/view.ts';
import { searchOfCall } from './neighbours.ts';

/** The relative ranges, in seconds, from the shortest to the longest. */
type Ranges = Readonly<Record<string, number>>;

const USUAL_RANGE = '24h';
/** The beginning of a relative range moves on until the list is loaded and read, and the first event of a call is older than its answer. */
const MARGIN_MS = 300_000;

/**
 * The parameters of such a link. The list must contain the call itself, so it is in the call's environment, and its range is a wider one
 * if the call is older: the address of a call that was pasted has neither.
 */
export const searchLike =
  (event: Pick<CallEvent, 'environment' | 'received_at'>, change: Search, ranges: Ranges, nowMs = Date.now()) =>
  (before: Search): Search => ({
    ...searchOfCall(undefined)(before),
    env: before['env'] === 'all' ? 'all' : event.environment,
    ...timesWith(Date.parse(event.received_at), before, ranges, nowMs),
    ...change,
  });

/** The shown range if it contains the moment, otherwise the shortest usual one that does. */
function timesWith(atMs: number, { range, from, to }: Search, ranges: Ranges, nowMs: number): Search {
  const isIn = (name: string): boolean => atMs >= nowMs - (ranges[name] ?? 0) * 1000 + MARGIN_MS;
  const shown = range !== undefined && Object.hasOwn(ranges, range) ? range : USUAL_RANGE;
  const isShown =
    from === undefined ? isIn(shown) : Date.parse(from) <= atMs && (to === undefined || atMs < Date.parse(to));
  if (isShown) return { range, from, to };
  const wide = Object.keys(ranges).find((name) => (ranges[name] ?? 0) >= (ranges[USUAL_RANGE] ?? 0) && isIn(name));
  if (wide !== undefined) return { range: wide === USUAL_RANGE ? undefined : wide, from: undefined, to: undefined };
  // The call may have begun before the event.
  return { range: undefined, from: new Date(atMs - MARGIN_MS).toISOString(), to: undefined };
}
