import type { Database } from './database.js';
import { DatabaseError, DatabaseUnavailable } from './database-error.js';

/** Tables up to this size are rewritten in a moment, during which the embedded database serves nothing else anyway. */
const REWRITTEN_BYTES = 64 * 1024 * 1024;
/** SQLSTATE of a statement that was ended, by its time limit for one. */
const QUERY_CANCELED = '57014';

/**
 * Gives the room of deleted and changed rows back, so that their old versions are not read by anybody any more. Small tables
 * of the embedded database are written anew: nothing of the old rows is left in their files.
 *
 * @param tables names as PostgreSQL writes them; those that are not there are passed over
 * @returns false when a table could not be looked after now; the others were
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
    // Within the time that statements have: deadlines are the process's, and calls need theirs.
    await database.sql.query(`VACUUM ${isRewritten ? '(FULL)' : ''} ${name}`).catch((error: unknown) => {
      if (!isNotNow(error)) throw error;
      isDone = false;
    });
  }
  return isDone;
}

/** Whether somebody else holds the table, or it is too large for the time that statements have: no outage. */
function isNotNow(error: unknown): boolean {
  return error instanceof DatabaseError || (error instanceof DatabaseUnavailable && error.code === QUERY_CANCELED);
}
