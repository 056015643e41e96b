/** Retention of archived events: due texts are removed from their parts, due records are deleted, and held ones stay. */
import type { SqlExecutor, SqlSession } from '../../database/index.js';
import { partsWhere, type ArchivePart } from '../archive/catalogue.js';
import { boundsOf, OF_PART, rewritePart, whilePartsChange, type ArchiveFiles } from '../archive/rewrite-part.js';
import type { Week } from '../partitions.js';
import type { Due } from './due.js';
import { gatherHeld, heldTerm } from './held-events.js';
import { emptyAnswers, parametersOf, SAYS_WHAT_HAPPENED, TEXTS } from './replace-week.js';

/** The week has archived parts, but this server has no archive configured. */
export class NoArchive extends Error {
  override readonly name = 'NoArchive';
}

/**
 * Applies retention to archived parts, with the role that owns the tables, and counts the held events of the week in archive and log.
 *
 * @param files undefined if no archive is configured
 * @throws NoArchive | PartDiffers | NotStored | WorkerFailure | DatabaseError | DatabaseUnavailable; the caller has to
 * retry
 */
export async function keepArchived(
  maintenance: SqlSession,
  week: Week,
  parts: readonly Due[],
  files: ArchiveFiles | undefined,
): Promise<void> {
  for (const due of parts) {
    await whilePartsChange(async () => {
      const archived = await partsWhere(
        maintenance,
        `p.account_id = $1::uuid AND p.environment = $2 AND p.week = $3 AND p.state = 'archived'`,
        [due.accountId, due.environment, week.table],
      );
      if (archived.length === 0) return;
      if (files === undefined) throw new NoArchive('events are in an archive, and WEIR_ARCHIVE is not set');
      let inArchive = 0;
      for (const part of archived) {
        const { result } = await rewritePart(files, maintenance, part, async (transaction) => {
          await gatherHeld(transaction, week, [due]);
          await emptyAnswers(transaction, { table: 'events' }, parametersOf([due]), rangeOf(part));
          await takeDue(transaction, due, boundsOf(part));
          return countHeld(transaction, boundsOf(part));
        });
        inArchive += result;
      }
      await maintenance.transaction(async (transaction) => {
        const held = inArchive + (await countHeldInLog(transaction, week, due));
        await transaction.query(
          `UPDATE event_weeks SET held = $4::bigint WHERE account_id = $1::uuid AND environment = $2 AND week = $3`,
          [due.accountId, due.environment, week.table, String(held)],
        );
      });
    });
  }
}

/** Safe to insert into a statement: the ids come from the database. */
const rangeOf = ({ firstId, lastId }: ArchivePart): string => `e.id >= '${firstId}' AND e.id <= '${lastId}'`;

async function takeDue(transaction: SqlExecutor, { records }: Due, bounds: readonly string[]): Promise<void> {
  if (records) {
    await transaction.query(`DELETE FROM events e WHERE ${OF_PART} AND NOT ${heldTerm('e')}`, bounds);
    return;
  }
  const texts = TEXTS.map((name) => `${name} = NULL`).join(', ');
  await transaction.query(
    `UPDATE events e SET ${texts} WHERE ${OF_PART} AND NOT ${heldTerm('e')} AND NOT ${SAYS_WHAT_HAPPENED}`,
    bounds,
  );
}

/** Late and restored events of an archived week are in the log. */
async function countHeldInLog(transaction: SqlExecutor, week: Week, due: Due): Promise<number> {
  if (due.holds.length === 0) return 0;
  await gatherHeld(transaction, week, [due]);
  const [row] = await transaction.query<{ n: number }>(
    `SELECT count(*)::integer AS n FROM events e
     WHERE e.account_id = $1::uuid AND e.environment = $2 AND e.id >= $3::uuid AND e.id < $4::uuid AND ${heldTerm('e')}`,
    [due.accountId, due.environment, week.from, week.to],
  );
  return row?.n ?? 0;
}

async function countHeld(transaction: SqlExecutor, bounds: readonly string[]): Promise<number> {
  const [row] = await transaction.query<{ n: number }>(
    `SELECT count(*)::integer AS n FROM events e WHERE ${OF_PART} AND ${heldTerm('e')}`,
    bounds,
  );
  return row?.n ?? 0;
}
