/**
 * Marks on decisions, given by people: right, wrong, missed. Notes are masked before they are stored.
 */
import type { SqlRunner } from '../../database/index.js';
import { notArchived } from '../archive/catalogue.js';

/**
 * Deletes the marks of events that are no longer stored, with the role of the tables' owner.
 *
 * @returns the number of deleted marks
 * @throws DatabaseError | DatabaseUnavailable
 */
export async function deleteMarks(sql: SqlRunner): Promise<number> {
  const gone = await sql.forMaintenance().query(
    `DELETE FROM event_marks m
     WHERE NOT EXISTS (SELECT 1 FROM events e WHERE e.account_id = m.account_id AND e.id = m.event_id)
       AND ${notArchived('m.account_id', 'm.event_id')} RETURNING 1 AS one`,
  );
  return gone.length;
}
