/** Finds a person's events in the log, in steps along the ids, so that no step takes long in a log of any size. */
import type { SqlExecutor, SqlParameter, SqlRow } from '../database/index.js';
import { metadataTerm, storable } from '../events/index.js';
import { metadataMatches, type Selector } from './selector.js';

/** Maximum number of events that one step reads, and of bytes of their bodies as stored (compressed), unless a single body is larger. */
const EVENTS_AT_ONCE = 1_000;
const BYTES_AT_ONCE = 8 * 1024 * 1024;

export interface FoundEvent extends SqlRow {
  readonly id: string;
  /** Id of the first event of its call. */
  readonly call_id: string | null;
  readonly parent_id: string | null;
  readonly event_id: string;
  readonly app_id: string;
  readonly environment: string;
  readonly session_id: string | null;
  readonly violations: string;
  readonly has_payload: boolean;
  readonly has_metadata: boolean;
  /** Whether the event's call is still open: it has not ended, and may still end. */
  readonly open: boolean;
}

export interface Search {
  readonly accountId: string;
  readonly erasureId: string;
  readonly selector: Selector;
  /** The end of the session's id if it was masked. */
  readonly maskedSession: string | undefined;
  /** Whether events are only counted: then none is marked as emptied by this erasure. */
  readonly dryRun: boolean;
  /** The maximum time from a call's request until its end is stored. */
  readonly longestCallMs: number;
}

export interface Step {
  readonly events: readonly FoundEvent[];
  /** The last id that was read; null if there was none before the end. */
  readonly last: string | null;
}

const FIELDS = `e.id::text AS id, e.call_id::text AS call_id, e.parent_id::text AS parent_id, e.event_id,
  e.app_id::text AS app_id, e.environment, e.session_id, e.violations::text AS violations,
  (e.payload IS NOT NULL) AS has_payload, (e.metadata IS NOT NULL) AS has_metadata`;

/** Finds the person's events among the next events after `from`, as many as one step reads. @throws DatabaseError | DatabaseUnavailable */
export async function findEvents(sql: SqlExecutor, search: Search, from: string, until: string): Promise<Step> {
  const { accountId } = search;
  const [end] = await sql.query<{ last: string }>(
    `SELECT s.id::text AS last FROM (
       SELECT w.id, sum(w.bytes) OVER (ORDER BY w.id) - w.bytes AS before FROM (
         SELECT id, coalesce(pg_column_size(payload), 0) AS bytes FROM events
         WHERE account_id = $1::uuid AND id > $2::uuid AND id < $3::uuid ORDER BY id LIMIT ${EVENTS_AT_ONCE}) w) s
     WHERE s.before < ${BYTES_AT_ONCE} ORDER BY s.id DESC LIMIT 1`,
    [accountId, from, until],
  );
  if (end === undefined) return { events: [], last: null };
  const parameters: SqlParameter[] = [accountId, from, end.last, search.erasureId, search.longestCallMs / 1000];
  const own = conditions(search.selector, search.maskedSession, parameters);
  const reach = reachOf(search.selector, parameters);
  const related = search.dryRun
    ? `($4::text IS NOT NULL AND ${selectedWith(own, 'p')})`
    : 'p.erased_by = $4::text::uuid';
  const candidates = await sql.query<FoundEvent & { metadata: string | null; related: boolean; sure: boolean }>(
    `SELECT ${FIELDS}, ${openCall('e')} AS open, c.metadata, c.related, c.sure
     FROM (
       SELECT e.id, e.metadata::text AS metadata, ${sure(search.selector, 'e', parameters)} AS sure,
         ${aboveIs(related, 'e', 'p')} AS related,
         ${own('e')} AS own
       FROM events e
       WHERE e.account_id = $1::uuid AND e.id > $2::uuid AND e.id <= $3::uuid AND e.erased_by IS NULL AND ${reach('e')}
       OFFSET 0) c
     JOIN events e ON e.account_id = $1::uuid AND e.id = c.id
     WHERE c.own OR c.related ORDER BY e.id`,
    parameters,
  );
  const { metadata } = search.selector;
  const events = candidates.filter((event) => event.related || event.sure || metadataMatches(event.metadata, metadata));
  return { events, last: end.last };
}

/** Finds the events of the log that belong to emptied events of the archive. @throws DatabaseError | DatabaseUnavailable */
export function findCaused(
  sql: SqlExecutor,
  { accountId }: Search,
  ids: readonly string[],
  [from, until]: readonly [string, string],
): Promise<FoundEvent[]> {
  return sql.query<FoundEvent>(
    `SELECT ${FIELDS}, false AS open FROM events e
     WHERE e.account_id = $1::uuid AND e.erased_by IS NULL AND e.id > $3::uuid AND e.id < $4::uuid
       AND (e.call_id = ANY ($2::text[]::uuid[]) OR e.parent_id = ANY ($2::text[]::uuid[])) ORDER BY e.id`,
    [accountId, ids, from, until],
  );
}

/** Finds the requests between two ids to which emptied events belong. @throws DatabaseError | DatabaseUnavailable */
export function findBeginningsOfEmptied(
  sql: SqlExecutor,
  { accountId, erasureId }: Search,
  firstId: string,
  lastId: string,
): Promise<FoundEvent[]> {
  return sql.query<FoundEvent>(
    `SELECT ${FIELDS}, false AS open FROM events e
     WHERE e.account_id = $1::uuid AND e.id >= $2::uuid AND e.id <= $3::uuid AND e.erased_by IS NULL
       AND EXISTS (SELECT 1 FROM events c WHERE c.account_id = e.account_id AND c.erased_by = $4::uuid
         AND e.id IN (c.call_id, c.parent_id) AND c.id <> e.id) ORDER BY e.id`,
    [accountId, firstId, lastId, erasureId],
  );
}

