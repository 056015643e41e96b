/** Export jobs of accounts and their files, in the database: every replica sees them, and one replica at a time works on a job. */
import { randomUUID } from 'node:crypto';
import type { Reach } from '../access/index.js';
import type { Actor, AdminAudit } from '../admin-audit/index.js';
import type { SqlExecutor, TenantSql } from '../database/index.js';
import { uuidV7 } from '../http/index.js';
import { ExportRefused, ExportTaken } from './export-errors.js';
import { isOpen, type ClaimedJob, type ExportJob, type ExportOrder } from './export-job.js';
import type { S3Credentials } from '../object-storage/index.js';
import {
  checkRoom,
  dropParts,
  insertExport,
  lockExports,
  orderDetails,
  sealCredentials,
  unsealCredentials,
  type SealedRow,
  type SealingKey,
} from './new-export.js';
import { SETTLE_SECONDS } from './schedules/due-times.js';
import { JOB_COLUMNS, JOB_TABLES, jobOf, type JobRow } from './job-row.js';

/** Maximum number of running exports per account. */
export const MAX_RUNNING = 2;
/** Days for which a job stays in the list; the jobs of a schedule are its history and stay longer. */
const LISTED_DAYS = 30;
const HISTORY_DAYS = 400;
const MAX_LISTED = 200;
/** Condition that the entry of an ended export is to be deleted. */
export const IS_OLD = `(state NOT IN ('queued', 'running')
  AND created_at < now() - CASE WHEN schedule_id IS NULL THEN interval '${LISTED_DAYS} days' ELSE interval '${HISTORY_DAYS} days' END)`;
/** Condition that the parts of an export are to be deleted. */
export const IS_OVER = `((kept AND expires_at < now()) OR ${IS_OLD})`;
const IS_WAITING = `((state = 'queued' AND NOT paused) OR (state = 'running' AND (lease_until IS NULL OR lease_until < now())))`;
/** After this time, another process takes over the job of a process that died. */
export const LEASE_SECONDS = 30;

export interface NewPart {
  readonly content: Uint8Array;
  readonly about: Uint8Array;
  readonly rows: number;
  readonly bytes: number;
  readonly cursor: string | null;
  readonly hash: string;
  /** The bucket's ETag of the part; undefined: the part is stored here, in `content`. */
  readonly etag?: string;
  /** SHA-256 of the whole file; set with the last part. */
  readonly sha256?: string;
}

export interface ExportLimits {
  /** How long a file is kept. */
  readonly keepMs: number;
  /** Maximum size of the stored files of one account, compressed. */
  readonly storageBytes: number;
}

export class ExportJobs {
  constructor(
    private readonly sql: TenantSql,
    private readonly audit: AdminAudit,
    private readonly limits: ExportLimits,
    private readonly sealingKey: SealingKey,
    private readonly nowMs: () => number = () => Date.now(),
  ) {}

  /** @throws ExportRefused if too many exports are queued or running already */
  async create(
    { accountId, environment }: Reach,
    order: ExportOrder,
    actor: Actor,
    credentials?: S3Credentials,
  ): Promise<ExportJob> {
    const nowMs = this.nowMs();
    const id = uuidV7(nowMs);
    const sealed = await sealCredentials(credentials, { accountId, id }, this.sealingKey);
    await this.sql.forAccounts(accountId).transaction(async (transaction) => {
      await lockExports(transaction, accountId);
      await checkRoom(transaction, accountId, 1);
      const row = { accountId, id, environment, order, by: actor, createdAtMs: nowMs, sealed };
      await insertExport(transaction, row);
      const details = orderDetails(order);
      await this.audit.record(transaction, { accountId, actor, action: 'export.created', subject: id, details });
    });
    const job = await this.find({ accountId }, id);
    if (job === null) throw new Error('an export was not stored');
    return job;
  }

  /** Newest first. @param scheduleId only exports that this schedule requested */
  async list(reach: Reach, scheduleId?: string): Promise<ExportJob[]> {
    return this.select(this.sql.forAccounts(reach.accountId), reach, { scheduleId });
  }

  async find(reach: Reach, id: string): Promise<ExportJob | null> {
    const [job] = await this.select(this.sql.forAccounts(reach.accountId), reach, { id });
    return job ?? null;
  }

