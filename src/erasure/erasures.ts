/**
 * The accounts' erasures of a person's data, as stored in the database: requested, executed by one process at a time, and kept forever
 * as a certificate.
 */
import { randomUUID } from 'node:crypto';
import type { Reach } from '../access/index.js';
import { actorWithoutRequest, type Actor, type ActorKind, type AdminAudit } from '../admin-audit/index.js';
import type { KeyedHash } from '../core/index.js';
import type { SqlExecutor, SqlParameter, SqlRow, TenantSql } from '../database/index.js';
import { seal, unseal } from '../exports/index.js';
import { uuidV7 } from '../http/index.js';
import {
  ERASURES,
  erasureOf,
  type Erasure,
  type ErasureRow,
  type Progress,
  type RemainingCopies,
} from './erasure-job.js';
import type { Counts } from './places.js';
import { fingerprintsOf, type Selector } from './selector.js';

/** Maximum number of erasures per account that have not ended; those that cannot be decrypted are not counted. */
export const MOST_OPEN = 20;
const MOST_LISTED = 200;
/** After this time, another process takes over the erasure of a process that died. */
export const LEASE_SECONDS = 30;
const LEASE = `lease_until = now() + interval '${LEASE_SECONDS} seconds'`;
/** The problem of an erasure that cannot be decrypted. */
export const UNREADABLE =
  'The search values can no longer be decrypted, because WEIR_TOKEN_SECRET was changed: restore it, or erase again';
const UNREADABLE_SECONDS = 600;

/** This process no longer holds the erasure: another one claimed it, or it has ended. */
export class ErasureTaken extends Error {
  override readonly name = 'ErasureTaken';
}

/**
 * The search values of an erasure cannot be decrypted. Its certificate names the reason, and the erasure is tried again later: the secret
 * may be restored.
 */
export class ErasureUnreadable extends Error {
  override readonly name = 'ErasureUnreadable';

  constructor(readonly id: string) {
    super(UNREADABLE);
  }
}

/** The account already has `MOST_OPEN` erasures that have not ended. */
export class TooManyErasures extends Error {
  override readonly name = 'TooManyErasures';
}

export interface ErasureKeys {
  of(accountId: string): Promise<KeyedHash>;
  sealingKey(accountId: string): Promise<Uint8Array>;
}

export interface NewErasure {
  readonly selector: Selector;
  readonly dryRun: boolean;
  readonly because: string | undefined;
}

/** An erasure that this process works on. */
export interface ClaimedErasure {
  readonly accountId: string;
  readonly id: string;
  readonly runner: string;
  readonly dryRun: boolean;
  readonly by: { readonly kind: ActorKind; readonly id: string | null };
  readonly selector: Selector;
  readonly progress: Progress;
  /** The reason why the erasure made no progress before; null if it did. */
  readonly problem: string | null;
}

/** The erasure that a process holds under its lease. */
type HeldErasure = Pick<ClaimedErasure, 'accountId' | 'id' | 'runner'>;

interface ClaimRow extends SqlRow {
  readonly id: string;
  readonly dry_run: boolean;
  readonly actor_kind: ActorKind;
  readonly actor_id: string | null;
  readonly selector: string;
  readonly pass: number;
  readonly cursor: string | null;
  readonly until_id: string | null;
  readonly open_from: string | null;
  readonly open_calls: number;
  readonly found: number;
  readonly counts: string;
  readonly tables: string;
  readonly problem: string | null;
}

const CLAIMED = `id::text AS id, dry_run, actor_kind, actor_id, encode(selector, 'base64') AS selector, pass, cursor::text AS cursor,
  until_id::text AS until_id, open_from::text AS open_from, open_calls, found, counts::text AS counts,
  array_to_json(tables)::text AS tables, remains->>'problem' AS problem`;

export class Erasures {
  constructor(
    private readonly sql: TenantSql,
    private readonly audit: AdminAudit,
    private readonly keys: ErasureKeys,
    private readonly nowMs: () => number,
  ) {}

