import type { SqlExecutor, SqlParameter, SqlRow, TenantSql } from '../database/index.js';
import { firstUuidAt, uuidV7 } from '../http/index.js';
import type { Actor, ActorKind } from './actor.js';
import type { AdminActionName } from './admin-actions.js';

export interface NewAdminAction {
  readonly accountId: string;
  readonly actor: Actor;
  readonly action: AdminActionName;
  /** The id of the changed object; see `ADMIN_ACTIONS`. */
  readonly subject: string;
  /** Names, environments, dates. Never a secret, an e-mail address, or a text of a call. */
  readonly details?: Readonly<Record<string, string | number | boolean | null | readonly string[]>>;
}

/** One entry of the log. */
export interface AdminAction {
  readonly id: string;
  readonly at: Date;
  readonly actorKind: ActorKind;
  readonly actorId: string | null;
  readonly action: string;
  readonly subject: string | null;
  readonly details: Readonly<Record<string, unknown>>;
  readonly address: string | null;
  readonly userAgent: string | null;
}

export interface AdminActionFilter {
  /** Only entries of one of these actions. */
  readonly actions?: readonly string[];
  readonly subjects?: readonly string[];
  /** Ids of people and tokens, or kinds of actors. */
  readonly actors?: readonly string[];
  /** At or after this instant. */
  readonly from?: Date;
  /** Before this instant. */
  readonly to?: Date;
  /** Only entries older than the one with this id. */
  readonly before?: string;
  readonly limit: number;
}

interface Row extends SqlRow {
  readonly id: string;
  readonly at_ms: number;
  readonly actor_kind: ActorKind;
  readonly actor_id: string | null;
  readonly action: string;
  readonly subject: string | null;
  readonly details: string;
  readonly address: string | null;
  readonly user_agent: string | null;
}

/** Keyed by the actor, so that the interceptor of a route sees what its handler recorded in any transaction. */
const recorded = new WeakMap<Actor, Set<AdminActionName>>();

/** The actions that an actor has recorded so far. */
export function recordedBy(actor: Actor): ReadonlySet<AdminActionName> {
  return recorded.get(actor) ?? new Set();
}

/** The log of changes to accounts. It is append-only: the database itself refuses anything else. */
export class AdminAudit {
  constructor(
    private readonly sql: TenantSql,
    private readonly nowMs: () => number = () => Date.now(),
  ) {}

  /**
   * Adds an entry. Pass the transaction of the change, so that neither is stored without the other.
   *
   * @throws DatabaseError | DatabaseUnavailable
   */
  async record(transaction: SqlExecutor, entry: NewAdminAction): Promise<void> {
    const { accountId, actor, action, subject, details = {} } = entry;
    const nowMs = this.nowMs();
    await transaction.query(
      `INSERT INTO admin_actions (account_id, id, at, actor_kind, actor_id, action, subject, details, address, user_agent)
       VALUES ($1::uuid, $2::uuid, $3::timestamptz, $4, $5, $6, $7, $8::json, $9, $10)`,
      [
        accountId,
        uuidV7(nowMs),
        new Date(nowMs).toISOString(),
        actor.kind,
        actor.id,
        action,
        subject,
        JSON.stringify(details),
        actor.address,
        actor.userAgent,
      ],
    );
    const known = recorded.get(actor) ?? new Set();
    recorded.set(actor, known.add(action));
  }

  /** A page of an account's entries, newest first. @throws DatabaseError | DatabaseUnavailable */
  async list(accountId: string, filter: AdminActionFilter): Promise<AdminAction[]> {
    const { conditions, parameters } = conditionsOf(accountId, filter);
    const rows = await this.sql.forAccounts(accountId).query<Row>(
      `SELECT id::text AS id, floor(extract(epoch FROM at) * 1000)::double precision AS at_ms, actor_kind, actor_id,
              action, subject, details::text AS details, address, user_agent
       FROM admin_actions WHERE ${conditions.join(' AND ')}
       ORDER BY id DESC LIMIT $1::integer`,
      parameters,
    );
    return rows.map((row) => ({
      id: row.id,
      at: new Date(row.at_ms),
      actorKind: row.actor_kind,
      actorId: row.actor_id,
      action: row.action,
      subject: row.subject,
      details: JSON.parse(row.details) as Record<string, unknown>,
      address: row.address,
      userAgent: row.user_agent,
    }));
  }
}

/** Each entry's id contains its time, so a range of time is a range of the primary key. */
function conditionsOf(accountId: string, { actions, subjects, actors, from, to, before, limit }: AdminActionFilter) {
  const parameters: SqlParameter[] = [limit];
  const conditions: string[] = [];
  const add = (condition: string, value: SqlParameter | undefined): void => {
    if (value === undefined) return;
    parameters.push(value);
    conditions.push(condition.replaceAll('?', `$${parameters.length}`));
  };
  add('account_id = ?::uuid', accountId);
  add('action = ANY(?::text[])', actions);
  add('subject = ANY(?::text[])', subjects);
  add('(actor_id = ANY(?::text[]) OR actor_kind = ANY(?::text[]))', actors);
  add('id >= ?::uuid', from && firstUuidAt(from.getTime()));
  add('id < ?::uuid', to && firstUuidAt(to.getTime()));
  add('id < ?::uuid', before);
  return { conditions, parameters };
}
