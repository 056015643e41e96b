/** The rows of a list that is followed: those that the list has, and those that arrived since. */
import type { Search } from '../shell/view.ts';
import type { ListedEvent } from './use-events.ts';

/** Outcomes from the weakest to the strongest: a call has the strongest outcome of its events. */
const STRENGTH = ['allowed', 'flagged', 'would_block', 'redacted', 'error', 'unavailable', 'blocked'];
const ENDS = new Set(['ai.response', 'ai.error']);
const OF_CALLS = new Set([...ENDS, 'ai.request', 'agent.tool_call']);

/** The newest events that arrived, the newest first. */
export interface Ring {
  readonly rows: readonly ListedEvent[];
  /** The highest id of those that are no longer kept; undefined: all are kept. */
  readonly dropped: string | undefined;
}

export const EMPTY_RING: Ring = { rows: [], dropped: undefined };

/**
 * If there are more events than are kept, the oldest leave first. In the older half, events that no row needs leave before the others:
 * with filters, most of the events may be such.
 *
 * @param most the number of events to keep
 * @param neededOf the ids of the events that rows are made of
 */
export function ringWith(
  { rows, dropped }: Ring,
  added: readonly ListedEvent[],
  most: number,
  neededOf?: (events: readonly ListedEvent[]) => ReadonlySet<string>,
): Ring {
  const all = [...added, ...rows];
  const excess = all.length - most;
  if (excess <= 0) return { rows: all, dropped };
  const needed = neededOf?.(all);
  const idle = needed === undefined ? [] : all.slice(Math.ceil(most / 2)).filter(({ id }) => !needed.has(id));
  const left = new Set(idle.slice(-excess));
  const kept = all.filter((event) => !left.has(event));
  const highest = (one: string | undefined, { id }: ListedEvent): string => (one === undefined || id > one ? id : one);
  return { rows: kept.slice(0, most), dropped: kept.slice(most).reduce<string | undefined>(highest, dropped) };
}

/** Whether events between the kept ones and the list are missing: some that are not kept are newer than the list. */
export function isGapped({ dropped }: Pick<Ring, 'dropped'>, listed: readonly ListedEvent[]): boolean {
  return dropped !== undefined && listed.every(({ id }) => id < dropped);
}

/** Why new events cannot be shown with these filters; undefined: they can. */
export function liveHindrance({ q, to }: Search): string | undefined {
  if (q !== undefined) return 'New events cannot be searched for a text. Remove the text filter to see them live.';
  return to === undefined
    ? undefined
    : 'The time range has an end, so no new events are in it. Select a range up to now to see them live.';
}

/** The listed events and the new ones. An event that is in both appears as the list has it. */
export function rowsOfEvents(live: readonly ListedEvent[], listed: readonly ListedEvent[]): readonly ListedEvent[] {
  const known = new Set(listed.map(({ id }) => id));
  return inserted(
    live.filter(({ id }) => !known.has(id)),
    listed,
  );
}

/** A call of a followed list. */
export interface FollowedCall {
  /** As the list shows it, with all its events merged. */
  readonly row: ListedEvent;
  /** The events that arrived and are merged into the row. */
  readonly arrived: readonly ListedEvent[];
  /** The service listed the call, without the events that arrived. */
  readonly isListed: boolean;
}

/**
 * The listed calls and the new ones, by the id of their row: answers and errors are merged into the row of their request. A listed row that
 * has an end already contains all that the service knows. Answers whose request is in neither list have their own row.
 */
function callsOf(live: readonly ListedEvent[], listed: readonly ListedEvent[]): ReadonlyMap<string, FollowedCall> {
  const known = new Map<string, FollowedCall>();
  const byRequest = new Map<string, ListedEvent[]>();
  const begin = (row: ListedEvent, isListed: boolean): void => {
    known.set(row.id, { row, arrived: isListed ? [] : [row], isListed });
    const key = keyOf(row);
    if (key !== undefined) byRequest.set(key, [...(byRequest.get(key) ?? []), row]);
  };
  for (const row of listed) begin(row, true);
  const [ends, begun] = [[] as ListedEvent[], [] as ListedEvent[]];
  for (const event of live) if (OF_CALLS.has(event.type)) (ENDS.has(event.type) ? ends : begun).push(event);
  // The newest come first, but an end may arrive before its request, and a call may have several ends.
  for (const event of begun) if (!known.has(event.id)) begin(event, false);
  for (const end of ends.reverse()) {
    if (known.has(end.id)) continue;
    const first = callOf(end, byRequest);
    const call = first === undefined ? undefined : known.get(first.id);
    if (first === undefined || call === undefined) begin(end, false);
    else if (!call.isListed || !hasEnded(first))
      known.set(first.id, { ...call, row: withEnd(call.row, end), arrived: [...call.arrived, end] });
  }
  return known;
}

