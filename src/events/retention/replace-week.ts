/**
 * Applies retention to a week by replacing its partition: the remaining rows are copied into a new one, then the old one is detached and
 * the new one attached, all in one transaction. Nothing is deleted row by row, and readers see either the old or the new partition.
 */
import { guarded, type SqlExecutor, type SqlSession } from '../../database/index.js';
import { inArchive } from '../archive/catalogue.js';
import type { Week } from '../partitions.js';
import { ANSWER_GONE } from '../stored-answers.js';
import type { Due } from './due.js';
import { detachWeek } from '../detached-weeks.js';
import { countHeld, gatherHeld, heldTerm, type HeldCount } from './held-events.js';
import { addParts, settleParts } from './week-parts.js';
import { tableStepsOf, untilEnding } from './steps.js';
import { accountsIn, lockWeek, rangesOf, redactedRangesOf, withLockedLog, tryLockWeeks } from '../week-tables.js';

/**
 * The columns with texts of a call. In events about violations and budgets, the payload describes the violation or budget, and is kept.
 */
export const TEXTS = ['payload', 'masks', 'excerpt'];
export const IS_RULE_OR_BUDGET_EVENT = `e.type IN ('policy.violation', 'budget.exceeded')`;

export interface Replaced {
  /** Whether no event of the week is left. */
  readonly isGone: boolean;
  /** The parts that were replaced: the given parts, or all parts that the accounts can have. */
  readonly parts: readonly Due[];
}

export interface Replacing {
  /**
   * All parts that the accounts can have, if all of these are due for deletion and none is held: a week with these accounts only is dropped
   * without being read.
   */
  readonly whollyDueOf: (accountIds: readonly string[]) => readonly Due[] | undefined;
  readonly isEnding: () => boolean;
}

/**
 * Applies the due retention to a week. Events that belong to none of the `parts` stay unchanged.
 *
 * @returns undefined if another server is changing weeks
 * @throws Interrupted | WeekInUse | DatabaseError | DatabaseUnavailable; nothing was changed then
 */
export async function replaceWeek(
  maintenance: SqlSession,
  week: Week,
  parts: readonly Due[],
  { whollyDueOf, isEnding }: Replacing,
): Promise<Replaced | undefined> {
  return maintenance.transaction(async (transaction) => {
    if (!(await tryLockWeeks(transaction))) return undefined;
    await lockWeek(transaction, week.table);
    await gatherHeld(transaction, week, parts, isEnding);
    const accountIds = await accountsIn(transaction, week.table);
    const all = whollyDueOf(accountIds);
    const due = parametersOf(all ?? parts);
    const next = `${week.table}_next`;
    const isGone = all !== undefined || !(await anythingStays(transaction, week, due, isEnding));
    if (isGone) {
      const byAccount = Map.groupBy(all ?? parts, (part) => part.accountId);
      for (const accountId of accountIds) {
        const own = parametersOf(byAccount.get(accountId) ?? []);
        const ranges = redactedRangesOf(transaction, week.table, accountId);
        for await (const range of untilEnding(ranges, isEnding)) await emptyAnswers(transaction, week, own, range);
      }
      await discardArchive(transaction, week);
    } else {
      await makeNext(transaction, week, next);
      await copyRest(transaction, week, { next, due, isEnding });
    }
    // This runs before the whole log is locked, because it counts events.
    // A part whose first event arrived after the week was read has no entry yet; without an entry, its ids would not be deleted in time.
    if (all !== undefined) await addParts(transaction, week, all);
    const hasHeld = !isGone && parts.some(({ holds }) => holds.length > 0);
    const rest = hasHeld ? untilEnding(rangesOf(transaction, next), isEnding) : [];
    await note(transaction, week, all ?? parts, await countHeld(transaction, next, rest));
    const take = async (): Promise<void> => {
      await detachWeek(transaction, week.table);
      if (!isGone) await putInPlace(transaction, week, next);
    };
    await withLockedLog(transaction, week.table, take, isEnding);
    return { isGone, parts: all ?? parts };
  });
}

/** Discards what the archive has written of a week that is dropped, and its notes about events that were restored into the week. */
async function discardArchive(transaction: SqlExecutor, { table }: Week): Promise<void> {
  await transaction.query(
    `UPDATE archive_parts SET state = 'deleting', state_at = now() WHERE week = $1 AND state IN ('writing', 'written')`,
    [table],
  );
  await transaction.query(`DELETE FROM archive_parts WHERE week = $1 AND state = 'restored'`, [table]);
}

/** Accounts, environments, and whether their records are due, as `$1` to `$3`. */
export function parametersOf(parts: readonly Due[]): readonly (readonly string[])[] {
  const due = parts.filter(({ texts }) => texts);
  return [
    due.map(({ accountId }) => accountId),
    due.map(({ environment }) => environment),
    due.map(({ records }) => String(records)),
  ];
}

/** `d` is null for an event without due data. */
export const DUE = `LEFT JOIN unnest($1::text[], $2::text[], $3::text[]) AS d (account_id, environment, records)
  ON d.account_id::uuid = e.account_id AND d.environment = e.environment`;
export const IS_DUE = `d.account_id IS NOT NULL AND NOT ${heldTerm('e')}`;

