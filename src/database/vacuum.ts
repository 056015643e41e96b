import type { Database } from './database.js';
import { DatabaseError } from './database-error.js';

/** Tables up to this size are written anew in a moment, during which the embedded database serves nobody else anyway. */
const REWRITTEN_BYTES = 64 * 1024 * 1024;

/**
 * Gives the room of deleted and changed rows back, so that their old versions are not read by anybody any more. Small tables
 * of the embedded database are written anew: nothing of the old rows is left in their files.
 *
 * @param tables names as PostgreSQL writes them; those that are not there are passed over
 * @returns false when a table could not be looked after now
 * @throws DatabaseUnavailable
 */
export async function vacuum(database: Database, tables: readonly string[]): Promise<boolean> {
  const known = await database.sql.query<{ name: string; bytes: number }>(
    `SELECT c.oid::regclass::text AS name, pg_total_relation_size(c.oid)::double precision AS bytes
     FROM unnest($1::text[]) AS t (name) JOIN pg_class c ON c.oid = to_regclass(t.name) ORDER BY 1`,
    [tables],
  );
  try {
    await database.unhurried(async () => {
      for (const { name, bytes } of known) {
        const isRewritten = database.kind === 'embedded' && bytes <= REWRITTEN_BYTES;
        await database.sql.query(`VACUUM ${isRewritten ? '(FULL)' : ''} ${name}`);
      }
    });
    return true;
  } catch (error) {
    if (error instanceof DatabaseError) return false;
    throw error;
  }
}
