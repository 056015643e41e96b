/** Schedules of exports: each is a row, and each due time creates one export, by whichever replica checks first. */
import type { ActingManager, Reach } from '../../access/index.js';
import { actorWithoutRequest, type Actor, type AdminActionName, type AdminAudit } from '../../admin-audit/index.js';
import type { SqlExecutor, SqlRow, TenantSql } from '../../database/index.js';
import { uuidV7 } from '../../http/index.js';
import {
  dropParts,
  insertExport,
  lockExports,
  MAX_OPEN,
  openExports,
  orderDetails,
  sealCredentials,
  type SealingKey,
} from '../new-export.js';
import type { ExportOrder } from '../export-job.js';
import type { S3Credentials } from '../../object-storage/index.js';
import { dueAfter, dueUntil, SETTLE_SECONDS } from './due-times.js';
import {
  SCHEDULE_COLUMNS,
  SCHEDULE_TABLES,
  scheduleOf,
  type ExportSchedule,
  type ScheduleFields,
  type ScheduleRow,
} from './schedule.js';

/** Maximum number of schedules per account. */
export const MAX_SCHEDULES = 20;

/** The fields to change. */
export interface ScheduleChange extends Partial<Pick<ScheduleFields, 'name' | 'due'>> {
  readonly isPaused?: boolean;
  /**
   * Returns the order after the change. It is called with the stored order, in the transaction that stores the result, so that concurrent
   * changes of other fields are kept. It may throw: then nothing is changed.
   */
  readonly order?: (stored: ExportOrder) => ExportOrder;
  /** Credentials of the bucket that `order` sets. Credentials and bucket are always changed together. */
  readonly credentials?: S3Credentials;
}

/** Fields as the admin audit log names them. */
const CHANGED = { name: 'name', due: 'due', order: 'export', isPaused: 'paused', credentials: 'credentials' } as const;

const NOBODY_VOUCHES =
  'The person or token that set up the schedule has lost access to the account; anybody with access can resume the schedule';

/** The person or token responsible for the schedule still has access to the account. */
const IS_VOUCHED_FOR = `(a.status = 'active' AND CASE s.actor_kind
  WHEN 'token' THEN EXISTS (SELECT 1 FROM management_tokens v WHERE v.account_id = s.account_id AND v.token_id = s.actor_id
    AND v.deleted_at IS NULL AND (v.expires_at IS NULL OR v.expires_at > now()))
  ELSE EXISTS (SELECT 1 FROM memberships v WHERE v.account_id = s.account_id AND v.person_id::text = s.actor_id) END)`;

export class ExportSchedules {
  constructor(
    private readonly sql: TenantSql,
    private readonly audit: AdminAudit,
    private readonly sealingKey: SealingKey,
    private readonly nowMs: () => number = () => Date.now(),
  ) {}

  /** Lists the schedules, ordered by name. */
  async list(reach: Reach): Promise<ExportSchedule[]> {
    return select(this.sql.forAccounts(reach.accountId), reach);
  }

  async find(reach: Reach, id: string): Promise<ExportSchedule | null> {
    const [schedule] = await select(this.sql.forAccounts(reach.accountId), reach, id);
    return schedule ?? null;
  }

  /** Creates a schedule. Its first file begins at the last due time before the creation. */
  async create(
    manager: ActingManager,
    { name, due, order }: ScheduleFields,
    credentials?: S3Credentials,
  ): Promise<ExportSchedule | 'too_many'> {
    const { accountId, environment, actor } = manager;
    const id = uuidV7(this.nowMs());
    const sealed = await sealCredentials(credentials, { accountId, id, scheduleId: id }, this.sealingKey);
    return this.sql.forAccounts(accountId).transaction(async (transaction) => {
      await lockExports(transaction, accountId);
      const { n, nowMs } = await countAndTime(transaction, accountId);
      if (n >= MAX_SCHEDULES) return 'too_many';
      await transaction.query(
        `INSERT INTO export_schedules (account_id, id, environment, name, due, format, filters, columns, bom, destination,
           credentials, paused, covered_to, next_at, actor_kind, actor_id, created_at)
         VALUES ($1::uuid, $2::uuid, $3, $4, $5::json, $6, $7::json, $8::text[], $9, $10::json, $11::bytea, false,
           $12::timestamptz, $13::timestamptz, $14, $15, $16::timestamptz)`,
        [
          ...[accountId, id, environment ?? null, name, JSON.stringify(due), order.format],
          ...[JSON.stringify(order.filters), order.columns ?? null, order.bom, JSON.stringify(order.destination)],
          ...[sealed, iso(dueUntil(due, nowMs)), iso(dueAfter(due, nowMs)), actor.kind, actor.id, iso(nowMs)],
        ],
      );
      const details = { ...orderDetails(order), every: due.every };
      return this.recorded(transaction, manager, 'export.schedule_created', id, details);
    });
  }

