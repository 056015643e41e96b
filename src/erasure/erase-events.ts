/** Empties events and related data: stored answers, sessions, notes, and the data of budgets about requests. */
import type { Violation } from '../core/index.js';
import type { SqlExecutor } from '../database/index.js';
import type { HoldsByEnvironment } from '../events/index.js';
import { countSessions, deleteEmptiedSessions } from './erase-sessions.js';
import type { FoundEvent, Search } from './find-events.js';
import { countOf, type Counts } from './places.js';

/** Pattern of the event ids that the service creates for end-of-call records; no client can send such an id. */
const OWN_ID = 'end~%';

export interface EmptiedEvents {
  readonly counts: Counts;
  /** Tables whose rows were changed. */
  readonly tables: readonly string[];
}

interface Whose {
  readonly accountId: string;
  readonly erasureId: string;
  /** Set if `events` contains archived events: the table of the log, in which the sessions may continue. */
  readonly log?: string;
}

/** Empties the events, and empties or deletes the data related to them. @throws DatabaseError | DatabaseUnavailable */
export async function eraseEvents(
  sql: SqlExecutor,
  { accountId, erasureId, log = 'events' }: Whose,
  events: readonly FoundEvent[],
): Promise<EmptiedEvents> {
  const ids = events.map(({ id }) => id);
  const answers = await deleteAnswers(sql, accountId, events);
  const partitions = await emptyEvents(sql, { accountId, erasureId }, events);
  const notes = await changed(
    sql,
    `UPDATE event_marks m SET note = NULL WHERE m.account_id = $1::uuid AND m.note IS NOT NULL
       AND (m.call_id = ANY ($2::text[]::uuid[]) OR m.event_id = ANY ($2::text[]::uuid[])) RETURNING 1 AS one`,
    [accountId, ids],
  );
  const reservations = await changed(
    sql,
    `UPDATE budget_reservations b SET request_id = NULL WHERE b.account_id = $1::uuid AND b.id = ANY ($2::text[]::uuid[])
       AND b.request_id IS NOT NULL RETURNING 1 AS one`,
    [accountId, ids],
  );
  const { sessions, states } = await deleteEmptiedSessions(sql, { accountId, log }, events);
  const counts = {
    ...eventCounts(events),
    remembered_answers: answers,
    ...{ mark_notes: notes, reservations, sessions, session_states: states },
  };
  const beside: Readonly<Record<string, number>> = {
    ...{ event_ids: answers, event_marks: notes, budget_reservations: reservations },
    ...{ session_rollups: sessions, session_histories: states },
  };
  return { counts, tables: [...partitions, ...Object.keys(beside).filter((table) => beside[table]! > 0)] };
}

/** Counts the data that would be emptied. Changes nothing. @throws DatabaseError | DatabaseUnavailable */
export async function countEvents(
  sql: SqlExecutor,
  search: Search & { readonly log?: string; readonly holds: HoldsByEnvironment },
  events: readonly FoundEvent[],
): Promise<Counts> {
  const { accountId } = search;
  const ids = events.map(({ id }) => id);
  const [answers] = await sql.query<{ n: number }>(
    `SELECT count(*)::integer AS n ${ANSWERS} AND i.event_id NOT LIKE '${OWN_ID}'`,
    answerKeys(accountId, events),
  );
  const [notes] = await sql.query<{ n: number }>(
    `SELECT count(*)::integer AS n FROM event_marks m WHERE m.account_id = $1::uuid AND m.note IS NOT NULL
       AND (m.call_id = ANY ($2::text[]::uuid[]) OR m.event_id = ANY ($2::text[]::uuid[]))`,
    [accountId, ids],
  );
  const [reservations] = await sql.query<{ n: number }>(
    `SELECT count(*)::integer AS n FROM budget_reservations b WHERE b.account_id = $1::uuid AND b.id = ANY ($2::text[]::uuid[])
       AND b.request_id IS NOT NULL`,
    [accountId, ids],
  );
  const { sessions, states } = await countSessions(sql, search, events);
  return {
    ...eventCounts(events),
    ...{ remembered_answers: countOf(answers), mark_notes: countOf(notes), reservations: countOf(reservations) },
    ...{ sessions, session_states: states },
  };
}

function eventCounts(events: readonly FoundEvent[]): Counts {
  return {
    events: events.length,
    bodies: events.filter(({ has_payload: has }) => has).length,
    metadata: events.filter(({ has_metadata: has }) => has).length,
  };
}

const ANSWERS = `FROM event_ids i JOIN (
    SELECT u.event_id, u.app_id::uuid AS app_id, u.environment, u.id::uuid AS id
    FROM unnest($2::text[], $3::text[], $4::text[], $5::text[]) AS u (event_id, app_id, environment, id) OFFSET 0) k
  ON i.event_id = k.event_id AND i.app_id = k.app_id AND i.environment = k.environment AND i.event_row_id = k.id
  WHERE i.account_id = $1::uuid`;

function answerKeys(accountId: string, events: readonly FoundEvent[]) {
  return [
    accountId,
    events.map(({ event_id: eventId }) => eventId),
    events.map(({ app_id: app }) => app),
    events.map(({ environment }) => environment),
    events.map(({ id }) => id),
  ];
}

/** Deletes whole entries: the client's id may name a person, and the hash of the body can confirm a guess. */
function deleteAnswers(sql: SqlExecutor, accountId: string, events: readonly FoundEvent[]): Promise<number> {
  return changed(
    sql,
    `DELETE FROM event_ids d USING (SELECT i.event_id, i.app_id, i.environment ${ANSWERS}) g
     WHERE d.account_id = $1::uuid AND d.event_id = g.event_id AND d.app_id = g.app_id AND d.environment = g.environment
       AND d.event_id NOT LIKE '${OWN_ID}' RETURNING 1 AS one`,
    answerKeys(accountId, events),
  );
}

/** @returns the partitions that contain the events */
async function emptyEvents(sql: SqlExecutor, { accountId, erasureId }: Whose, events: readonly FoundEvent[]) {
  const rows = await sql.query<{ table: string }>(
    `UPDATE events e SET payload = NULL, metadata = NULL, metadata_index = NULL, masks = NULL, excerpt = NULL, facts = NULL,
       session_id = NULL, request_id = NULL, trace_id = NULL, capture = 'none', erased_by = $2::uuid,
       violations = k.violations::json,
       event_id = CASE WHEN e.event_id LIKE '${OWN_ID}' THEN e.event_id ELSE e.id::text END,
       event_id_claimed = e.event_id_claimed AND e.event_id LIKE '${OWN_ID}'
     FROM (SELECT u.id::uuid AS id, u.violations FROM unnest($3::text[], $4::text[]) AS u (id, violations) OFFSET 0) k
     WHERE e.account_id = $1::uuid AND e.id = k.id RETURNING e.tableoid::regclass::text AS table`,
    [accountId, erasureId, events.map(({ id }) => id), events.map(({ violations }) => withoutPlaces(violations))],
  );
  return [...new Set(rows.map(({ table }) => table))];
}

/** Keeps the rules and their actions; removes the locations, since their paths may contain JSON keys that users wrote. */
function withoutPlaces(violations: string): string {
  if (!violations.includes('"locations"')) return violations;
  return JSON.stringify(
    (JSON.parse(violations) as Violation[]).map((violation) => ({ ...violation, locations: undefined })),
  );
}

async function changed(sql: SqlExecutor, statement: string, parameters: Parameters<SqlExecutor['query']>[1]) {
  return (await sql.query(statement, parameters)).length;
}
