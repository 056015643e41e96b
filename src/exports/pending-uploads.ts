/** Aborts uploads to buckets that no process continues. */
import { randomUUID } from 'node:crypto';
import type { Reach } from '../access/index.js';
import type { SqlExecutor, TenantSql } from '../database/index.js';
import type { ExportFormat } from '../events/index.js';
import { S3Bucket } from '../object-storage/index.js';
import type { ExportDestination } from './export-job.js';
import { LEASE_SECONDS } from './export-jobs.js';
import { objectKey } from './file-sink.js';
import { unsealCredentials, type SealedRow, type SealingKey } from './new-export.js';

/** An upload that an export has begun, and what is needed to abort it. */
export interface BegunUpload extends SealedRow {
  readonly id: string;
  readonly scheduleId: string | null;
  readonly format: ExportFormat;
  readonly createdAtMs: number;
  readonly destination: string;
  readonly upload: string;
}

const UPLOAD_COLUMNS = `id::text AS id, schedule_id::text AS "scheduleId", format, destination::text AS destination, upload,
  floor(extract(epoch FROM created_at) * 1000)::double precision AS "createdAtMs", encode(credentials, 'base64') AS credentials`;
const HAS_UPLOAD = 'upload IS NOT NULL AND credentials IS NOT NULL';

/** The uploads that these exports have begun. To be called in the transaction that deletes their credentials, and before that. */
export function begunUploads(sql: SqlExecutor, accountId: string, ids: readonly string[]): Promise<BegunUpload[]> {
  return sql.query<BegunUpload>(
    `SELECT ${UPLOAD_COLUMNS} FROM exports WHERE account_id = $1::uuid AND id = ANY ($2::text[]::uuid[]) AND ${HAS_UPLOAD}`,
    [accountId, ids],
  );
}

/**
 * An export that waits for its next turn, or that has failed and can be resumed, has begun an upload that no process works on. The parts of
 * such an upload stay in the bucket, and cost its owner money, until it is aborted, and that needs the credentials, which are deleted when
 * the export is cancelled, removed, emptied by an erasure or over.
 */
export class PendingUploads {
  constructor(
    private readonly sql: TenantSql,
    private readonly sealingKey: SealingKey,
    /** Endpoints of buckets that may be in private networks. */
    private readonly trusted: readonly string[],
  ) {}

  /**
   * Cancels or removes exports by `remove`, and then aborts their uploads that no process works on. Does not wait for the bucket. A process
   * that works on one aborts it itself when it finds that the export is cancelled.
   *
   * @throws DatabaseError | DatabaseUnavailable, and the errors of `remove`
   */
  async removing<Result>(reach: Reach, ids: readonly string[], remove: () => Promise<Result>): Promise<Result> {
    const pending = await Promise.all(ids.map((id) => this.take(reach, id)));
    const result = await remove();
    this.abort(reach.accountId, pending.flat());
    return result;
  }

  /** Aborts uploads. Does not wait for the bucket: if it does not answer, its lifecycle rules delete the parts. */
  abort(accountId: string, uploads: readonly BegunUpload[]): void {
    for (const upload of uploads) void this.abortOne(accountId, upload).catch(() => undefined);
  }

  /**
   * The upload of an export. An open export is claimed, so that no process continues the upload.
   *
   * @returns nothing if it has none, or a process works on it
   */
  private take({ accountId, environment }: Reach, id: string): Promise<BegunUpload[]> {
    return this.sql.forAccounts(accountId).query<BegunUpload>(
      `UPDATE exports SET state = CASE state WHEN 'failed' THEN state ELSE 'running' END, runner = $4::uuid,
         lease_until = now() + interval '${LEASE_SECONDS} seconds'
       WHERE account_id = $1::uuid AND id = $2::uuid AND ($3::text IS NULL OR environment = $3) AND ${HAS_UPLOAD}
         AND (state = 'failed' OR (state IN ('queued', 'running') AND (lease_until IS NULL OR lease_until < now())))
       RETURNING ${UPLOAD_COLUMNS}`,
      [accountId, id, environment ?? null, randomUUID()],
    );
  }

  private async abortOne(accountId: string, begun: BegunUpload): Promise<void> {
    const { id, scheduleId, format, createdAtMs, upload } = begun;
    const destination = JSON.parse(begun.destination) as ExportDestination;
    const owner = { accountId, id, scheduleId };
    const credentials = await unsealCredentials(begun.credentials, owner, this.sealingKey);
    if (credentials === null || destination.kind !== 's3') return;
    const bucket = new S3Bucket(destination, credentials, this.trusted);
    const key = objectKey(destination, { id, format, createdAt: new Date(createdAtMs) });
    await bucket.abort(key, upload).finally(() => bucket.close());
  }
}