  /** @throws TooManyErasures | DatabaseError | DatabaseUnavailable */
  async create(accountId: string, order: NewErasure, actor: Actor): Promise<Erasure> {
    const { selector, dryRun, because = null } = order;
    const id = uuidV7(this.nowMs());
    const terms = fingerprintsOf(selector, await this.keys.of(accountId));
    const sealed = seal(JSON.stringify(selector), await this.keys.sealingKey(accountId), about(accountId, id));
    await this.sql.forAccounts(accountId).transaction(async (transaction) => {
      await transaction.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [`erasures ${accountId}`]);
      const [open] = await transaction.query<{ n: number }>(
        `SELECT count(*)::integer AS n FROM erasures
         WHERE account_id = $1::uuid AND state <> 'done' AND remains->>'problem' IS DISTINCT FROM $2`,
        [accountId, UNREADABLE],
      );
      if ((open?.n ?? 0) >= MOST_OPEN) throw new TooManyErasures();
      await transaction.query(
        `INSERT INTO erasures (account_id, id, environment, app_id, looked_for, selector, dry_run, because, state, counts,
           actor_kind, actor_id, created_at, next_at)
         VALUES ($1::uuid, $2::uuid, $3, $4::uuid, $5::json, $6::bytea, $7::boolean, $8, 'running', '{}', $9, $10, now(), now())`,
        [
          ...[accountId, id, selector.environment ?? null, selector.app ?? null, JSON.stringify(terms), sealed, dryRun],
          ...[because, actor.kind, actor.id],
        ],
      );
      await this.audit.record(transaction, {
        ...{ accountId, actor, subject: id, action: dryRun ? 'erasure.tried' : 'erasure.requested' },
        details: {
          looked_for: terms.map(({ kind, path, fingerprint }) => `${path ?? kind} ${fingerprint}`),
          ...{ environment: selector.environment ?? null, app: selector.app ?? null, because },
        },
      });
    });
    const made = await this.find({ accountId }, id);
    if (made === null) throw new Error('an erasure was not stored');
    return made;
  }

  /** Lists the erasures, newest first. @throws DatabaseError | DatabaseUnavailable */
  async list(reach: Reach): Promise<Erasure[]> {
    return this.select(reach, null);
  }

  /** @throws DatabaseError | DatabaseUnavailable */
  async find(reach: Reach, id: string): Promise<Erasure | null> {
    const [found] = await this.select(reach, id);
    return found ?? null;
  }

  /** Accounts with erasures that no process works on. @throws DatabaseError | DatabaseUnavailable */
  async accountsWithWork(): Promise<string[]> {
    const rows = await this.sql.forDuty('sweep').query<{ id: string }>(
      `SELECT DISTINCT account_id::text AS id FROM erasures
         WHERE state <> 'done' AND next_at <= now() AND (lease_until IS NULL OR lease_until < now())`,
    );
    return rows.map(({ id }) => id);
  }

  /**
   * Claims the account's oldest erasure that no process works on.
   * @throws ErasureUnreadable | DatabaseError | DatabaseUnavailable
   */
  async claim(accountId: string): Promise<ClaimedErasure | null> {
    const runner = randomUUID();
    const [row] = await this.sql.forAccounts(accountId).query<ClaimRow>(
      `UPDATE erasures SET runner = $2::uuid, ${LEASE}, state = 'running'
       WHERE account_id = $1::uuid AND id = (
         SELECT id FROM erasures WHERE account_id = $1::uuid AND state <> 'done' AND next_at <= now()
           AND (lease_until IS NULL OR lease_until < now())
         ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED)
       RETURNING ${CLAIMED}`,
      [accountId, runner],
    );
    if (row === undefined) return null;
    const sealed = Buffer.from(row.selector, 'base64');
    const text = unseal(sealed, await this.keys.sealingKey(accountId), about(accountId, row.id));
    if (text === null) {
      await this.rest({ accountId, id: row.id, runner }, 'running', UNREADABLE_SECONDS, UNREADABLE);
      throw new ErasureUnreadable(row.id);
    }
    return {
      ...{ accountId, id: row.id, runner, dryRun: row.dry_run },
      by: { kind: row.actor_kind, id: row.actor_id },
      selector: JSON.parse(text) as Selector,
      progress: {
        ...{ pass: row.pass, cursor: row.cursor, untilId: row.until_id, openFrom: row.open_from, found: row.found },
        openCalls: row.open_calls,
        counts: JSON.parse(row.counts) as Counts,
        tables: JSON.parse(row.tables) as string[],
      },
      problem: row.problem,
    };
  }

  /** Stores the progress in the transaction that made it. @throws ErasureTaken | DatabaseError | DatabaseUnavailable */
  async advance(transaction: SqlExecutor, job: ClaimedErasure, progress: Progress): Promise<void> {
    const { pass, cursor, untilId, openFrom, openCalls, found, counts, tables } = progress;
    await mine(
      transaction,
      job,
      `${LEASE}, pass = $4::integer, cursor = $5::uuid, until_id = $6::uuid, open_from = $7::uuid, open_calls = $8::integer,
       found = $9::integer, counts = $10::json, tables = $11::text[]`,
      ...[pass, cursor, untilId, openFrom, openCalls, found, JSON.stringify(counts), tables],
    );
  }

  /** Deletes the reason why the erasure made no progress, if there was one. @throws ErasureTaken | DatabaseError | DatabaseUnavailable */
  async overcome(job: ClaimedErasure): Promise<void> {
    if (job.problem !== null) await mine(this.sql.forAccounts(job.accountId), job, 'remains = NULL');
  }

  /** Renews the lease of the erasure. @throws ErasureTaken | DatabaseError | DatabaseUnavailable */
  async keepUp(job: ClaimedErasure): Promise<void> {
    await mine(this.sql.forAccounts(job.accountId), job, LEASE);
  }

  /**
   * Releases the erasure, so that any process can continue it after a delay.
   * @param problem the reason why it makes no progress; null: none is known; absent: an earlier one stays
   * @throws ErasureTaken | DatabaseError | DatabaseUnavailable
   */
  async rest(job: HeldErasure, state: 'running' | 'waiting', seconds: number, problem?: string | null): Promise<void> {
    const later = `next_at = now() + make_interval(secs => $5::double precision)`;
    const change = `state = $4, runner = NULL, lease_until = NULL, ${later}`;
    const sql = this.sql.forAccounts(job.accountId);
    if (problem === undefined) return mine(sql, job, change, state, seconds);
    const remains = problem === null ? null : JSON.stringify({ problem });
    return mine(sql, job, `${change}, remains = $6::json`, state, seconds, remains);
  }

  /**
   * Marks the erasure as done, stores its counts, and deletes its search terms.
   * @throws ErasureTaken | DatabaseError | DatabaseUnavailable
   */
  async end(job: ClaimedErasure, remains: RemainingCopies | null): Promise<void> {
    const { accountId, id, by, dryRun, progress } = job;
    await this.sql.forAccounts(accountId).transaction(async (transaction) => {
      const [place] = await transaction.query<{ position: string }>(
        'SELECT pg_current_wal_insert_lsn()::text AS position',
      );
      const forgotten = 'selector = NULL, cursor = NULL, until_id = NULL, open_from = NULL, runner = NULL';
      await mine(
        transaction,
        job,
        `state = 'done', ended_at = now(), ${forgotten}, lease_until = NULL, remains = $4::json, database_position = $5,
         counts = $6::json`,
        remains === null ? null : JSON.stringify(remains),
        place?.position ?? null,
        JSON.stringify(progress.counts),
      );
      if (dryRun) return;
      const details = Object.fromEntries(Object.entries(progress.counts));
      const actor = { ...actorWithoutRequest('system'), ...by };
      await this.audit.record(transaction, { accountId, actor, action: 'erasure.completed', subject: id, details });
    });
  }

  private async select({ accountId, environment }: Reach, id: string | null): Promise<Erasure[]> {
    const rows = await this.sql.forAccounts(accountId).query<ErasureRow>(
      `${ERASURES} WHERE x.account_id = $1::uuid AND ($2::text IS NULL OR x.environment = $2)
         AND ($3::text IS NULL OR x.id = $3::text::uuid) ORDER BY x.id DESC LIMIT ${MOST_LISTED}`,
      [accountId, environment ?? null, id],
    );
    return rows.map((row) => erasureOf(accountId, row));
  }
}

/** The owner to which the sealed selector is bound. */
const about = (accountId: string, id: string): string => `weir erasure ${accountId} ${id}`;

/** @throws ErasureTaken */
async function mine(
  sql: SqlExecutor,
  { accountId, id, runner }: HeldErasure,
  change: string,
  ...values: readonly SqlParameter[]
): Promise<void> {
  const [changed] = await sql.query(
    `UPDATE erasures SET ${change}
     WHERE account_id = $1::uuid AND id = $2::uuid AND runner = $3::uuid AND state <> 'done' RETURNING 1 AS one`,
    [accountId, id, runner, ...values],
  );
  if (changed === undefined) throw new ErasureTaken();
}
