/** The index along which the log is searched for the filters. */
import { addIdRange, Conditions, ID_SKEW_MS, listOf, type EventFilters } from './event-filters.js';
import { addIndexed, ANSWERED_WITHIN_MS, judgedFilterOf } from './event-indexes.js';
import type { Walk } from './event-windows.js';

/** Filters that exclude no event, or that the walk itself applies. */
const WALKED: ReadonlySet<string> = new Set([
  ...['manager', 'from', 'to', 'limit', 'order', 'view', 'fields', 'archive'],
  ...['requestId', 'sessionId'],
]);

/**
 * The walk: the most selective of the indexes that have the order of ids, else the account's primary key. Its conditions use only
 * comparisons that an index can answer under row-level security.
 */
export function walkOf(filters: EventFilters): Walk {
  const isCalls = filters.view === 'calls';
  const sought = isCalls ? judgedFilterOf(filters) : undefined;
  const alias = isCalls && sought === undefined ? 'r' : 'e';
  const where = new Conditions();
  where.add(`${alias}.account_id = ?::uuid`, filters.manager.accountId);
  const isSparse = addIndexed(where, filters, alias);
  const lateMs = sought === undefined ? ID_SKEW_MS : ANSWERED_WITHIN_MS;
  addIdRange(where, { from: filters.from, to: filters.to }, alias, lateMs);
  return { alias, where, isSparse, isExact: isOfMarked(filters) || (!isCalls && isExact(filters)) };
}

/** Whether only marked events are wanted: they are few, and looked up by their ids. */
function isOfMarked({ mark }: EventFilters): boolean {
  return mark !== undefined && !listOf(mark).includes('none');
}

function isExact(filters: EventFilters): boolean {
  const asked = Object.entries(filters).filter(([, value]) => value !== undefined);
  return (
    filters.manager.environment === undefined &&
    asked.every(([name]) => WALKED.has(name)) &&
    (filters.requestId === undefined || filters.sessionId === undefined)
  );
}
