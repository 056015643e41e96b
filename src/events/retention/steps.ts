/**
 * The steps in which retention reads and changes events: each of its statements ends well within the statement timeout, however large a
 * week is, and a server that is being shut down stops between two of them.
 */
import type { SqlExecutor } from '../../database/index.js';
import { rowStepsOf } from '../archive/row-steps.js';
import { accountsIn } from '../week-tables.js';

/** The server is being shut down: the transaction is rolled back, and the next run begins the work again. */
class Interrupted extends Error {
  override readonly name = 'Interrupted';
}

/** Passes the items on. @throws Interrupted before the next item if the server is being shut down */
export async function* untilEnding<Item>(
  items: Iterable<Item> | AsyncIterable<Item>,
  isEnding: () => boolean,
): AsyncGenerator<Item> {
  for await (const item of items) {
    if (isEnding()) throw new Interrupted('the server is being shut down');
    yield item;
  }
}

interface EventsOfAccount {
  /** A table of events. */
  readonly table: string;
  readonly accountId: string;
  /** Bounds of the ids, neither of which is the id of an event; by default, all events are included. */
  readonly from?: string;
  readonly to?: string;
}

/** Conditions on `e`, exactly one of which holds for each of these events. They contain only ids from the database. */
export async function* stepsOf(
  transaction: SqlExecutor,
  { table, accountId, from, to }: EventsOfAccount,
): AsyncGenerator<string> {
  const below = to === undefined ? '' : ` AND e.id < '${to}'::uuid`;
  for await (const { parameters } of rowStepsOf(transaction, { table, accountId, after: from ?? null })) {
    const [, after, last] = parameters;
    if (to !== undefined && after >= to) return;
    yield `e.account_id = '${accountId}'::uuid AND e.id > '${after}'::uuid AND e.id <= '${last}'::uuid${below}`;
  }
}

/** Conditions on `e`, exactly one of which holds for each event of the table. */
export async function* tableStepsOf(transaction: SqlExecutor, table: string): AsyncGenerator<string> {
  for (const accountId of await accountsIn(transaction, table)) yield* stepsOf(transaction, { table, accountId });
}