  /**
   * Changes a schedule and makes the author of the change responsible for it. Null if there is no such schedule.
   *
   * @throws DatabaseError | DatabaseUnavailable, and the errors of `change.order`
   */
  async change(manager: ActingManager, id: string, change: ScheduleChange): Promise<ExportSchedule | null> {
    const { accountId, actor } = manager;
    const owner = { accountId, id, scheduleId: id };
    const sealed = await sealCredentials(change.credentials, owner, this.sealingKey);
    return this.sql.forAccounts(accountId).transaction(async (transaction) => {
      await lockExports(transaction, accountId);
      const [now] = await select(transaction, manager, id);
      if (now === undefined) return null;
      const { name = now.name, due = now.due, isPaused = now.isPaused } = change;
      const order = change.order?.(now.order) ?? now.order;
      const { nowMs } = await countAndTime(transaction, accountId);
      // Due times that passed during a pause, or that the change removes, are skipped: the next file covers their events.
      const isReset = change.due !== undefined || (now.isPaused && !isPaused);
      const nextMs = isReset ? dueAfter(due, Math.max(nowMs, now.coveredTo.getTime())) : now.nextAt.getTime();
      await transaction.query(
        `UPDATE export_schedules SET name = $3, due = $4::json, format = $5, filters = $6::json, columns = $7::text[],
           bom = $8, destination = $9::json, paused = $10, problem = CASE WHEN $10::boolean THEN problem END,
           next_at = $11::timestamptz, actor_kind = $12, actor_id = $13,
           credentials = CASE WHEN $14::boolean THEN $15::bytea ELSE credentials END
         WHERE account_id = $1::uuid AND id = $2::uuid`,
        [
          ...[accountId, id, name, JSON.stringify(due), order.format, JSON.stringify(order.filters)],
          ...[order.columns ?? null, order.bom, JSON.stringify(order.destination), isPaused, iso(nextMs)],
          ...[actor.kind, actor.id, order.destination.kind === 'download' || sealed !== null, sealed],
        ],
      );
      const fields = Object.entries(CHANGED).flatMap(([field, known]) =>
        change[field as keyof typeof CHANGED] === undefined ? [] : [known],
      );
      const details = { fields, paused: isPaused };
      return this.recorded(transaction, manager, 'export.schedule_changed', id, details);
    });
  }

  /**
   * Deletes a schedule and cancels its open export. Finished files stay. Returns the id of the cancelled export, or null if there was none;
   * false if there is no such schedule.
   */
  async remove(reach: Reach, id: string, actor: Actor): Promise<{ readonly ended: string | null } | false> {
    const { accountId } = reach;
    return this.sql.forAccounts(accountId).transaction(async (transaction) => {
      await lockExports(transaction, accountId);
      const [schedule] = await select(transaction, reach, id);
      if (schedule === undefined) return false;
      const key = [accountId, id];
      const [open] = await transaction.query<{ id: string }>(
        `UPDATE exports SET state = 'cancelled', ended_at = now(), runner = NULL, kept = false, stored = 0, credentials = NULL
         WHERE account_id = $1::uuid AND schedule_id = $2::uuid AND state IN ('queued', 'running') RETURNING id::text AS id`,
        key,
      );
      if (open !== undefined) await dropParts(transaction, { accountId, id: open.id });
      await transaction.query(
        'UPDATE exports SET schedule_id = NULL, due_at = NULL WHERE account_id = $1::uuid AND schedule_id = $2::uuid',
        key,
      );
      await transaction.query('DELETE FROM export_schedules WHERE account_id = $1::uuid AND id = $2::uuid', key);
      const details = { name: schedule.name };
      const entry = { accountId, actor, action: 'export.schedule_deleted', subject: id, details } as const;
      await this.audit.record(transaction, entry);
      return { ended: open?.id ?? null };
    });
  }

