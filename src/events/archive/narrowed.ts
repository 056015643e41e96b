/** The filters that DuckDB applies to parts before the database does: they never exclude an event that matches. */
import { firstEventIdAt, isUuid } from '../event-id.js';
import { ID_SKEW_MS, listOf, type EventFilters } from '../reading/event-filters.js';
import { storable } from '../search-index.js';
import { literal } from './duckdb.js';

/** Text that every writer of JSON leaves unescaped. */
const PLAIN = /^[\w .@:/-]{1,64}$/;

type Texts = string | readonly string[] | undefined;

/** A condition on the columns of a part, all of them texts. */
export function narrowed(filters: EventFilters): string {
  const { manager, from, to } = filters;
  const apps = filters.app === undefined ? [] : listOf(filters.app);
  const terms = [
    `account_id = ${literal(manager.accountId)}`,
    equal('environment', manager.environment),
    equal('environment', filters.environment),
    equal('type', filters.type),
    equal('session_id', filters.sessionId),
    equal('model', filters.model),
    equal('provider', filters.provider),
    equal('key_id', filters.key),
    equal('decision', filters.decision),
    equal('outcome', filters.outcome),
    equal('request_id', filters.requestId),
    // Only the database knows the names of apps.
    apps.every(isUuid)
      ? equal('app_id', filters.app === undefined ? undefined : apps.map((id) => id.toLowerCase()))
      : undefined,
    containing('rules', filters.rule),
    containing('excepted', filters.exception),
    ...Object.values(filters.metadata ?? {}).map((value) => containing('metadata_index', value)),
    from === undefined ? undefined : `id >= ${literal(firstEventIdAt(from.getTime() - ID_SKEW_MS))}`,
    to === undefined ? undefined : `id < ${literal(firstEventIdAt(to.getTime() + ID_SKEW_MS))}`,
    callTerm(filters.call),
  ];
  return terms.filter((term) => term !== undefined).join(' AND ');
}

function equal(column: string, value: Texts): string | undefined {
  if (value === undefined) return undefined;
  const values = (typeof value === 'string' ? [value] : value).map(storable);
  return values.length === 0 ? 'false' : `${column} IN (${values.map(literal).join(', ')})`;
}

function containing(column: string, value: Texts): string | undefined {
  if (value === undefined) return undefined;
  const values = typeof value === 'string' ? [value] : value;
  if (!values.every((each) => PLAIN.test(each))) return undefined;
  return `(${values.map((each) => `contains(coalesce(${column}, ''), ${literal(each)})`).join(' OR ')})`;
}

function callTerm(ids: readonly string[] | undefined): string | undefined {
  if (ids === undefined) return undefined;
  const list = ids.map((id) => literal(id.toLowerCase())).join(', ');
  return ids.length === 0 ? 'false' : `(id IN (${list}) OR call_id IN (${list}))`;
}
