/**
 * The sessions of erased events: once no other event of the log belongs to a session, its totals stay under a random id, and the data that
 * rules stored about it is deleted.
 */
import type { SqlExecutor, SqlParameter, SqlRow } from '../database/index.js';
import { heldAmong, maskedSessionDigest, sessionDigest, type HoldsByEnvironment } from '../events/index.js';
import { selectedBy, type FoundEvent, type Search } from './find-events.js';
import { countOf } from './places.js';

/** A dry run reads so many events of a session to find out whether all of them would be erased: the newest ones. */
const MOST_READ = 200;

/** Numbers of renamed totals and of deleted histories. */
interface DeletedSessions {
  readonly sessions: number;
  readonly states: number;
}

const NONE: DeletedSessions = { sessions: 0, states: 0 };

interface Session {
  readonly app_id: string;
  readonly environment: string;
  /** The id as it is stored in the log. */
  readonly session_id: string;
}

interface FoundSession extends Session {
  /** Number of its found events. */
  readonly found: number;
  /** The last of them. */
  readonly last: string;
}

/** An app, an environment, and the id of a session or a digest, each from its own parameter. */
const NAMES = `SELECT u.app_id::uuid AS app_id, u.environment, u.name
  FROM unnest($2::text[], $3::text[], $4::text[]) AS u (app_id, environment, name) OFFSET 0`;

/** Condition that an event of the table belongs to the session `k`. */
const inSession = (alias: string): string =>
  `${alias}.account_id = $1::uuid AND ${alias}.session_id = k.name AND ${alias}.app_id = k.app_id
     AND ${alias}.environment = k.environment`;

/**
 * Deletes the sessions of emptied events to which no other event belongs.
 *
 * @param log the table of the log, in addition to `events`
 * @throws DatabaseError | DatabaseUnavailable
 */
export async function deleteEmptiedSessions(
  sql: SqlExecutor,
  { accountId, log }: { readonly accountId: string; readonly log: string },
  events: readonly FoundEvent[],
): Promise<DeletedSessions> {
  const sessions = sessionsOf(events);
  if (sessions.length === 0) return NONE;
  const over = await sql.query<Session & SqlRow>(
    `SELECT k.app_id::text AS app_id, k.environment, k.name AS session_id FROM (${NAMES}) k
     WHERE NOT EXISTS (SELECT 1 FROM events e WHERE ${inSession('e')})
       AND NOT EXISTS (SELECT 1 FROM ${log} e WHERE ${inSession('e')})`,
    namesOf(accountId, sessions),
  );
  if (over.length === 0) return NONE;
  // In the order in which calls lock the rows: a call that has locked a history waits for no row that this transaction has locked.
  const { histories, masked } = await historiesOf(sql, accountId, over);
  const states = await deleteHistories(sql, accountId, histories);
  await deleteHistories(sql, accountId, masked);
  const renamed = await sql.query(
    `UPDATE session_rollups r SET session_id = 'erased-' || gen_random_uuid()::text FROM (${NAMES}) k
     WHERE ${inSession('r')} RETURNING 1 AS one`,
    namesOf(accountId, over),
  );
  return { sessions: renamed.length, states };
}

/**
 * Counts the sessions that an erasure of the events would delete. Changes nothing.
 *
 * @param events the events of one step; a session is counted with its last event
 * @throws DatabaseError | DatabaseUnavailable
 */
export async function countSessions(
  sql: SqlExecutor,
  search: Search & { readonly log?: string; readonly holds: HoldsByEnvironment },
  events: readonly FoundEvent[],
): Promise<DeletedSessions> {
  const { accountId, selector } = search;
  const over = await emptiedSessions(sql, search, sessionsOf(events));
  if (over.length === 0) return NONE;
  const [totals] = await sql.query<{ n: number }>(
    `SELECT count(*)::integer AS n FROM session_rollups r JOIN (${NAMES}) k ON ${inSession('r')}`,
    namesOf(accountId, over),
  );
  const sessions = countOf(totals);
  // The history of a selected session is counted by its id, with the names.
  if (selector.session !== undefined) return { sessions, states: 0 };
  const { histories } = await historiesOf(sql, accountId, over);
  const [states] = await sql.query<{ n: number }>(
    `SELECT count(*)::integer AS n FROM session_histories h JOIN (${NAMES}) k ON h.app_id = k.app_id
       AND h.environment = k.environment AND h.session_key = k.name WHERE h.account_id = $1::uuid`,
    namesOf(accountId, histories),
  );
  return { sessions, states: countOf(states) };
}

