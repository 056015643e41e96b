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

const DAY_MS = 86_400_000;

/** The parameters of a link from "no calls in this range" to the last call: its environment, and a range that contains it. */
export const searchOfLast = (
  event: Pick<CallEvent, 'environment' | 'received_at'>,
  before: Search,
  ranges: Ranges,
  nowMs = Date.now(),
): Search => {
  const atMs = Date.parse(event.received_at);
  // No call follows it, so a range of its last day shows more of the calls before it than one that ends now.
  const day = { range: undefined, from: timeAt(atMs - DAY_MS), to: timeAt(atMs + MARGIN_MS) };
  return { env: event.environment, ...(usualTimesWith(atMs, before, ranges, nowMs) ?? day) };
};

const timeAt = (ms: number): string => new Date(ms).toISOString();

/** A range that contains the moment; the call may have begun before the event. */
const timesWith = (atMs: number, before: Search, ranges: Ranges, nowMs: number): Search =>
  usualTimesWith(atMs, before, ranges, nowMs) ?? { range: undefined, from: timeAt(atMs - MARGIN_MS), to: undefined };

/** The shown range if it contains the moment, otherwise the shortest usual one that does; undefined: none does. */
function usualTimesWith(atMs: number, { range, from, to }: Search, ranges: Ranges, nowMs: number): Search | undefined {
  const isIn = (name: string): boolean => atMs >= nowMs - (ranges[name] ?? 0) * 1000 + MARGIN_MS;
  const shown = range !== undefined && Object.hasOwn(ranges, range) ? range : USUAL_RANGE;
  const isShown =
    from === undefined ? isIn(shown) : Date.parse(from) <= atMs && (to === undefined || atMs < Date.parse(to));
  if (isShown) return { range, from, to };
  const wide = Object.keys(ranges).find((name) => (ranges[name] ?? 0) >= (ranges[USUAL_RANGE] ?? 0) && isIn(name));
  if (wide === undefined) return undefined;
  return { range: wide === USUAL_RANGE ? undefined : wide, from: undefined, to: undefined };
}
