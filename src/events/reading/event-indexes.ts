/** The index of the log for a filter; row-level security excludes most kinds of indexes. */
import { storable } from '../search-index.js';
import { listOf, type Conditions, type EventFilters } from './event-filters.js';

/** Answers that arrive later than this after their request are separate calls. */
export const ANSWERED_WITHIN_MS = 25 * 3_600_000;

/** Filters on any event of a call; pages follow the index of the first one that is used. */
export const JUDGED = ['outcome', 'rule', 'exception', 'decision', 'minCostUsd', 'minWeirMs'] as const;

/**
 * The filter by which one event of a call is searched; undefined: the search follows the first events of
 * calls.
 */
export function judgedFilterOf(filters: EventFilters): (typeof JUDGED)[number] | undefined {
  return JUDGED.find((name) => filters[name] !== undefined);
}

/**
 * Adds a condition that follows from the filters and that an index answers in the order of ids.
 *
 * @param alias `e`: events, or those by which calls are searched; `r`: the first events of calls
 * @returns whether a condition was added
 */
export function addIndexed(where: Conditions, filters: EventFilters, alias: 'e' | 'r'): boolean {
  const { requestId, sessionId } = filters;
  const isCalls = filters.view === 'calls';
  const ofCalls = isCalls && alias === 'e';
  if (!ofCalls && requestId !== undefined) where.add(`${alias}.request_id = ?`, storable(requestId));
  else if (!ofCalls && sessionId !== undefined) where.add(`${alias}.session_id = ?`, storable(sessionId));
  else return alias === 'e' && addJudged(where, filters, isCalls ? judgedFilterOf(filters) : undefined);
  return true;
}

/** @param sought for calls: the filter by which one of their events is searched */
function addJudged(where: Conditions, filters: EventFilters, sought: ReturnType<typeof judgedFilterOf>): boolean {
  const isAny = sought === undefined;
  const outcome = single(filters.outcome);
  const decision = (isAny || sought === 'decision' ? single(filters.decision) : undefined) ?? 'allow';
  if (sought === 'outcome' && outcome !== undefined && outcome !== 'allowed') where.add('e.call_outcome = ?', outcome);
  else if (decision !== 'allow') where.add('e.decision = ?', decision);
  else if (isAny && (outcome === 'blocked' || outcome === 'unavailable')) where.add('e.decision = ?', 'block');
  else if (isAny && outcome === 'redacted') where.add('e.decision = ?', 'redact');
  else if (isAny ? filters.rule !== undefined || isOfRules(outcome) : sought === 'rule') {
    where.addTerms(['e.rules IS NOT NULL']);
  } else return false;
  return true;
}

const isOfRules = (outcome: string | undefined): boolean => outcome === 'flagged' || outcome === 'would_block';

function single<T extends string>(value: T | readonly T[] | undefined): T | undefined {
  if (value === undefined) return undefined;
  const [first, ...rest] = listOf(value);
  return rest.length === 0 ? first : undefined;
}
