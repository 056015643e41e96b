/** Restores an archived part to the log for a limited time. */
import type { SqlRunner } from '../../database/index.js';
import { ensurePartitions } from '../partitions.js';
import { movePart, type ArchivePart } from './catalogue.js';
import { insertRows } from './log-rows.js';
import { PartChanged, rowsOfPart, type ArchiveFiles } from './rewrite-part.js';

/**
 * An erasure is scanning the log of the account: it would miss events that are restored behind its
 * position.
 */
export class ErasureOpen extends Error {
  override readonly name = 'ErasureOpen';
}

/**
 * Runs as the owner of the tables: inserts the events into the log again, and deletes the object.
 *
 * @param keepDays number of days for which the week of the restored events is not archived again
 * @throws ErasureOpen | PartChanged | PartDiffers | NotStored | WorkerFailure | DatabaseError | DatabaseUnavailable
 */
export async function restorePart(
  files: ArchiveFiles,
  sql: SqlRunner,
  part: ArchivePart,
  { keepDays, now }: { readonly keepDays: number; readonly now: Date },
): Promise<void> {
  const rows = await rowsOfPart(files, part);
  const maintenance = sql.forMaintenance();
  await maintenance.transaction(async (transaction) => {
    // New requests for an erasure wait for this transaction.
    await transaction.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [`erasures ${part.accountId}`]);
    const open = await transaction.query(
      `SELECT 1 AS one FROM erasures WHERE account_id = $1::uuid AND state <> 'done' AND NOT dry_run LIMIT 1`,
      [part.accountId],
    );
    if (open.length > 0) throw new ErasureOpen('an erasure of this account is running; restore when it has ended');
    if (!(await movePart(transaction, part, { from: 'archived', to: 'deleting' }))) {
      throw new PartChanged('the part is no longer in the archive');
    }
    await insertRows(transaction, 'events', rows);
    // Retention may be complete in the log but not yet in the archive.
    await transaction.query(
      `INSERT INTO event_weeks (account_id, environment, week) VALUES ($1::uuid, $2, $3)
       ON CONFLICT (account_id, environment, week) DO UPDATE SET settled = ''`,
      [part.accountId, part.environment, part.week],
    );
    await transaction.query(
      `INSERT INTO archive_parts (account_id, id, environment, week, state, object_key, first_id, last_id, events, created_at,
         state_at, keep_until)
       SELECT account_id, gen_random_uuid(), environment, week, 'restored', '', first_id, last_id, events, now(), now(),
         now() + make_interval(days => $3::integer)
       FROM archive_parts WHERE account_id = $1::uuid AND id = $2::uuid`,
      [part.accountId, part.id, keepDays],
    );
  });
  await ensurePartitions(sql, now);
  await files.store.delete(part.key);
}
