import { setTimeout as delay } from 'node:timers/promises';
import type { Database } from './database.js';
import { DatabaseError, DatabaseUnavailable } from './database-error.js';
import { unlessAborted } from './deadline.js';

/** Tables up to this size are rewritten in a moment, during which the embedded database serves nothing else anyway. */
const REWRITTEN_BYTES = 64 * 1024 * 1024;
/** SQLSTATE of a cancelled statement, for example by its time limit. */
const QUERY_CANCELED = '57014';
const ASK_AGAIN_MS = 200;

/**
 * Frees the space of deleted and changed rows, so that their old versions are no longer readable. Small tables of the embedded database
 * are rewritten, so that their files contain no old rows.
 *
 * The embedded database cannot cancel a statement: a VACUUM that exceeds the time limit runs to its end, and meanwhile all statements are
 * refused. So this waits for that end, and then skips tables of at least the same size.
 *
 * @param tables names as PostgreSQL writes them; missing tables are skipped
 * @param signal ends the work before the next table; PostgreSQL is not waited for
 * @returns false if a table could not be vacuumed now; all other tables were vacuumed
 * @throws AbortError | DatabaseUnavailable
 */
export async function vacuum(database: Database, tables: readonly string[], signal?: AbortSignal): Promise<boolean> {
  const known = await database.sql.query<{ name: string; bytes: number }>(
    `SELECT c.oid::regclass::text AS name, pg_total_relation_size(c.oid)::double precision AS bytes
     FROM unnest($1::text[]) AS t (name) JOIN pg_class c ON c.oid = to_regclass(t.name) ORDER BY 1`,
    [tables],
  );
  const isEmbedded = database.kind === 'embedded';
  let isDone = true;
  let tooLargeBytes = Infinity;
  for (const { name, bytes } of known) {
    signal?.throwIfAborted();
    if (bytes >= tooLargeBytes) continue;
    const isRewritten = isEmbedded && bytes <= REWRITTEN_BYTES;
    try {
      // With the usual time limit: the deadline applies to the whole process, and suspending it would affect calls.
      const done = database.sql.query(`VACUUM ${isRewritten ? '(FULL)' : ''} ${name}`);
      // The embedded database answers nothing else until the end of the statement.
      await (isEmbedded ? done : unlessAborted(signal, done));
    } catch (error) {
      const isTooLarge = isEmbedded && isSilence(error);
      if (!isTooLarge && !isNotNow(error)) throw error;
      isDone = false;
      if (!isTooLarge) continue;
      tooLargeBytes = bytes;
      await untilAnswering(database);
    }
  }
  return isDone;
}

/** @throws DatabaseUnavailable if the database has ended */
async function untilAnswering(database: Database): Promise<void> {
  for (;;) {
    try {
      return await database.ping();
    } catch (error) {
      if (!isSilence(error)) throw error;
    }
    await delay(ASK_AGAIN_MS);
  }
}

function isSilence(error: unknown): boolean {
  return error instanceof DatabaseUnavailable && error.isSilence;
}

/** Whether an error only means that the table is locked, or is too large for the time limit of statements: this is not an outage. */
function isNotNow(error: unknown): boolean {
  return error instanceof DatabaseError || (error instanceof DatabaseUnavailable && error.code === QUERY_CANCELED);
}
