import type { SqlRunner } from '../../database/index.js';
import { notArchived } from '../archive/catalogue.js';

/**
 * As the owner of the tables: forgets the marks of events that are not kept any more.
 *
 * @returns how many there were
 * @throws DatabaseError | DatabaseUnavailable
 */
export async function forgetMarks(sql: SqlRunner): Promise<number> {
  const gone = await sql.forMaintenance().query(
    `DELETE FROM event_marks m
     WHERE NOT EXISTS (SELECT 1 FROM events e WHERE e.account_id = m.account_id AND e.id = m.event_id)
       AND ${notArchived('m.account_id', 'm.event_id')} RETURNING 1 AS one`,
  );
  return gone.length;
}
