/** Retention of archived events: due texts are removed from their parts, due records are deleted, and held ones stay. */
import type { SqlExecutor, SqlSession } from '../../database/index.js';
import { partsWhere, type ArchivePart } from '../archive/catalogue.js';
import { boundsOf, OF_PART, rewritePart, whilePartsChange, type ArchiveFiles } from '../archive/rewrite-part.js';
import type { Week } from '../partitions.js';
import type { Due } from './due.js';
import { countHeld, gatherHeld, heldTerm } from './held-events.js';
import { emptyAnswers, parametersOf, IS_RULE_OR_BUDGET_EVENT, TEXTS } from './replace-week.js';
import { stepsOf, untilEnding } from './steps.js';

/** The week has archived parts, but this server has no archive configured. */
export class NoArchive extends Error {
  override readonly name = 'NoArchive';
}

export interface ArchiveKeeping {
  /** Undefined if no archive is configured. */
  readonly files: ArchiveFiles | undefined;
  readonly isEnding: () => boolean;
}

/**
 * Applies retention to archived parts, with the role that owns the tables, and counts the held events of the week in archive and log.
 *
 * @throws Interrupted | NoArchive | PartDiffers | NotStored | WorkerFailure | DatabaseError | DatabaseUnavailable; the caller has to
 * retry
 */
export async function keepArchived(
  maintenance: SqlSession,
  week: Week,
  parts: readonly Due[],
  { files, isEnding }: ArchiveKeeping,
): Promise<void> {
  for await (const due of untilEnding(parts, isEnding)) {
    await whilePartsChange(async () => {
      const archived = await partsWhere(
        maintenance,
        `p.account_id = $1::uuid AND p.environment = $2 AND p.week = $3 AND p.state = 'archived'`,
        [due.accountId, due.environment, week.table],
      );
      if (archived.length === 0) {
        // The run that deleted the last part may have ended before it stored the number.
        if (due.holds.length === 0) await storeHeld(maintenance, week, due, 0);
        return;
      }
      if (files === undefined) throw new NoArchive('events are in an archive, and WEIR_ARCHIVE is not set');
      let inArchive = 0;
      for await (const part of untilEnding(archived, isEnding)) {
        const { result } = await rewritePart(files, maintenance, part, async (transaction) => {
          await gatherHeld(transaction, week, [due], isEnding);
          await emptyAnswers(transaction, { table: 'events' }, parametersOf([due]), rangeOf(part));
          await takeDue(transaction, due, boundsOf(part));
          return countHeldIn(transaction, part);
        });
        inArchive += result;
      }
      await maintenance.transaction(async (transaction) => {
        const held = inArchive + (await countHeldInLog(transaction, week, due, isEnding));
        await storeHeld(transaction, week, due, held);
      });
    });
  }
}

async function storeHeld(sql: SqlExecutor, week: Week, { accountId, environment }: Due, held: number): Promise<void> {
  await sql.query(
    `UPDATE event_weeks SET held = $4::bigint
     WHERE account_id = $1::uuid AND environment = $2 AND week = $3 AND held <> $4::bigint`,
    [accountId, environment, week.table, String(held)],
  );
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
    `UPDATE events e SET ${texts} WHERE ${OF_PART} AND NOT ${heldTerm('e')} AND NOT ${IS_RULE_OR_BUDGET_EVENT}`,
    bounds,
  );
}

/** Late and restored events of an archived week are in the log. */
async function countHeldInLog(
  transaction: SqlExecutor,
  week: Week,
  due: Due,
  isEnding: () => boolean,
): Promise<number> {
  if (due.holds.length === 0) return 0;
  await gatherHeld(transaction, week, [due], isEnding);
  const { accountId, environment } = due;
  const steps = stepsOf(transaction, { table: 'events', accountId, from: week.from, to: week.to });
  const counts = await countHeld(transaction, 'events', untilEnding(steps, isEnding));
  return counts.find((each) => each.environment === environment)?.held ?? 0;
}

async function countHeldIn(transaction: SqlExecutor, part: ArchivePart): Promise<number> {
  const [row] = await transaction.query<{ n: number }>(
    `SELECT count(*)::integer AS n FROM events e WHERE ${OF_PART} AND ${heldTerm('e')}`,
    boundsOf(part),
  );
  return row?.n ?? 0;
}