/** One row per call that is selected. */
export function rowsOfCalls(
  live: readonly ListedEvent[],
  listed: readonly ListedEvent[],
  isSelected: (call: FollowedCall) => boolean = () => true,
): readonly ListedEvent[] {
  const calls = callsOf(live, listed);
  const shown = [...calls.values()].filter(isSelected);
  const rows = new Map(shown.map(({ row }) => [row.id, row]));
  return inserted(
    shown.filter(({ isListed }) => !isListed).map(({ row }) => row),
    listed.flatMap(({ id }) => rows.get(id) ?? []),
  );
}

/** The ids of the events that arrived and belong to selected calls. */
export function eventsOfCalls(
  live: readonly ListedEvent[],
  listed: readonly ListedEvent[],
  isSelected: (call: FollowedCall) => boolean,
): ReadonlySet<string> {
  const selected = [...callsOf(live, listed).values()].filter(isSelected);
  return new Set(selected.flatMap(({ arrived }) => arrived.map(({ id }) => id)));
}

/** The call that an end belongs to: with the same request id, the newest that began before. */
function callOf(end: ListedEvent, calls: ReadonlyMap<string, readonly ListedEvent[]>): ListedEvent | undefined {
  const begun = (calls.get(keyOf(end) ?? '') ?? []).filter(({ id }) => id < end.id);
  return begun.sort((left, right) => (left.id < right.id ? 1 : -1))[0];
}

function keyOf({ app, environment, request_id: id }: ListedEvent): string | undefined {
  return id === null ? undefined : `${app.id} ${environment} ${id}`;
}

/** Only an answer or an error has a duration, a cost or a status of the provider. */
function hasEnded({ type, latency_ms: ms, usage, cost_nano_usd: cost, upstream_status: status }: ListedEvent): boolean {
  return ENDS.has(type) || [ms.total, usage, cost, status].some((each) => each !== null);
}

/** Merges an end into its call, as the service does for its lists. */
export function withEnd<T extends ListedEvent>(call: T, end: T): T {
  const isStronger = strengthOf(end) >= strengthOf(call);
  const { outcome, decision, reason } = isStronger ? end : call;
  return {
    ...call,
    ...{ outcome, decision, reason },
    violations: [...call.violations, ...end.violations],
    excepted: [...call.excepted, ...end.excepted],
    usage: usageOf(call.usage, end.usage),
    cost_nano_usd: sumOf(call.cost_nano_usd, end.cost_nano_usd),
    price_version: end.price_version ?? call.price_version,
    latency_ms: {
      total: end.latency_ms.total ?? call.latency_ms.total,
      provider: end.latency_ms.provider ?? call.latency_ms.provider,
      weir: end.latency_ms.weir ?? call.latency_ms.weir,
    },
    upstream_status: end.upstream_status ?? call.upstream_status,
  };
}

const strengthOf = ({ outcome }: ListedEvent): number => STRENGTH.indexOf(outcome ?? '');

type Usage = NonNullable<ListedEvent['usage']>;

/** Adds tokens as the service does in the list of calls (`src/events/reading/call-record.ts`), whose code a page cannot import. */
function usageOf(one: Usage | null, other: Usage | null): Usage | null {
  if (one === null || other === null) return one ?? other;
  const added = (name: Exclude<keyof Usage, 'other' | 'estimated'>): number | null =>
    one[name] === null ? other[name] : one[name] + (other[name] ?? 0);
  return {
    prompt_tokens: added('prompt_tokens'),
    completion_tokens: added('completion_tokens'),
    cache_read_tokens: added('cache_read_tokens'),
    cache_write_tokens: added('cache_write_tokens'),
    cache_write_1h_tokens: added('cache_write_1h_tokens'),
    reasoning_tokens: added('reasoning_tokens'),
    other: other.other ?? one.other,
    estimated: one.estimated || other.estimated,
  };
}

function sumOf(one: string | null, other: string | null): string | null {
  return one === null || other === null ? (one ?? other) : String(BigInt(one) + BigInt(other));
}

/** Inserts each new row before the first listed row that is older. Listed rows keep their order, which may not be that of their ids. */
function inserted(added: readonly ListedEvent[], listed: readonly ListedEvent[]): readonly ListedEvent[] {
  if (added.length === 0) return listed;
  const waiting = [...added].sort((left, right) => (left.id < right.id ? -1 : 1));
  const rows: ListedEvent[] = [];
  for (const row of listed) {
    for (let next = waiting.at(-1); next !== undefined && next.id > row.id; next = waiting.at(-1)) {
      rows.push(next);
      waiting.pop();
    }
    rows.push(row);
  }
  return [...rows, ...waiting.reverse()];
}
