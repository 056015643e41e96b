/** Events that a legal hold keeps: the whole call, as soon as one of its events is what the hold asks for. */
import type { DecisionAction, LegalHold } from '../../core/index.js';
import type { SqlExecutor } from '../../database/index.js';
import { firstEventIdAt } from '../event-id.js';
import { WEEK_MS, type Week } from '../partitions.js';
import { accountConditions, judgedTerms, plainTerms, type EventTerms } from '../reading/event-filters.js';
import { ANSWERED_WITHIN_MS } from '../reading/event-indexes.js';
import type { Due } from './due.js';

/** What came of another event has its parent's call. */
const CAUSED = `('policy.violation', 'budget.exceeded')`;

/** Whether the event under the alias is held. */
export const heldTerm = (alias: string): string =>
  `EXISTS (SELECT 1 FROM weir_held h WHERE h.account_id = ${alias}.account_id AND h.call_id = coalesce(${alias}.call_id, ${alias}.id))`;

/** Gathers what is held in and about the week, for as long as the transaction lasts. @throws DatabaseError | DatabaseUnavailable */
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
