/** Discards what a cancelled export has left in its bucket. */
import { randomUUID } from 'node:crypto';
import type { Reach } from '../access/index.js';
import type { TenantSql } from '../database/index.js';
import type { ClaimedJob } from './export-job.js';
import { LEASE_SECONDS, type ClaimRow, type ExportJobs } from './export-jobs.js';
import { sinkOf } from './file-sink.js';
import { unsealCredentials, type SealingKey } from './new-export.js';

/**
 * An export that waits for its next turn has begun an upload that no process works on. The parts of such an upload stay in the bucket, and
 * cost its owner money, until it is aborted, and that needs the credentials, which are deleted with the cancellation.
 */
export class PendingUploads {
  constructor(
    private readonly sql: TenantSql,
    private readonly jobs: ExportJobs,
    private readonly sealingKey: SealingKey,
    /** Endpoints of buckets that may be in private networks. */
    private readonly trusted: readonly string[],
  ) {}

  /**
   * Cancels exports by `remove`, and then aborts their uploads that no process works on. Does not wait for the bucket. A process that
   * works on one aborts it itself when it finds that the export is cancelled.
   *
   * @throws DatabaseError | DatabaseUnavailable, and the errors of `remove`
   */
  async removing<Result>(reach: Reach, ids: readonly string[], remove: () => Promise<Result>): Promise<Result> {
    const pending = await Promise.all(ids.map((id) => this.take(reach, id)));
    const result = await remove();
    for (const job of pending) if (job !== null) void this.abort(job);
    return result;
  }

  /** Claims the job, so that no process continues its upload. @returns null if it has none, or another process works on it */
  private async take({ accountId, environment }: Reach, id: string): Promise<ClaimedJob | null> {
    const runner = randomUUID();
    const [taken] = await this.sql.forAccounts(accountId).query<ClaimRow>(
      `UPDATE exports SET state = 'running', runner = $4::uuid, lease_until = now() + interval '${LEASE_SECONDS} seconds'
       WHERE account_id = $1::uuid AND id = $2::uuid AND ($3::text IS NULL OR environment = $3)
         AND state IN ('queued', 'running') AND (lease_until IS NULL OR lease_until < now())
         AND upload IS NOT NULL AND credentials IS NOT NULL
       RETURNING id::text AS id, parts, hash, upload, encode(credentials, 'base64') AS credentials,
         schedule_id::text AS "scheduleId"`,
      [accountId, id, environment ?? null, runner],
    );
    const job = taken === undefined ? null : await this.jobs.find({ accountId }, id);
    if (taken === undefined || job === null) return null;
    const { parts, hash, upload } = taken;
    const credentials = await unsealCredentials(taken.credentials, { accountId, ...taken }, this.sealingKey);
    return credentials === null ? null : { ...job, runner, parts, hash, upload, credentials };
  }

  /** Never rejects: a bucket that does not answer keeps the parts. */
  private async abort(job: ClaimedJob): Promise<void> {
    try {
      const sink = sinkOf(job, this.jobs, this.trusted);
      await sink.abandon().finally(() => sink.close());
    } catch {
      // The lifecycle rules of the bucket delete the parts.
    }
  }
}