  /**
   * Cancels a queued or running job; removes an ended one from the list. Both delete its file.
   *
   * @returns false if there is no such job
   */
  async remove(reach: Reach, id: string, actor: Actor): Promise<boolean> {
    const { accountId } = reach;
    return this.sql.forAccounts(accountId).transaction(async (transaction) => {
      await lockExports(transaction, accountId, id);
      const [job] = await this.select(transaction, reach, { id });
      if (job === undefined) return false;
      await dropParts(transaction, job);
      await transaction.query(
        isOpen(job)
          ? `UPDATE exports SET state = 'cancelled', ended_at = now(), runner = NULL, kept = false, stored = 0, credentials = NULL
             WHERE account_id = $1::uuid AND id = $2::uuid`
          : 'DELETE FROM exports WHERE account_id = $1::uuid AND id = $2::uuid',
        [accountId, id],
      );
      const action = isOpen(job) ? 'export.cancelled' : 'export.removed';
      await this.audit.record(transaction, { accountId, actor, action, subject: id });
      return true;
    });
  }

  /** Records a download in the admin audit log. */
  async noteDownload({ accountId, id }: ExportJob, actor: Actor): Promise<void> {
    await this.sql
      .forAccounts(accountId)
      .transaction((transaction) =>
        this.audit.record(transaction, { accountId, actor, action: 'export.downloaded', subject: id }),
      );
  }

  /** Records a test of a bucket in the admin audit log. @throws DatabaseError | DatabaseUnavailable */
  async noteTrial(accountId: string, actor: Actor, bucket: string, ok: boolean): Promise<void> {
    const entry = { accountId, actor, action: 'export.bucket_tried', subject: bucket, details: { ok } } as const;
    await this.sql.forAccounts(accountId).transaction((transaction) => this.audit.record(transaction, entry));
  }

  /** The stored parts of a file, one at a time. */
  async *contents(accountId: string, id: string): AsyncGenerator<Uint8Array> {
    for (let number = 0; ; number++) {
      const [part] = await this.sql.forAccounts(accountId).query<{ content: string }>(
        `SELECT encode(content, 'base64') AS content FROM export_parts
         WHERE account_id = $1::uuid AND export_id = $2::uuid AND number = $3::integer`,
        [accountId, id, number],
      );
      if (part === undefined) return;
      yield Buffer.from(part.content, 'base64');
    }
  }

  /** The data about each part, in order, from which the end of the file is written. */
  async abouts(accountId: string, id: string): Promise<Uint8Array[]> {
    const rows = await this.sql.forAccounts(accountId).query<{ about: string }>(
      `SELECT encode(about, 'base64') AS about FROM export_parts
       WHERE account_id = $1::uuid AND export_id = $2::uuid ORDER BY number`,
      [accountId, id],
    );
    return rows.map(({ about }) => Buffer.from(about, 'base64'));
  }

  /** Accounts with queued or abandoned jobs that are not paused, due schedules, or expired files or entries. */
  async accountsWithWork(): Promise<string[]> {
    const rows = await this.sql.forDuty('sweep').query<{ id: string }>(
      `SELECT DISTINCT account_id::text AS id FROM exports WHERE ${IS_WAITING} OR ${IS_OVER}
       UNION
       SELECT account_id::text FROM export_schedules
       WHERE NOT paused AND next_at <= now() - interval '${SETTLE_SECONDS} seconds'`,
    );
    return rows.map(({ id }) => id);
  }

  /** Whether the account has a job that no process works on, and that is not paused. */
  async isWaiting(accountId: string): Promise<boolean> {
    const rows = await this.sql
      .forAccounts(accountId)
      .query(`SELECT 1 AS found FROM exports WHERE account_id = $1::uuid AND ${IS_WAITING} LIMIT 1`, [accountId]);
    return rows.length > 0;
  }

  /** Claims the account's oldest abandoned job, else its oldest queued one; null if there is none, or if `MAX_RUNNING` are running. */
  async claim(accountId: string): Promise<ClaimedJob | null> {
    const runner = randomUUID();
    const taken = await this.sql.forAccounts(accountId).transaction(async (transaction) => {
      await lockExports(transaction, accountId);
      const [claimed] = await transaction.query<ClaimRow>(
        `UPDATE exports SET state = 'running', runner = $2::uuid, lease_until = now() + interval '${LEASE_SECONDS} seconds'
         WHERE account_id = $1::uuid AND id = (
             SELECT id FROM exports WHERE account_id = $1::uuid AND ${IS_WAITING} ORDER BY state DESC, created_at, id LIMIT 1)
           AND (SELECT count(*) FROM exports WHERE account_id = $1::uuid
                AND state = 'running' AND lease_until >= now()) < ${MAX_RUNNING}
         RETURNING id::text AS id, parts, hash, upload, encode(credentials, 'base64') AS credentials,
           schedule_id::text AS "scheduleId"`,
        [accountId, runner],
      );
      if (claimed === undefined) return null;
      const [job] = await this.select(transaction, { accountId }, { id: claimed.id });
      return job === undefined ? null : { job, claimed };
    });
    if (taken === null) return null;
    const { parts, hash, upload } = taken.claimed;
    // The key is read after the transaction: the embedded database has only one connection.
    const owner = { accountId, ...taken.claimed };
    const credentials = await unsealCredentials(owner.credentials, owner, this.sealingKey);
    return { ...taken.job, runner, parts, hash, upload, credentials };
  }

