/** Which events or calls a listing is about, as the FROM and WHERE of a query that pages along one id. */
import { firstEventIdAt } from '../event-id.js';
import {
  absent,
  accountConditions,
  addTimeRange,
  filterConditions,
  judgedTerms,
  markTerms,
  plainTerms,
  type Conditions,
  type EventFilters,
  type EventTerms,
} from './event-filters.js';

export interface Selection {
  readonly from: string;
  readonly where: Conditions;
  /** The id that pages go along. */
  readonly at: string;
  /** The id of the event that is shown: of a call the first. */
  readonly shown: string;
}

/** Answers that come later than this are calls of their own. */
const ANSWERED_WITHIN_MS = 25 * 3_600_000;

/** What the filters ask for; `text` is not among it. */
export function selectionOf(filters: EventFilters): Selection {
  if (filters.view === 'calls') return callsOf(filters);
  return { from: 'events e', where: filterConditions(filters), at: 'e.id', shown: 'e.id' };
}

/** Condition on the alias: it is an event of the call whose first event has the id `call`. */
export const ofCall = (alias: string, call: string): string =>
  `${alias}.account_id = r.account_id AND (${alias}.id = ${call} OR (${alias}.call_id = ${call} AND ${alias}.call_id <> ${alias}.id))`;

/** The later events of the call that the event `of` belongs to. */
const laterThan = (alias: string, of: string): string =>
  `${alias}.account_id = ${of}.account_id AND ${alias}.call_id = ${of}.call_id AND ${alias}.call_id <> ${alias}.id AND ${alias}.id > ${of}.id`;

/** What a call came to: what its last event says. */
export const FINAL_OUTCOME = `coalesce((SELECT l.call_outcome FROM events l WHERE ${laterThan('l', 'r')} ORDER BY l.id DESC LIMIT 1), r.call_outcome)`;

/**
 * Calls: `r` is the first event of each. What only some event of a call says is looked for among all of its events, by
 * the one (`e`) that an index finds; then pages go along the newest event that says it, else along the first.
 */
function callsOf(filters: EventFilters): Selection {
  const where = accountConditions(filters.manager, 'r');
  where.addTerms(plainTerms(where, filters, 'r'));
  where.addTerms(markTerms(where, filters, 'r.id', 'call_id'));
  if (filters.requestId !== undefined) where.add('r.request_id = ?', filters.requestId);
  addTimeRange(where, filters, 'r');
  const { not = {} } = filters;
  where.addTerms(plainTerms(where, not, 'r').map(absent));
  const { outcome: notOutcome, ...notJudged } = not;
  if (notOutcome !== undefined) where.add(`${FINAL_OUTCOME} <> ALL (?::text[])`, [notOutcome].flat());
  for (const term of judgedTerms(where, notJudged, 'p', 'call_outcome')) {
    where.addTerms([`NOT EXISTS (SELECT 1 FROM events p WHERE ${ofCall('p', 'r.id')} AND ${term})`]);
  }
  const asked = ['outcome', 'rule', 'decision', 'minCostUsd', 'minWeirMs'] as const;
  const [first, ...others] = asked.filter((name) => filters[name] !== undefined);
  for (const name of others) {
    const [term] = judgedTerms(where, only(filters, name), 'p', 'call_outcome');
    where.addTerms([`EXISTS (SELECT 1 FROM events p WHERE ${ofCall('p', 'r.id')} AND ${term})`]);
  }
  if (first === undefined) {
    where.addTerms(['r.call_id = r.id']);
    return { from: 'events r', where, at: 'r.id', shown: 'r.id' };
  }
  const said = (alias: string): string => judgedTerms(where, only(filters, first), alias, 'call_outcome')[0]!;
  // Of outcomes only the last counts; of all else any.
  const isNewest = `NOT EXISTS (SELECT 1 FROM events l WHERE ${laterThan('l', 'e')}${first === 'outcome' ? '' : ` AND ${said('l')}`})`;
  where.addTerms(['e.account_id = r.account_id', said('e'), isNewest]);
  where.add('e.account_id = ?::uuid', filters.manager.accountId);
  if (filters.from !== undefined) where.add('e.id >= ?::uuid', firstEventIdAt(filters.from.getTime() - 60_000));
  if (filters.to !== undefined) where.add('e.id < ?::uuid', firstEventIdAt(filters.to.getTime() + ANSWERED_WITHIN_MS));
  return { from: 'events e JOIN events r ON r.id = e.call_id', where, at: 'e.id', shown: 'r.id' };
}

function only(filters: EventFilters, name: keyof EventFilters): EventTerms {
  return { [name]: filters[name] } as EventTerms;
}