/** Whether any event stays. Reads the partition at most once, range by range, up to the first such event. */
async function anythingStays(
  transaction: SqlExecutor,
  { table }: Week,
  due: readonly (readonly string[])[],
  isEnding: () => boolean,
): Promise<boolean> {
  for await (const range of untilEnding(rangesOf(transaction, table), isEnding)) {
    const [one] = await transaction.query(
      `SELECT 1 AS one FROM ${table} e ${DUE} WHERE ${range} AND NOT (${IS_DUE} AND d.records::boolean) LIMIT 1`,
      due,
    );
    if (one !== undefined) return true;
  }
  return false;
}

async function makeNext(transaction: SqlExecutor, { from, to }: Week, next: string): Promise<void> {
  await transaction.query(
    `CREATE TABLE ${next} (LIKE events INCLUDING DEFAULTS INCLUDING CONSTRAINTS INCLUDING INDEXES)`,
  );
  // With this constraint, attaching the partition does not read it.
  await transaction.query(`ALTER TABLE ${next} ADD CONSTRAINT of_week CHECK (id >= '${from}' AND id < '${to}')`);
  for (const statement of guarded(next)) await transaction.query(statement);
}

interface Copying {
  readonly next: string;
  readonly due: readonly (readonly string[])[];
  readonly isEnding: () => boolean;
}

/** The steps are also limited by the sizes of events: statements that copied events of megabytes by their number would time out. */
async function copyRest(transaction: SqlExecutor, { table }: Week, { next, due, isEnding }: Copying): Promise<void> {
  const columns = await transaction.query<{ name: string }>(
    `SELECT attname::text AS name FROM pg_attribute
     WHERE attrelid = 'events'::regclass AND attnum > 0 AND NOT attisdropped ORDER BY attnum`,
  );
  const names = columns.map(({ name }) => name);
  const values = names.map((name) =>
    TEXTS.includes(name)
      ? `CASE WHEN ${IS_DUE} AND NOT ${IS_RULE_OR_BUDGET_EVENT} THEN NULL ELSE e.${name} END`
      : `e.${name}`,
  );
  for await (const step of untilEnding(tableStepsOf(transaction, table), isEnding)) {
    await transaction.query(
      `INSERT INTO ${next} (${names.join(', ')}) SELECT ${values.join(', ')} FROM ${table} e ${DUE}
       WHERE ${step} AND NOT (${IS_DUE} AND d.records::boolean)`,
      due,
    );
    await emptyAnswers(transaction, { table }, due, step);
  }
}

/**
 * Removes the texts from stored answers. For a retry, they are rebuilt from its body. Answers stored by an earlier version cannot be
 * rebuilt; they are emptied.
 */
export async function emptyAnswers(
  transaction: SqlExecutor,
  { table }: Pick<Week, 'table'>,
  due: readonly (readonly string[])[],
  range: string,
): Promise<void> {
  await transaction.query(
    `UPDATE event_ids i SET answer_body = coalesce(i.answer_remade, '${ANSWER_GONE}'), answer_remade = NULL FROM ${table} e ${DUE}
     WHERE ${range} AND ${IS_DUE} AND e.event_id_claimed AND e.decision = 'redact' AND i.account_id = e.account_id
       AND i.event_id = e.event_id AND i.app_id = e.app_id AND i.environment = e.environment
       AND i.event_row_id = e.id AND left(i.answer_body, 1) <> '@'`,
    due,
  );
}

async function putInPlace(transaction: SqlExecutor, { table, from, to }: Week, next: string): Promise<void> {
  await transaction.query(`ALTER TABLE ${next} RENAME TO ${table}`);
  await transaction.query(`ALTER TABLE events ATTACH PARTITION ${table} FOR VALUES FROM ('${from}') TO ('${to}')`);
  await transaction.query(`ALTER TABLE ${table} DROP CONSTRAINT of_week`);
}

/**
 * Stores the action on the parts, and how many of their events are held. Events in the archive are counted by `keepArchived`.
 *
 * @param held the numbers of held events among the remaining ones
 */
async function note(
  transaction: SqlExecutor,
  week: Week,
  parts: readonly Due[],
  held: readonly HeldCount[],
): Promise<void> {
  const due = parts.filter(({ texts }) => texts);
  // The tilde: data outside the log is deleted after this.
  await settleParts(
    transaction,
    week,
    due.map((part) => ({ ...part, settled: `~${part.name}` })),
  );
  const isInLog = `NOT ${inArchive('w')}`;
  await transaction.query(`UPDATE event_weeks w SET held = 0 WHERE w.week = $1 AND w.held <> 0 AND ${isInLog}`, [
    week.table,
  ]);
  if (held.length === 0) return;
  await transaction.query(
    `UPDATE event_weeks w SET held = n.held::bigint
     FROM unnest($1::text[]::uuid[], $2::text[], $3::text[]) AS n (account_id, environment, held)
     WHERE w.account_id = n.account_id AND w.environment = n.environment AND w.week = $4 AND ${isInLog}`,
    [
      held.map(({ accountId }) => accountId),
      held.map(({ environment }) => environment),
      held.map((each) => String(each.held)),
      week.table,
    ],
  );
}