  /**
   * Creates the exports that are due, one for each due time: a second replica finds that the due time has already advanced. The
   * previous export must have ended, so that the new file begins where the previous one ends.
   */
  async startDue(accountId: string): Promise<void> {
    await this.sql.forAccounts(accountId).transaction(async (transaction) => {
      await lockExports(transaction, accountId);
      let room = MAX_OPEN - (await openExports(transaction, accountId));
      const { nowMs } = await countAndTime(transaction, accountId);
      const due = await transaction.query<ScheduleRow & { readonly isVouchedFor: boolean }>(
        `SELECT ${SCHEDULE_COLUMNS}, ${IS_VOUCHED_FOR} AS "isVouchedFor"
         FROM ${SCHEDULE_TABLES} JOIN accounts a ON a.id = s.account_id
         WHERE s.account_id = $1::uuid AND NOT s.paused AND s.next_at <= now() - interval '${SETTLE_SECONDS} seconds'
           AND NOT EXISTS (SELECT 1 FROM exports x WHERE x.account_id = s.account_id AND x.schedule_id = s.id
             AND x.state IN ('queued', 'running'))
         ORDER BY s.next_at, s.id`,
        [accountId],
      );
      for (const row of due) {
        const schedule = scheduleOf(accountId, row);
        if (!row.isVouchedFor) await this.pause(transaction, schedule);
        else if (room > 0) {
          await this.start(transaction, schedule, nowMs);
          room--;
        }
      }
    });
  }

  private async start(transaction: SqlExecutor, schedule: ExportSchedule, nowMs: number): Promise<void> {
    const { accountId, environment, by, coveredTo, nextAt } = schedule;
    const id = uuidV7(nowMs);
    const filters = { ...schedule.order.filters, from: coveredTo.toISOString(), to: nextAt.toISOString() };
    const order = { ...schedule.order, filters };
    const of = { id: schedule.id, dueAtMs: nextAt.getTime() };
    const row = { accountId, id, environment, order, by, createdAtMs: nowMs, sealed: null, schedule: of };
    await insertExport(transaction, row);
    const key = [accountId, schedule.id];
    await transaction.query(
      `UPDATE exports SET credentials = s.credentials FROM export_schedules s
       WHERE exports.account_id = $1::uuid AND exports.id = $3::uuid AND s.account_id = $1::uuid AND s.id = $2::uuid`,
      [...key, id],
    );
    await transaction.query(
      'UPDATE export_schedules SET next_at = $3::timestamptz WHERE account_id = $1::uuid AND id = $2::uuid',
      [...key, iso(dueAfter(schedule.due, nextAt.getTime()))],
    );
    const details = { ...orderDetails(order), schedule: schedule.id };
    const actor = actorWithoutRequest('system');
    await this.audit.record(transaction, { accountId, actor, action: 'export.created', subject: id, details });
  }

  private async pause(transaction: SqlExecutor, { accountId, id }: ExportSchedule): Promise<void> {
    await transaction.query(
      'UPDATE export_schedules SET paused = true, problem = $3 WHERE account_id = $1::uuid AND id = $2::uuid',
      [accountId, id, NOBODY_VOUCHES],
    );
    const actor = actorWithoutRequest('system');
    const details = { fields: ['paused'], paused: true };
    await this.audit.record(transaction, { accountId, actor, action: 'export.schedule_changed', subject: id, details });
  }

  private async recorded(
    transaction: SqlExecutor,
    { accountId, actor }: ActingManager,
    action: AdminActionName,
    id: string,
    more: Readonly<Record<string, string | boolean | readonly string[]>>,
  ): Promise<ExportSchedule> {
    const [schedule] = await select(transaction, { accountId }, id);
    if (schedule === undefined) throw new Error('a schedule that was just written is not there');
    const details = { name: schedule.name, ...more };
    await this.audit.record(transaction, { accountId, actor, action, subject: id, details });
    return schedule;
  }
}

async function select(sql: SqlExecutor, { accountId, environment }: Reach, id?: string): Promise<ExportSchedule[]> {
  const rows = await sql.query<ScheduleRow>(
    `SELECT ${SCHEDULE_COLUMNS} FROM ${SCHEDULE_TABLES}
     WHERE s.account_id = $1::uuid AND ($2::text IS NULL OR s.environment = $2) AND ($3::text IS NULL OR s.id = $3::text::uuid)
     ORDER BY s.name, s.id`,
    [accountId, environment ?? null, id ?? null],
  );
  return rows.map((row) => scheduleOf(accountId, row));
}

interface CountAndTime extends SqlRow {
  readonly n: number;
  readonly nowMs: number;
}

/** The number of schedules of the account, and the database's time, which all replicas share. */
async function countAndTime(transaction: SqlExecutor, accountId: string): Promise<CountAndTime> {
  const [row] = await transaction.query<CountAndTime>(
    `SELECT count(*)::integer AS n, floor(extract(epoch FROM now()) * 1000)::double precision AS "nowMs"
     FROM export_schedules WHERE account_id = $1::uuid`,
    [accountId],
  );
  if (row === undefined) throw new Error('a count has no row');
  return row;
}

const iso = (ms: number): string => new Date(ms).toISOString();
