import type { ActingManager, Reach } from '../../access/index.js';
import type { AdminAudit } from '../../admin-audit/index.js';
import type { Environment } from '../../core/index.js';
import type { SqlExecutor, SqlParameter, SqlRow, TenantSql } from '../../database/index.js';
import { uuidV7 } from '../../http/index.js';
import type { MarkWord } from './mark-schemas.js';

/** The call that an event belongs to, and where in it a rule fired. */
export interface MarkedCall {
  readonly callId: string;
  /** The event in which the rule fired; the requested event if it fired in none. */
  readonly eventId: string;
  readonly fired: boolean;
  readonly environment: Environment;
  readonly appId: string;
}

export interface NewMark {
  readonly rule: string;
  readonly mark: MarkWord;
  readonly note: string | null;
  /** See `ruleState`. */
  readonly ruleState: string | null;
}

export interface Mark {
  readonly id: string;
  readonly eventId: string;
  readonly callId: string;
  readonly rule: string;
  readonly mark: MarkWord;
  readonly note: string | null;
  readonly environment: Environment;
  readonly app: { readonly id: string; readonly name: string | null };
  readonly by: { readonly kind: 'person' | 'token'; readonly id: string; readonly name: string | null };
  readonly at: Date;
}

export interface MarkFilters {
  readonly environment?: Environment;
  readonly rules?: readonly string[];
  readonly marks?: readonly MarkWord[];
  readonly app?: string;
  /** Only marks of the call that this event belongs to. */
  readonly event?: string;
  readonly from?: Date;
  readonly to?: Date;
  /** Only marks before the one with this id. */
  readonly before?: string;
}

interface Row extends SqlRow {
  readonly id: string;
  readonly event_id: string;
  readonly call_id: string;
  readonly rule: string;
  readonly mark: MarkWord;
  readonly note: string | null;
  readonly environment: Environment;
  readonly app_id: string;
  readonly app_name: string | null;
  readonly owner_kind: 'person' | 'token';
  readonly owner_id: string;
  readonly owner_name: string | null;
  readonly at_ms: number;
}

const SHOWN = `SELECT m.id::text AS id, m.event_id::text AS event_id, m.call_id::text AS call_id, m.rule, m.mark, m.note,
    m.environment, m.app_id::text AS app_id, m.owner_kind, m.owner_id,
    floor(extract(epoch FROM m.at) * 1000)::double precision AS at_ms,
    (SELECT a.name FROM apps a WHERE a.account_id = m.account_id AND a.id = m.app_id) AS app_name,
    CASE m.owner_kind
      WHEN 'person' THEN (SELECT p.email FROM people p JOIN memberships o ON o.person_id = p.id
        WHERE o.account_id = m.account_id AND p.id::text = m.owner_id)
      ELSE (SELECT t.name FROM management_tokens t WHERE t.account_id = m.account_id AND t.token_id = m.owner_id)
    END AS owner_name
  FROM event_marks m`;

/** Maximum number of events of one call that are searched. */
const EVENTS_OF_CALL = 1_000;

/** People's marks on decisions. Callers check permissions beforehand. */
export class EventMarks {
  constructor(
    private readonly sql: TenantSql,
    private readonly audit: AdminAudit,
    private readonly nowMs: () => number = () => Date.now(),
  ) {}

  /**
   * The call of an event, and whether the rule fired in any event of it. An event that reports about another one, such as a
   * `policy.violation`, belongs to the call of that event.
   *
   * @param eventId the service's id
   * @returns null when there is no such event
   * @throws DatabaseError | DatabaseUnavailable
   */
  async callOf(accountId: string, eventId: string, rule: string): Promise<MarkedCall | null> {
    const session = this.sql.forAccounts(accountId);
    const [about] = await session.query<{ id: string; call_id: string; environment: Environment; app_id: string }>(
      `SELECT b.id::text AS id, coalesce(b.call_id, b.id)::text AS call_id, b.environment, b.app_id::text AS app_id
       FROM events e JOIN events b ON b.account_id = e.account_id
         AND b.id = CASE WHEN e.type IN ('policy.violation', 'budget.exceeded') THEN coalesce(e.parent_id, e.id) ELSE e.id END
       WHERE e.account_id = $1::uuid AND e.id = $2::uuid`,
      [accountId, eventId],
    );
    if (about === undefined) return null;
    const fired = await session.query<{ id: string }>(
      `SELECT c.id::text AS id FROM (
         SELECT p.id, p.rules FROM events p WHERE p.account_id = $1::uuid AND p.id = $2::uuid
         UNION ALL
         SELECT p.id, p.rules FROM events p
         WHERE p.account_id = $1::uuid AND p.call_id = $2::uuid AND p.call_id <> p.id LIMIT ${EVENTS_OF_CALL}) c
       WHERE c.rules @> ARRAY[$3::text] ORDER BY c.id`,
      [accountId, about.call_id, rule],
    );
    const ids = fired.map(({ id }) => id);
    const { call_id: callId, environment, app_id: appId } = about;
    const inCall = ids.includes(about.id) ? about.id : ids[0];
    return { callId, eventId: inCall ?? about.id, fired: inCall !== undefined, environment, appId };
  }

