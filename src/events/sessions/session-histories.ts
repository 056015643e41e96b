/** Steps of sessions, stored for rules about earlier calls. They are written in the transaction of the event. */
import { NEW_SESSION, readState, SESSION_LIFE_MS, type SessionState } from '../../core/index.js';
import type { SqlRow, SqlRunner, TenantSql } from '../../database/index.js';
import { linkedSession, linkKey } from './answer-link.js';
import type { SessionKey } from './session-key.js';

/** A session as it was read. */
export interface ReadSession {
  readonly state: SessionState;
  /** 0 for a new session. */
  readonly version: number;
}

interface Row extends SqlRow {
  readonly version: number;
  readonly state: string;
  readonly used_ms: number;
}

const READ = `
SELECT version, state, (extract(epoch FROM used_at) * 1000)::float8 AS used_ms FROM session_histories
WHERE account_id = $1::uuid AND app_id = $2::uuid AND environment = $3 AND session_key = $4`;

/** Reads the history of sessions. The event log writes it, together with each event. */
export class SessionHistories {
  constructor(private readonly sql: TenantSql) {}

  /** @param nowMs milliseconds since the epoch. @throws DatabaseError | DatabaseUnavailable */
  async read({ accountId, appId, environment, digest }: SessionKey, nowMs: number): Promise<ReadSession> {
    const [row] = await this.sql
      .forAccounts(accountId)
      .query<Row>(READ, [accountId, appId, environment, digest], { prepareAs: 'session-history' });
    if (row === undefined) return { state: NEW_SESSION, version: 0 };
    return { state: stateAt(row.state, Number(row.used_ms), nowMs), version: row.version };
  }

  /**
   * The id of the session that an answer belongs to, if it passed through Weir recently.
   *
   * @throws DatabaseError | DatabaseUnavailable
   */
  async sessionOfAnswer(
    whose: Omit<SessionKey, 'digest'>,
    answerId: string,
    nowMs: number,
  ): Promise<string | undefined> {
    const { accountId, appId, environment, digest } = linkKey(whose, answerId);
    const [row] = await this.sql
      .forAccounts(accountId)
      .query<Row>(READ, [accountId, appId, environment, digest], { prepareAs: 'session-history' });
    const isOver = row === undefined || Number(row.used_ms) < nowMs - SESSION_LIFE_MS;
    return isOver ? undefined : linkedSession(answerId, row.state);
  }
}

/** The state of a session, or an empty one if it has had no call for too long. */
export function stateAt(state: string, usedMs: number, nowMs: number): SessionState {
  return usedMs < nowMs - SESSION_LIFE_MS ? NEW_SESSION : readState(state);
}

/** The number of sessions that one statement deletes: it ends well within the statement timeout. */
const ROWS = 1_000;

/**
 * The condition on the time is repeated for sessions that are used again while the statement runs. A locked row is skipped: the transaction
 * of its session may wait for another row that this statement has locked.
 */
const DELETE_IDLE = `
DELETE FROM session_histories WHERE used_at < $1::timestamptz AND ctid = ANY (ARRAY(
  SELECT h.ctid FROM session_histories h WHERE h.used_at < $1::timestamptz LIMIT ${ROWS} FOR UPDATE SKIP LOCKED))
RETURNING 1 AS one`;

/**
 * Runs as the owner of the tables: deletes sessions that have had no call for too long, a few at a time.
 *
 * @param isEnding ends the deletion before the next statement; the next call continues
 * @returns the number of deleted sessions
 * @throws DatabaseError | DatabaseUnavailable
 */
export async function deleteIdleSessions(sql: SqlRunner, now: Date, isEnding = () => false): Promise<number> {
  const maintenance = sql.forMaintenance();
  const before = new Date(now.getTime() - SESSION_LIFE_MS).toISOString();
  let deleted = 0;
  while (!isEnding()) {
    const { length } = await maintenance.query(DELETE_IDLE, [before]);
    deleted += length;
    if (length === 0) break;
  }
  return deleted;
}