  /**
   * Renews the lease of the job.
   *
   * @param cursor the position of a run that has found nothing since the last part
   * @throws ExportTaken
   */
  async keepUp(job: ClaimedJob, cursor?: string): Promise<void> {
    const change = `lease_until = now() + interval '${LEASE_SECONDS} seconds', cursor = coalesce($4, cursor)`;
    await this.mine(this.sql.forAccounts(job.accountId), job, change, cursor ?? null);
  }

  async expect(job: ClaimedJob, rows: number | null): Promise<void> {
    await this.mine(this.sql.forAccounts(job.accountId), job, 'rows_expected = $4::text::bigint', String(rows ?? ''));
  }

  /** Stores the id of the multipart upload started at the bucket. @throws ExportTaken */
  async uploading(job: ClaimedJob, upload: string): Promise<void> {
    await this.mine(this.sql.forAccounts(job.accountId), job, 'upload = $4', upload);
  }

  /** The bucket's ETags of the parts, in order. */
  async etags({ accountId, id }: ExportJob): Promise<string[]> {
    const rows = await this.sql
      .forAccounts(accountId)
      .query<{ etag: string }>(
        `SELECT etag FROM export_parts WHERE account_id = $1::uuid AND export_id = $2::uuid AND etag <> '' ORDER BY number`,
        [accountId, id],
      );
    return rows.map(({ etag }) => etag);
  }

  /** Marks the job as done: the bucket has the complete file. @throws ExportTaken */
  async delivered(job: ClaimedJob): Promise<void> {
    await this.sql.forAccounts(job.accountId).transaction(async (transaction) => {
      await this.mine(
        transaction,
        job,
        `state = 'done', error = NULL, ended_at = now(), kept = false, credentials = NULL`,
      );
      await dropParts(transaction, job);
      await noteCovered(transaction, job);
    });
  }

  /**
   * Adds a part. The last one completes the job, unless the upload to a bucket still has to be completed. @throws ExportTaken,
   * ExportRefused
   */
  async addPart(job: ClaimedJob, number: number, part: NewPart): Promise<void> {
    const { accountId, id } = job;
    const { content, about, rows, bytes, cursor, hash, etag, sha256 } = part;
    const isDone = sha256 !== undefined && etag === undefined;
    await this.sql.forAccounts(accountId).transaction(async (transaction) => {
      await this.mine(
        transaction,
        job,
        `lease_until = now() + interval '${LEASE_SECONDS} seconds', kept = true, parts = $4::integer, rows = rows + $5::integer,
         bytes = bytes + $6::text::bigint, stored = stored + $7::integer, cursor = $8, hash = $9, sha256 = $10,
         state = CASE WHEN $12::boolean THEN 'done' ELSE state END,
         ended_at = CASE WHEN $12::boolean THEN now() END,
         expires_at = CASE WHEN $12::boolean THEN now() + make_interval(secs => $11::double precision) END`,
        ...[
          number + 1,
          rows,
          String(bytes),
          content.length,
          cursor,
          hash,
          sha256 ?? null,
          this.limits.keepMs / 1000,
          isDone,
        ],
      );
      await transaction.query(
        `INSERT INTO export_parts (account_id, export_id, number, content, about, etag)
         VALUES ($1::uuid, $2::uuid, $3::integer, $4::bytea, $5::bytea, $6)`,
        [accountId, id, number, content, about, etag ?? null],
      );
      const [kept] = await transaction.query<{ bytes: number }>(
        'SELECT coalesce(sum(stored), 0)::double precision AS bytes FROM exports WHERE account_id = $1::uuid AND kept',
        [accountId],
      );
      if ((kept?.bytes ?? 0) > this.limits.storageBytes) {
        throw new ExportRefused('The stored export files have reached their size limit: remove one');
      }
      if (isDone) await noteCovered(transaction, job);
    });
  }

  /** The schedule's previous file, if its late events have not been counted yet. */
  async fileBefore({ accountId, schedule }: ExportJob): Promise<ExportJob | null> {
    if (schedule === undefined) return null;
    const jobs = await this.list({ accountId }, schedule.id);
    const dueMs = (job: ExportJob): number => job.schedule?.dueAt.getTime() ?? -Infinity;
    const before = jobs.filter((job) => job.state === 'done' && dueMs(job) < schedule.dueAt.getTime());
    const [last] = before.sort((one, other) => dueMs(other) - dueMs(one));
    return last?.schedule?.lateRows === null ? last : null;
  }

