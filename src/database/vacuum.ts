import type { Database } from './database.js';
import { DatabaseError, DatabaseUnavailable } from './database-error.js';

/** Tables up to this size are rewritten in a moment, during which the embedded database serves nothing else anyway. */
const REWRITTEN_BYTES = 64 * 1024 * 1024;
/** SQLSTATE of a cancelled statement, for example by its time limit. */
const QUERY_CANCELED = '57014';

/**
 * Frees the space of deleted and changed rows, so that their old versions are no longer readable. Small tables of the embedded database
 * are rewritten, so that their files contain no old rows.
 *
 * @param tables names as PostgreSQL writes them; missing tables are skipped
 * @returns false if a table could not be vacuumed now; all other tables were vacuumed
 * @throws DatabaseUnavailable
 */
export async function vacuum(database: Database, tables: readonly string[]): Promise<boolean> {
  const known = await database.sql.query<{ name: string; bytes: number }>(
    `SELECT c.oid::regclass::text AS name, pg_total_relation_size(c.oid)::double precision AS bytes
     FROM unnest($1::text[]) AS t (name) JOIN pg_class c ON c.oid = to_regclass(t.name) ORDER BY 1`,
    [tables],
  );
  let isDone = true;
  for (const { name, bytes } of known) {
    const isRewritten = database.kind === 'embedded' && bytes <= REWRITTEN_BYTES;
    // With the usual time limit: the deadline applies to the whole process, and suspending it would affect calls.
    await database.sql.query(`VACUUM ${isRewritten ? '(FULL)' : ''} ${name}`).catch((error: unknown) => {
      if (!isNotNow(error)) throw error;
      isDone = false;
    });
  }
  return isDone;
}

/** Whether an error only means that the table is locked, or is too large for the time limit of statements: this is not an outage. */
function isNotNow(error: unknown): boolean {
  return error instanceof DatabaseError || (error instanceof DatabaseUnavailable && error.code === QUERY_CANCELED);
}
