/** Events under a legal hold: the whole call, if one of its events matches the hold. */
import type { DecisionAction, Environment, LegalHold } from '../../core/index.js';
import type { SqlExecutor, SqlRow } from '../../database/index.js';
import { firstEventIdAt } from '../event-id.js';
import { WEEK_MS, type Week } from '../partitions.js';
import { accountConditions, judgedTerms, plainTerms, type EventTerms } from '../reading/event-filters.js';
import { ANSWERED_WITHIN_MS } from '../reading/event-indexes.js';
import type { Due } from './due.js';
import { stepsOf, untilEnding } from './steps.js';

/** Types of events caused by another event: they belong to the call of their parent. */
const CAUSED = `('policy.violation', 'budget.exceeded')`;

/** Whether the event under the alias is held. */
export const heldTerm = (alias: string): string =>
  `EXISTS (SELECT 1 FROM weir_held h WHERE h.account_id = ${alias}.account_id AND h.call_id = coalesce(${alias}.call_id, ${alias}.id))`;

/**
 * Collects the held calls in and around the week, in a table that lasts until the end of the transaction.
 *
 * @throws Interrupted | DatabaseError | DatabaseUnavailable
 */
export async function gatherHeld(
  transaction: SqlExecutor,
  week: Week,
  parts: readonly Due[],
  isEnding: () => boolean,
): Promise<void> {
  await transaction.query(
    'CREATE TEMPORARY TABLE weir_held (account_id uuid, call_id uuid, PRIMARY KEY (account_id, call_id)) ON COMMIT DROP',
  );
  // A call that began in the week before or is answered in the next one is held as a whole.
  const from = firstEventIdAt(week.startMs - ANSWERED_WITHIN_MS);
  const to = firstEventIdAt(week.startMs + WEEK_MS + ANSWERED_WITHIN_MS);
  const holding = parts.filter(({ holds }) => holds.length > 0);
  for (const [accountId, own] of Map.groupBy(holding, (part) => part.accountId)) {
    const steps = (): AsyncGenerator<string> =>
      untilEnding(stepsOf(transaction, { table: 'events', accountId, from, to }), isEnding);
    for await (const step of steps()) {
      for (const part of own) for (const hold of part.holds) await addMatching(transaction, part, hold, step);
    }
    for await (const step of steps()) {
      await transaction.query(
        `INSERT INTO weir_held SELECT DISTINCT e.account_id, e.id FROM events e
         JOIN events p ON p.account_id = e.account_id AND p.id = e.parent_id
         WHERE e.type IN ${CAUSED} AND ${step} AND p.id >= '${from}' AND p.id < '${to}' AND ${heldTerm('p')}
         ON CONFLICT DO NOTHING`,
      );
    }
  }
}

/** Adds the calls whose events in this step match the hold. */
async function addMatching(
  transaction: SqlExecutor,
  { accountId, environment }: Due,
  hold: LegalHold,
  step: string,
): Promise<void> {
  const where = accountConditions({ accountId, environment }, 'e');
  const terms = termsOf(hold);
  where.addTerms([...plainTerms(where, terms, 'e'), ...judgedTerms(where, terms, 'e', 'outcome'), step]);
  await transaction.query(
    `INSERT INTO weir_held SELECT DISTINCT e.account_id, coalesce(e.call_id, e.id) FROM events e
     WHERE e.type NOT IN ${CAUSED} AND ${where.toString()} ON CONFLICT DO NOTHING`,
    where.parameters,
  );
}

/** The number of held events of an account in an environment. */
export interface HeldCount extends SqlRow {
  readonly accountId: string;
  readonly environment: Environment;
  readonly held: number;
}

/**
 * Counts the held events that `gatherHeld` has found in the same transaction.
 *
 * @param steps conditions on events `e` of the table; each event is counted in one step
 * @throws DatabaseError | DatabaseUnavailable
 */
export async function countHeld(
  transaction: SqlExecutor,
  table: string,
  steps: Iterable<string> | AsyncIterable<string>,
): Promise<readonly HeldCount[]> {
  const counts = new Map<string, HeldCount>();
  for await (const step of steps) {
    const rows = await transaction.query<HeldCount>(
      `SELECT e.account_id::text AS "accountId", e.environment, count(*)::integer AS held FROM ${table} e
       WHERE ${step} AND ${heldTerm('e')} GROUP BY e.account_id, e.environment`,
    );
    for (const row of rows) {
      const key = `${row.accountId} ${row.environment}`;
      counts.set(key, { ...row, held: row.held + (counts.get(key)?.held ?? 0) });
    }
  }
  return [...counts.values()];
}

/** The holds of one account. */
export type HoldsByEnvironment = ReadonlyMap<Environment, readonly LegalHold[]>;

/** Ids of the given events whose calls are held. @throws DatabaseError | DatabaseUnavailable */
export async function heldAmong(
  sql: SqlExecutor,
  accountId: string,
  holds: HoldsByEnvironment,
  events: readonly { readonly id: string; readonly environment: string }[],
): Promise<ReadonlySet<string>> {
  const held = new Set<string>();
  for (const [environment, inForce] of holds) {
    const ids = events.filter((event) => event.environment === environment).map(({ id }) => id);
    if (ids.length === 0) continue;
    for (const hold of inForce) {
      const where = accountConditions({ accountId, environment }, 'p');
      const terms = termsOf(hold);
      where.addTerms([...plainTerms(where, terms, 'p'), ...judgedTerms(where, terms, 'p', 'outcome')]);
      const rows = await sql.query<{ id: string }>(
        `SELECT k.id::text AS id FROM (
           SELECT e.id, coalesce(e.call_id, c.call_id, c.id, e.id) AS call FROM events e
           LEFT JOIN events c ON c.account_id = e.account_id AND c.id = e.parent_id
           WHERE e.account_id = $1::uuid AND e.id = ANY (${where.parameter(ids)}::text[]::uuid[]) OFFSET 0) k
         WHERE EXISTS (SELECT 1 FROM events p WHERE ${where.toString()} AND p.type NOT IN ${CAUSED}
           AND (p.id = k.call OR (p.call_id = k.call AND p.call_id <> p.id)))`,
        where.parameters,
      );
      for (const { id } of rows) held.add(id);
    }
  }
  return held;
}

function termsOf({ match }: LegalHold): EventTerms {
  const { session, app, decision, ...metadata } = match;
  return {
    ...(session === undefined ? {} : { sessionId: session }),
    ...(app === undefined ? {} : { app }),
    ...(decision === undefined ? {} : { decision: decision as DecisionAction }),
    metadata: Object.fromEntries(
      Object.entries(metadata).map(([name, value]) => [name.slice('metadata.'.length), value]),
    ),
  };
}