  /** Stores the number of events that were logged too late for a file. */
  async noteLate({ accountId, id }: ExportJob, rows: number): Promise<void> {
    await this.sql
      .forAccounts(accountId)
      .query('UPDATE exports SET late_rows = $3::text::bigint WHERE account_id = $1::uuid AND id = $2::uuid', [
        ...[accountId, id, String(rows)],
      ]);
  }

  /**
   * Marks a job as failed. If it may be resumed, its parts and the credentials of its bucket are kept for as long as a file.
   *
   * @param error shown to users; contains no event data and no credentials
   * @throws ExportTaken
   */
  async fail(job: ClaimedJob, error: string, mayResume = false): Promise<void> {
    // A failed run of a schedule is not resumed: the next run exports its events as well, and they would be exported twice.
    const keeps = mayResume && job.schedule === undefined;
    await this.sql.forAccounts(job.accountId).transaction(async (transaction) => {
      await this.mine(
        transaction,
        job,
        `state = 'failed', error = $4, ended_at = now(), runner = NULL, kept = kept AND $5::boolean,
         stored = CASE WHEN $5::boolean THEN stored ELSE 0 END,
         credentials = CASE WHEN kept AND $5::boolean THEN credentials END,
         expires_at = CASE WHEN kept AND $5::boolean THEN now() + make_interval(secs => $6::double precision) END`,
        ...[error, keeps, this.limits.keepMs / 1000],
      );
      if (!keeps) await dropParts(transaction, job);
    });
  }

  /** Lets the job begin again, because its parts are lost. @param why shown to users while it runs @throws ExportTaken */
  async restart(job: ClaimedJob, why: string): Promise<void> {
    const anew = 'parts = 0, rows = 0, bytes = 0, stored = 0, kept = false, cursor = NULL, hash = NULL, sha256 = NULL';
    await this.sql.forAccounts(job.accountId).transaction(async (transaction) => {
      await this.mine(transaction, job, `${anew}, upload = NULL, error = $4, runner = NULL, lease_until = NULL`, why);
      await dropParts(transaction, job);
    });
  }

  /** Releases the job, so that another process can continue it immediately. */
  async release(job: ClaimedJob): Promise<void> {
    await this.mine(this.sql.forAccounts(job.accountId), job, 'lease_until = NULL, runner = NULL');
  }

  private async mine(
    sql: SqlExecutor,
    { accountId, id, runner }: ClaimedJob,
    change: string,
    ...values: readonly (string | number | boolean | null)[]
  ): Promise<void> {
    const [changed] = await sql.query(
      `UPDATE exports SET ${change}
       WHERE account_id = $1::uuid AND id = $2::uuid AND runner = $3::uuid AND state = 'running' RETURNING id::text AS id`,
      [accountId, id, runner, ...values],
    );
    if (changed === undefined) throw new ExportTaken();
  }

  private async select(
    sql: SqlExecutor,
    { accountId, environment }: Reach,
    { id, scheduleId }: { readonly id?: string | undefined; readonly scheduleId?: string | undefined },
  ): Promise<ExportJob[]> {
    const rows = await sql.query<JobRow>(
      `SELECT ${JOB_COLUMNS} FROM ${JOB_TABLES}
       WHERE x.account_id = $1::uuid AND ($2::text IS NULL OR x.environment = $2) AND ($3::text IS NULL OR x.id = $3::text::uuid)
         AND ($4::text IS NULL OR x.schedule_id = $4::text::uuid)
       ORDER BY x.id DESC LIMIT ${MAX_LISTED}`,
      [accountId, environment ?? null, id ?? null, scheduleId ?? null],
    );
    return rows.map((row) => jobOf(accountId, row));
  }
}

/** What a claim of a job returns from its row. */
interface ClaimRow extends SealedRow {
  readonly id: string;
  readonly scheduleId: string | null;
  readonly parts: number;
  readonly hash: string | null;
  readonly upload: string | null;
}

/** Notes in the schedule where this file ends, because the next file begins there. */
async function noteCovered(transaction: SqlExecutor, { accountId, schedule }: ExportJob): Promise<void> {
  if (schedule === undefined) return;
  await transaction.query(
    `UPDATE export_schedules SET covered_to = greatest(covered_to, $3::timestamptz)
     WHERE account_id = $1::uuid AND id = $2::uuid`,
    [accountId, schedule.id, schedule.dueAt.toISOString()],
  );
}
