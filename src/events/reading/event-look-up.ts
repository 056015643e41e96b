/**
 * Looks up events one by one, each in the partition of its id. For a list of ids in any other form, PostgreSQL searches all of them in
 * every partition, or reads partitions completely. `OFFSET 0` prevents that.
 */
import { firstEventIdAt, timeOfEventId } from '../event-id.js';
import { ID_SKEW_MS, type Conditions } from './event-filters.js';
import { ANSWERED_WITHIN_MS } from './event-indexes.js';

/** A FROM clause of the events with these ids, under the alias. */
export function eventsById(where: Conditions, accountId: string, ids: readonly string[], alias: string): string {
  const account = where.parameter(accountId);
  return `unnest(${where.parameter(ids)}::text[]::uuid[]) AS w_${alias} (id)
    CROSS JOIN LATERAL (SELECT f.* FROM events f WHERE f.account_id = ${account}::uuid AND f.id = w_${alias}.id OFFSET 0) ${alias}`;
}

/** Bounds for the ids of each call's events, as parameters of `unnest`. */
function boundsOf(where: Conditions, ids: readonly string[]): string {
  const bound = (ms: number): string =>
    where.parameter(ids.map((id) => firstEventIdAt(timeOfEventId(id) + ms))) + '::text[]::uuid[]';
  return `${bound(-ID_SKEW_MS)}, ${bound(ANSWERED_WITHIN_MS)}`;
}

/**
 * A FROM clause of the first events of these calls, under the alias `r`; the account is the first parameter.
 *
 * @returns also `near`: the condition that the id of an alias is within the bounds of the call
 */
export function callsById(where: Conditions, accountId: string, ids: readonly string[]) {
  const account = where.parameter(accountId);
  return {
    from: `unnest(${where.parameter(ids)}::text[]::uuid[], ${boundsOf(where, ids)}) AS w_r (id, early, late)
    CROSS JOIN LATERAL (SELECT f.* FROM events f WHERE f.account_id = ${account}::uuid AND f.id = w_r.id OFFSET 0) r`,
    near: (alias: string): string => `${alias}.id >= w_r.early AND ${alias}.id < w_r.late`,
  };
}

/** A FROM clause of the later events of each of these calls, under the alias. */
export function answersOf(where: Conditions, accountId: string, ids: readonly string[], alias: string): string {
  const bounds = boundsOf(where, ids);
  const account = where.parameter(accountId);
  const w = `w_${alias}`;
  return `unnest(${where.parameter(ids)}::text[]::uuid[], ${bounds}) AS ${w} (id, early, late)
    CROSS JOIN LATERAL (SELECT f.* FROM events f WHERE f.account_id = ${account}::uuid AND f.call_id = ${w}.id
      AND f.call_id <> f.id AND f.id >= ${w}.early AND f.id < ${w}.late OFFSET 0) ${alias}`;
}
