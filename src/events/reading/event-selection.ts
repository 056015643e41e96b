/** The selection of events or calls for a listing, as the FROM and WHERE of a query that pages along one id. */
import { firstEventIdAt, timeOfEventId } from '../event-id.js';
import {
  absent,
  accountConditions,
  addIdRange,
  addTimeRange,
  filterConditions,
  ID_SKEW_MS,
  judgedTerms,
  markTerms,
  plainTerms,
  type Conditions,
  type EventFilters,
  type EventTerms,
} from './event-filters.js';
import { addIndexed, ANSWERED_WITHIN_MS, JUDGED, judgedFilterOf } from './event-indexes.js';
import { addWindow, type Direction, type EventWindow } from './event-windows.js';

export interface Selection {
  readonly from: string;
  readonly where: Conditions;
  /** The id by which pages are ordered. */
  readonly at: string;
  /** The alias of the event to show: for a call, its first one. */
  readonly shown: 'e' | 'r';
  /** Condition that an alias is near the window, so that PostgreSQL does not search the whole log for it. */
  readonly near: (alias: string) => string;
}

const WHOLE: EventWindow = { after: undefined, upTo: undefined };

export const directionOf = ({ order }: EventFilters): Direction => (order === 'asc' ? 'asc' : 'desc');

/** The selection of all filters except `text` in a window of the log. */
export function selectionOf(filters: EventFilters, window: EventWindow = WHOLE): Selection {
  if (filters.view === 'calls') return callsOf(filters, window);
  const where = filterConditions(filters);
  addIndexed(where, filters, 'e');
  addWindow(where, 'e.id', window, directionOf(filters));
  return { from: 'events e', where, at: 'e.id', shown: 'e', near: () => 'true' };
}

/** Condition on the alias: it is an event of the call whose first event has the id `call`. */
export const ofCall = (alias: string, call: string): string =>
  `${alias}.account_id = r.account_id AND (${alias}.id = ${call} OR (${alias}.call_id = ${call} AND ${alias}.call_id <> ${alias}.id))`;

/** The later events of the call that the event `of` belongs to. */
const laterThan = (alias: string, of: string): string =>
  `${alias}.account_id = ${of}.account_id AND ${alias}.call_id = ${of}.call_id AND ${alias}.call_id <> ${alias}.id AND ${alias}.id > ${of}.id`;

/** The outcome of a call: that of its last event. */
export const finalOutcome = ({ near }: Pick<Selection, 'near'>): string =>
  `coalesce((SELECT l.call_outcome FROM events l WHERE ${laterThan('l', 'r')} AND ${near('l')} ORDER BY l.id DESC LIMIT 1), r.call_outcome)`;

/**
 * `OFFSET 0`, here and in `EXISTS`, makes PostgreSQL look up the row by its id for each `e`. Otherwise it may read all of `r`, since it
 * does not know how few rows the filters leave.
 */
const FIRST_OF_E = 'SELECT f.* FROM events f WHERE f.account_id = e.account_id AND f.id = e.call_id OFFSET 0';

/**
 * The selection of calls: `r` is the first event of each. A filter that any event of a call may match is searched with an index over
 * all events (`e`), and pages follow the newest matching event; without such a filter, they follow the first event.
 */
function callsOf(filters: EventFilters, window: EventWindow): Selection {
  const where = accountConditions(filters.manager, 'r');
  const near = nearWindow(where, window, directionOf(filters));
  const somewhere = (term: string): string =>
    `EXISTS (SELECT 1 FROM events p WHERE ${ofCall('p', 'r.id')} AND ${near('p')} AND ${term} OFFSET 0)`;
  where.addTerms(plainTerms(where, filters, 'r'));
  where.addTerms(markTerms(where, filters, 'r.id', 'call_id'));
  if (filters.requestId !== undefined) where.add('r.request_id = ?', filters.requestId);
  if (filters.call !== undefined) where.add('r.id = ANY (?::text[]::uuid[])', [...filters.call]);
  addTimeRange(where, filters, 'r');
  const { not = {} } = filters;
  where.addTerms(plainTerms(where, not, 'r').map(absent));
  const { outcome: notOutcome, ...notJudged } = not;
  if (notOutcome !== undefined) where.add(`${finalOutcome({ near })} <> ALL (?::text[])`, [notOutcome].flat());
  for (const term of judgedTerms(where, notJudged, 'p', 'call_outcome')) where.addTerms([`NOT ${somewhere(term)}`]);
  const first = judgedFilterOf(filters);
  for (const name of JUDGED.filter((each) => each !== first && filters[each] !== undefined)) {
    where.addTerms([somewhere(judgedTerms(where, only(filters, name), 'p', 'call_outcome')[0]!)]);
  }
  if (first === undefined) {
    where.addTerms(['r.call_id = r.id']);
    addWindow(where, 'r.id', window, directionOf(filters));
    return { from: 'events r', where, at: 'r.id', shown: 'r', near };
  }
  const said = (alias: string): string => judgedTerms(where, only(filters, first), alias, 'call_outcome')[0]!;
  // For outcomes, only the last event counts; for the other filters, any event does.
  const isNewest = `NOT EXISTS (SELECT 1 FROM events l WHERE ${laterThan('l', 'e')} AND ${near('l')}${first === 'outcome' ? '' : ` AND ${said('l')}`} OFFSET 0)`;
  where.addTerms([said('e'), isNewest]);
  where.add('e.account_id = ?::uuid', filters.manager.accountId);
  addIdRange(where, { from: filters.from, to: filters.to }, 'e', ANSWERED_WITHIN_MS);
  addIndexed(where, filters, 'e');
  addWindow(where, 'e.id', window, directionOf(filters));
  return { from: `events e CROSS JOIN LATERAL (${FIRST_OF_E}) r`, where, at: 'e.id', shown: 'r', near };
}

/** The events of a call are created within about a day of each other. So if one of them is in the window, the others are near it. */
function nearWindow(where: Conditions, { after, upTo }: EventWindow, direction: Direction): Selection['near'] {
  const [low, high] = direction === 'asc' ? [after, upTo] : [upTo, after];
  const apartMs = ANSWERED_WITHIN_MS + ID_SKEW_MS;
  const bound = (sign: string, id: string | undefined, ms: number): string[] =>
    id === undefined ? [] : [`id ${sign} ${where.parameter(firstEventIdAt(timeOfEventId(id) + ms))}::uuid`];
  let bounds: readonly string[] | undefined;
  return (alias) => {
    bounds ??= [...bound('>=', low, -apartMs), ...bound('<', high, apartMs)];
    return bounds.length === 0 ? 'true' : bounds.map((term) => `${alias}.${term}`).join(' AND ');
  };
}

function only(filters: EventFilters, name: keyof EventFilters): EventTerms {
  return { [name]: filters[name] };
}