  /** Sets the mark of a call and a rule; an existing mark is replaced. @throws DatabaseError | DatabaseUnavailable */
  async set(manager: ActingManager, call: MarkedCall, { rule, mark, note, ruleState }: NewMark): Promise<Mark> {
    const { accountId, actor } = manager;
    const now = this.nowMs();
    return this.sql.forAccounts(accountId).transaction(async (transaction) => {
      await transaction.query(
        `INSERT INTO event_marks AS m (account_id, call_id, rule, event_id, id, environment, app_id, mark, note, rule_state,
           owner_kind, owner_id, at)
         VALUES ($1::uuid, $2::uuid, $3, $4::uuid, $5::uuid, $6, $7::uuid, $8, $9, $10, $11, $12, $13::timestamptz)
         ON CONFLICT (account_id, call_id, rule) DO UPDATE SET event_id = excluded.event_id, id = excluded.id,
           mark = excluded.mark, note = excluded.note, rule_state = excluded.rule_state,
           owner_kind = excluded.owner_kind, owner_id = excluded.owner_id, at = excluded.at`,
        [
          ...[accountId, call.callId, rule, call.eventId, uuidV7(now), call.environment, call.appId, mark, note],
          ...[ruleState, actor.kind, actor.id, new Date(now).toISOString()],
        ],
      );
      const subject = call.eventId;
      await this.audit.record(transaction, {
        ...{ accountId, actor, action: 'event.marked', subject },
        details: { rule, mark, environment: call.environment },
      });
      const [row] = await transaction.query<Row>(
        `${SHOWN} WHERE m.account_id = $1::uuid AND m.call_id = $2::uuid AND m.rule = $3`,
        [accountId, call.callId, rule],
      );
      if (row === undefined) throw new Error('a mark that was just written is not there');
      return markOf(row);
    });
  }

  /** @returns false when there is no such mark. @throws DatabaseError | DatabaseUnavailable */
  async remove({ accountId, actor }: ActingManager, call: MarkedCall, rule: string): Promise<boolean> {
    return this.sql.forAccounts(accountId).transaction(async (transaction) => {
      const [gone] = await transaction.query(
        'DELETE FROM event_marks m WHERE m.account_id = $1::uuid AND m.call_id = $2::uuid AND m.rule = $3 RETURNING 1 AS one',
        [accountId, call.callId, rule],
      );
      if (gone === undefined) return false;
      await this.audit.record(transaction, {
        ...{ accountId, actor, action: 'event.unmarked', subject: call.eventId },
        details: { rule, environment: call.environment },
      });
      return true;
    });
  }

  /** Reads a page of marks, the newest first. @throws DatabaseError | DatabaseUnavailable */
  async list(reach: Reach, filters: MarkFilters, limit: number): Promise<{ data: Mark[]; nextCursor: string | null }> {
    const parameters: SqlParameter[] = [reach.accountId];
    const terms = ['m.account_id = $1::uuid'];
    const add = (term: string, value: SqlParameter | undefined): void => {
      if (value === undefined) return;
      parameters.push(value);
      terms.push(term.replaceAll('?', `$${parameters.length}`));
    };
    add('m.environment = ?', reach.environment);
    add('m.environment = ?', filters.environment);
    add('m.rule = ANY (?::text[])', filters.rules);
    add('m.mark = ANY (?::text[])', filters.marks);
    add('m.app_id = ?::uuid', filters.app);
    add(
      `m.call_id IN (SELECT coalesce(e.call_id, e.id) FROM events e WHERE e.account_id = $1::uuid AND e.id = ?::uuid)`,
      filters.event,
    );
    add('m.at >= ?::timestamptz', filters.from?.toISOString());
    add('m.at < ?::timestamptz', filters.to?.toISOString());
    add('m.id < ?::uuid', filters.before);
    const rows = await this.sql
      .forAccounts(reach.accountId)
      .query<Row>(`${SHOWN} WHERE ${terms.join(' AND ')} ORDER BY m.id DESC LIMIT ${limit + 1}`, parameters);
    const data = rows.slice(0, limit).map(markOf);
    return { data, nextCursor: rows.length > limit ? (data.at(-1)?.id ?? null) : null };
  }

  /**
   * The marks of the events with these ids, or of the calls that begin with them.
   *
   * @throws DatabaseError | DatabaseUnavailable
   */
  async of(accountId: string, ids: readonly string[]): Promise<ReadonlyMap<string, readonly Mark[]>> {
    if (ids.length === 0) return new Map();
    const found = await this.marksOf(this.sql.forAccounts(accountId), accountId, ids);
    return new Map(
      ids.map((id) => [id, found.filter(({ callId, eventId }) => callId === id || eventId === id)] as const),
    );
  }

  private async marksOf(session: Pick<SqlExecutor, 'query'>, accountId: string, ids: readonly string[]) {
    const one = (column: string): string =>
      `${SHOWN} WHERE m.account_id = $1::uuid AND m.${column} = ANY ($2::text[]::uuid[])`;
    const rows = await session.query<Row>(`${one('call_id')} UNION ${one('event_id')} ORDER BY at_ms, rule`, [
      accountId,
      ids,
    ]);
    return rows.map(markOf);
  }
}

function markOf(row: Row): Mark {
  const { id, rule, mark, note, environment } = row;
  return {
    ...{ id, eventId: row.event_id, callId: row.call_id, rule, mark, note, environment },
    app: { id: row.app_id, name: row.app_name },
    by: { kind: row.owner_kind, id: row.owner_id, name: row.owner_name },
    at: new Date(row.at_ms),
  };
}