/** The sessions that end with the found events, and of which an erasure empties all events. */
async function emptiedSessions(
  sql: SqlExecutor,
  search: Search & { readonly log?: string; readonly holds: HoldsByEnvironment },
  sessions: readonly FoundSession[],
): Promise<FoundSession[]> {
  if (sessions.length === 0) return [];
  // A session that continues in the log is counted there; one that continues in a later part of the archive, with that part.
  const isElsewhere = `EXISTS (SELECT 1 FROM ${search.log ?? 'events'} e WHERE ${inSession('e')}) OR EXISTS (
    SELECT 1 FROM session_rollups r WHERE ${inSession('r')}
      AND r.last_at > (SELECT max(e.received_at) FROM events e WHERE ${inSession('e')}))`;
  const ending = await sql.query<{ place: number; total: number }>(
    `SELECT k.place, (SELECT count(*) FROM (
         SELECT 1 FROM events e WHERE ${inSession('e')} LIMIT ${MOST_READ + 1}) c)::integer AS total
     FROM (SELECT u.place::integer AS place, u.app_id::uuid AS app_id, u.environment, u.name, u.last::uuid AS last
       FROM unnest($2::text[], $3::text[], $4::text[], $5::text[]) WITH ORDINALITY
         AS u (app_id, environment, name, last, place) OFFSET 0) k
     WHERE NOT EXISTS (SELECT 1 FROM events e WHERE ${inSession('e')} AND e.id > k.last)
       AND NOT (${search.log === undefined ? 'false' : isElsewhere})`,
    [...namesOf(search.accountId, sessions), sessions.map(({ last }) => last)],
  );
  const over: FoundSession[] = [];
  for (const { place, total } of ending) {
    const session = sessions[place - 1];
    if (session === undefined) continue;
    const isFound = session.found === total && total <= MOST_READ;
    if (isFound || (await isWhollySelected(sql, search, session))) over.push(session);
  }
  return over;
}

/** Whether each of the session's calls has a selected event, and none is under a legal hold. */
async function isWhollySelected(
  sql: SqlExecutor,
  search: Search & { readonly holds: HoldsByEnvironment },
  session: Session,
): Promise<boolean> {
  const parameters: SqlParameter[] = [search.accountId, session.app_id, session.environment, session.session_id];
  const selected = selectedBy(search, parameters);
  const events = await sql.query<{ id: string; environment: string; call: string; selected: boolean }>(
    `SELECT e.id::text AS id, e.environment, coalesce(e.call_id, e.parent_id, e.id)::text AS call, ${selected('e')} AS selected
     FROM events e
     WHERE e.account_id = $1::uuid AND e.app_id = $2::uuid AND e.environment = $3 AND e.session_id = $4
     ORDER BY e.id DESC LIMIT ${MOST_READ}`,
    parameters,
  );
  const calls = new Set(events.filter((event) => event.selected).map(({ call }) => call));
  if (events.some(({ call }) => !calls.has(call))) return false;
  return (await heldAmong(sql, search.accountId, search.holds, events)).size === 0;
}

/**
 * The digests under which the histories of sessions are stored. The digest of a masked id leads to those of the ids that it stands for.
 */
async function historiesOf(sql: SqlExecutor, accountId: string, sessions: readonly Session[]) {
  const masked = sessions.map((session) => ({ ...session, session_id: maskedSessionDigest(session.session_id) }));
  const behind = await sql.query<{ app_id: string; environment: string; digests: string }>(
    `SELECT h.app_id::text AS app_id, h.environment, h.state AS digests FROM session_histories h
     JOIN (${NAMES}) k ON h.app_id = k.app_id AND h.environment = k.environment AND h.session_key = k.name
     WHERE h.account_id = $1::uuid`,
    namesOf(accountId, masked),
  );
  const histories = [
    ...sessions.map((session) => ({ ...session, session_id: sessionDigest(session.session_id) })),
    ...behind.flatMap(({ app_id, environment, digests }) =>
      digests.split(' ').map((digest) => ({ app_id, environment, session_id: digest })),
    ),
  ];
  const distinct = new Map(histories.map((history) => [keyOf(history), history]));
  return { histories: [...distinct.values()], masked };
}

async function deleteHistories(sql: SqlExecutor, accountId: string, digests: readonly Session[]): Promise<number> {
  const deleted = await sql.query(
    `DELETE FROM session_histories h USING (${NAMES}) k
     WHERE h.account_id = $1::uuid AND h.app_id = k.app_id AND h.environment = k.environment AND h.session_key = k.name
     RETURNING 1 AS one`,
    namesOf(accountId, digests),
  );
  return deleted.length;
}

/** The sessions of the events, each once. */
function sessionsOf(events: readonly FoundEvent[]): FoundSession[] {
  const sessions = new Map<string, FoundSession>();
  for (const { id, app_id, environment, session_id } of events) {
    if (session_id === null) continue;
    const key = keyOf({ app_id, environment, session_id });
    const known = sessions.get(key);
    const last = known === undefined || known.last < id ? id : known.last;
    sessions.set(key, { app_id, environment, session_id, found: (known?.found ?? 0) + 1, last });
  }
  return [...sessions.values()];
}

function keyOf({ app_id: app, environment, session_id: session }: Session): string {
  return `${app} ${environment} ${session}`;
}

function namesOf(accountId: string, sessions: readonly Session[]): [string, string[], string[], string[]] {
  return [
    accountId,
    sessions.map(({ app_id: app }) => app),
    sessions.map(({ environment }) => environment),
    sessions.map(({ session_id: session }) => session),
  ];
}
