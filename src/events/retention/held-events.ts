/** Events under a legal hold: the whole call, if one of its events matches the hold. */
import type { DecisionAction, Environment, LegalHold } from '../../core/index.js';
import type { SqlExecutor } from '../../database/index.js';
import { firstEventIdAt } from '../event-id.js';
import { WEEK_MS, type Week } from '../partitions.js';
import { accountConditions, judgedTerms, plainTerms, type EventTerms } from '../reading/event-filters.js';
import { ANSWERED_WITHIN_MS } from '../reading/event-indexes.js';
import type { Due } from './due.js';

/** Types of events caused by another event: they belong to the call of their parent. */
const CAUSED = `('policy.violation', 'budget.exceeded')`;

/** Whether the event under the alias is held. */
export const heldTerm = (alias: string): string =>
  `EXISTS (SELECT 1 FROM weir_held h WHERE h.account_id = ${alias}.account_id AND h.call_id = coalesce(${alias}.call_id, ${alias}.id))`;

/**
 * Collects the held calls in and around the week, in a table that lasts until the end of the transaction. @throws
 * DatabaseError | DatabaseUnavailable
 */
export async function gatherHeld(transaction: SqlExecutor, week: Week, parts: readonly Due[]): Promise<void> {
  await transaction.query(
    'CREATE TEMPORARY TABLE weir_held (account_id uuid, call_id uuid, PRIMARY KEY (account_id, call_id)) ON COMMIT DROP',
  );
  // A call that began in the week before or is answered in the next one is held as a whole.
  const near = (alias: string): string =>
    `${alias}.id >= '${firstEventIdAt(week.startMs - ANSWERED_WITHIN_MS)}' AND ${alias}.id < '${firstEventIdAt(
      week.startMs + WEEK_MS + ANSWERED_WITHIN_MS,
    )}'`;
  for (const part of parts) {
    for (const hold of part.holds) {
      const where = accountConditions({ accountId: part.accountId, environment: part.environment }, 'p');
      const terms = termsOf(hold);
      where.addTerms([...plainTerms(where, terms, 'p'), ...judgedTerms(where, terms, 'p', 'outcome'), near('p')]);
      await transaction.query(
        `INSERT INTO weir_held SELECT DISTINCT p.account_id, coalesce(p.call_id, p.id) FROM events p
         WHERE p.type NOT IN ${CAUSED} AND ${where.toString()} ON CONFLICT DO NOTHING`,
        where.parameters,
      );
    }
  }
  await transaction.query(
    `INSERT INTO weir_held SELECT DISTINCT c.account_id, c.id FROM events c
     JOIN events p ON p.account_id = c.account_id AND p.id = c.parent_id
     WHERE c.type IN ${CAUSED} AND ${near('c')} AND ${near('p')} AND ${heldTerm('p')} ON CONFLICT DO NOTHING`,
  );
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
