/** The filters of a followed list of calls: those that the stream applies to each event, and those that the page applies to whole calls. */
import type { FollowedCall } from './live-rows.ts';
import { hasValue } from './metadata-leaves.ts';
import type { ListedEvent } from './use-events.ts';

type Filters = Readonly<Record<string, string>>;
type Matches = (event: ListedEvent) => boolean;

const NOT = 'not.';
const METADATA = 'metadata.';

/**
 * Filters by values that all events of a call have in common: only these are the same for an event and for its call. An answer that an
 * application submits has a model, a provider, a session, a key and metadata of its own, or none.
 */
const COMMON = new Set(['app', 'not.app', 'request_id', 'call']);

/** Outcomes of calls that end with the event that has them. */
const LAST = new Set(['unavailable', 'blocked']);

/**
 * The filters of the stream for a list of calls. The service applies them to each event, and an event that it leaves out is missing in its
 * call: without its answer, a call would be shown with the outcome of its request, and without cost. So the page applies all others.
 */
export function filtersOfStream(filters: Filters): Filters {
  const { outcome, ...others } = filters;
  const common = Object.entries(others).filter(([name]) => COMMON.has(name));
  const wanted = outcome?.split(',') ?? [];
  // No event of a call follows one with these outcomes, and no later event changes them.
  const isLast = wanted.includes('blocked') && wanted.every((each) => LAST.has(each));
  const isAll = common.length === Object.keys(others).length;
  return { ...Object.fromEntries(common), ...(outcome !== undefined && isLast && isAll ? { outcome } : {}) };
}

/** Values of the first event of a call, which the service compares with these filters. */
const OF_FIRST: Readonly<Record<string, (event: ListedEvent) => string | null>> = {
  type: ({ type }) => type,
  model: ({ model }) => model,
  provider: ({ provider }) => provider,
  session: ({ session_id: session }) => session,
  key: ({ key_id: key }) => key,
};

/** Filters by values that any event of a call may have. */
const OF_ANY: Readonly<Record<string, (event: ListedEvent, value: string) => boolean>> = {
  rule: ({ violations }, value) => violations.some(({ rule }) => isOneOf(value, rule)),
  exception: ({ excepted }, value) => excepted.some(({ exception }) => isOneOf(value, exception)),
  decision: ({ decision }, value) => isOneOf(value, decision),
  min_cost_usd: ({ cost_nano_usd: cost }, value) => cost !== null && Number(cost) >= Math.round(Number(value) * 1e9),
  min_weir_ms: ({ latency_ms: { weir } }, value) => weir !== null && weir >= Number(value),
};

const isOneOf = (list: string, value: string | null | undefined): boolean =>
  typeof value === 'string' && list.split(',').includes(value);

function matchOfFirst(name: string, value: string): Matches | undefined {
  if (name.startsWith(METADATA)) return ({ metadata }) => hasValue(metadata, name.slice(METADATA.length), value);
  const read = Object.hasOwn(OF_FIRST, name) ? OF_FIRST[name] : undefined;
  if (read === undefined) return undefined;
  // A session id may contain commas.
  return (event) => (name === 'session' ? read(event) === value : isOneOf(value, read(event)));
}

/**
 * Whether a call belongs to the list, as the service decides it: by the values of its first event, by what was decided about any of its
 * events, and by its final outcome. A call that the service listed matches already; only its later events may exclude it again.
 */
export function selectionOf(filters: Filters): (call: FollowedCall) => boolean {
  const terms = Object.entries(filters).flatMap(([name, value]) => termOf(name, value) ?? []);
  return (call) => terms.every((term) => term(call));
}

function termOf(name: string, value: string): ((call: FollowedCall) => boolean) | undefined {
  const isNegated = name.startsWith(NOT);
  const plain = isNegated ? name.slice(NOT.length) : name;
  if (plain === 'outcome') return ({ row }) => isOneOf(value, row.outcome) !== isNegated;
  // A new call has no marks.
  if (plain === 'mark') return ({ isListed }) => isListed || isOneOf(value, 'none');
  const first = matchOfFirst(plain, value);
  if (first !== undefined) return ({ row, isListed }) => isListed || first(row) !== isNegated;
  const any = Object.hasOwn(OF_ANY, plain) ? OF_ANY[plain] : undefined;
  if (any === undefined) return undefined;
  const isFound = ({ arrived }: FollowedCall): boolean => arrived.some((event) => any(event, value));
  return isNegated ? (call) => !isFound(call) : (call) => call.isListed || isFound(call);
}