/**
 * Finds the first and parent events of the found events, if they are not among these already.
 * @throws DatabaseError | DatabaseUnavailable
 */
export async function findBeginnings(sql: SqlExecutor, search: Search, found: readonly FoundEvent[]) {
  const known = new Set(found.map(({ id }) => id));
  const wanted = found.flatMap(({ call_id: call, parent_id: parent }) => [call, parent]).filter((id) => id !== null);
  const ids = [...new Set(wanted)].filter((id) => !known.has(id));
  if (ids.length === 0) return [];
  return sql.query<FoundEvent>(
    `SELECT ${FIELDS}, ${openCall('e').replaceAll('$5', '$3')} AS open FROM events e
     WHERE e.account_id = $1::uuid AND e.id = ANY ($2::text[]::uuid[]) AND e.erased_by IS NULL ORDER BY e.id`,
    [search.accountId, ids, search.longestCallMs / 1000],
  );
}

/**
 * Condition for a request whose end is pending, or for which an amount is reserved: if it were emptied, the end could no longer be matched
 * to it.
 */
function openCall(alias: string): string {
  return `(${alias}.type = 'ai.request' AND ${alias}.received_at > now() - make_interval(secs => $5::double precision) AND (
    (${alias}.source <> 'rest' AND ${alias}.decision IS DISTINCT FROM 'block' AND NOT EXISTS (
      SELECT 1 FROM events x WHERE x.account_id = $1::uuid AND x.call_id = ${alias}.id AND x.call_id <> x.id))
    OR EXISTS (SELECT 1 FROM budget_reservations b WHERE b.account_id = $1::uuid AND b.id = ${alias}.id AND b.resolved_at IS NULL)))`;
}

/** Conditions on app and environment, which limit all searches. */
function reachOf({ app, environment }: Selector, parameters: SqlParameter[]): (alias: string) => string {
  const terms: ((alias: string) => string)[] = [];
  if (app !== undefined) {
    const place = parameters.push(app);
    terms.push((alias) => `${alias}.app_id = $${place}::uuid`);
  }
  if (environment !== undefined) {
    const place = parameters.push(environment);
    terms.push((alias) => `${alias}.environment = $${place}`);
  }
  return (alias) => ['true', ...terms.map((term) => term(alias))].join(' AND ');
}

/** Conditions for candidates: metadata beyond the limits of its index is checked afterwards. */
function conditions(
  { metadata, session, token }: Selector,
  maskedSession: string | undefined,
  parameters: SqlParameter[],
): (alias: string) => string {
  const terms = Object.entries(metadata).map(([path, value]) => {
    const [index, text] = [parameters.push(metadataTerm(path, value)), parameters.push(inJson(value))];
    return (e: string) =>
      `(${e}.metadata_index @> $${index}::jsonb OR position($${text}::text IN ${e}.metadata::text) > 0
        OR position('\\u' IN ${e}.metadata::text) > 0)`;
  });
  if (session !== undefined) {
    const [plain, end] = [parameters.push(storable(session)), parameters.push(maskedSession ?? '')];
    terms.push(
      (e) =>
        `(${e}.session_id = $${plain} OR right(${e}.session_id, greatest(length($${end}::text), 1)) = $${end}::text)`,
    );
  }
  if (token !== undefined) {
    const place = parameters.push(token);
    const has = (column: string): string => `position($${place}::text IN ${column}) > 0`;
    const columns = ['payload::text', 'metadata::text', 'excerpt', 'session_id', 'request_id', 'event_id'];
    terms.push((e) => `(${columns.map((column) => has(`coalesce(${e}.${column}, '')`)).join(' OR ')})`);
  }
  return (alias) => `coalesce(${terms.map((term) => term(alias)).join(' AND ')}, false)`;
}

/**
 * Condition that an event is selected, by itself or by an event to which it belongs, as in a dry run.
 *
 * @param parameters of the statement: the first one is the account; others are added
 */
export function selectedBy(
  { selector, maskedSession }: Pick<Search, 'selector' | 'maskedSession'>,
  parameters: SqlParameter[],
): (alias: string) => string {
  const own = conditions(selector, maskedSession, parameters);
  return (alias) => `(${own(alias)} OR ${aboveIs(selectedWith(own, 'p'), alias, 'p')})`;
}

/** Condition that an event matches, or one directly above it: a violation in an answer belongs to the answer, and that to its request. */
function selectedWith(own: (alias: string) => string, alias: string): string {
  const above = `${alias}_above`;
  return `(${own(alias)} OR ${aboveIs(own(above), alias, above)})`;
}

/** Condition on the parent of an event or the first event of its call. */
function aboveIs(condition: string, alias: string, above: string): string {
  return `EXISTS (SELECT 1 FROM events ${above} WHERE ${above}.account_id = $1::uuid
    AND ${above}.id = ANY (ARRAY[${alias}.parent_id, ${alias}.call_id]) AND ${above}.id <> ${alias}.id AND ${condition})`;
}

/** Condition that the index contains all wanted metadata, which then need not be read. */
function sure({ metadata }: Selector, alias: string, parameters: SqlParameter[]): string {
  const terms = Object.entries(metadata).map(([path, value]) => {
    const place = parameters.push(metadataTerm(path, value));
    return `coalesce(${alias}.metadata_index @> $${place}::jsonb, false)`;
  });
  return ['true', ...terms].join(' AND ');
}

/** A value as written in JSON, without its quotes. */
function inJson(value: string): string {
  return JSON.stringify(storable(value)).slice(1, -1);
}
