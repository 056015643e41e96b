/** Writes batches of events to the database, each in one transaction with its effects on budgets and sessions. */
import { DatabaseError, type SqlExecutor, type SqlSession, type TenantSql } from '../database/index.js';
import { appendParameters, appendStatement, prepareAppend, type PreparedAppend } from './append-statement.js';
import type { Lane } from './call-lanes.js';
import type { LedgerWriter, LedgerWritten, NewEvent } from './event.js';
import { CallBook } from './rollups/call-book.js';
import { LockedSessions } from './sessions/session-writer.js';

/** How often a statement is run again after a deadlock. */
const TRANSIENT_RETRIES = 3;

/** The result of a batch: the claims that succeeded, and the lost reservations. */
interface Stored {
  readonly winners: ReadonlySet<string>;
  readonly lost: ReadonlySet<string>;
  /** Requests whose session has changed since they were judged: they are not stored. */
  readonly moved: ReadonlySet<string>;
}
const NOBODY: ReadonlySet<string> = new Set();

/** An event that the service itself produced, under its own new id. */
function unclaimed(event: NewEvent): PreparedAppend {
  return prepareAppend({ event, children: [], idempotency: { fingerprint: Buffer.alloc(0) } });
}

const worksOf = (batch: readonly PreparedAppend[]) => batch.map(({ event, ledger }) => ({ event, steps: ledger }));

async function lockedSessions(
  transaction: SqlExecutor,
  batch: readonly PreparedAppend[],
): Promise<LockedSessions | undefined> {
  const steps = batch.flatMap(({ session }) => session ?? []);
  return steps.length === 0 ? undefined : LockedSessions.of(transaction, steps);
}

/**
 * Whether a request is stored in any case. The claim of a client's id may fail, since the client may have sent the same event before. An id that
 * this process has just made is in no earlier event: 62 of its bits are random, and nobody else knows it before the event is stored.
 */
function isCertain({ claim, session, rowId }: PreparedAppend): boolean {
  return session === undefined && (claim === undefined || claim.eventId === rowId);
}

/** The requests that may be stored: of several calls that were judged with the same session history, only the first. */
function inOrder(sessions: LockedSessions, batch: readonly PreparedAppend[]): PreparedAppend[] {
  return batch.filter(({ session }) => session === undefined || sessions.admits(session));
}

export class BatchWriter {
  private readonly calls = new CallBook();

  constructor(
    private readonly sql: TenantSql,
    /** Called with the number of events of every committed statement. */
    private readonly onCommit: (events: number) => void,
    /** Applies the effects of events on budgets. Without it, budgets are not updated. */
    private readonly ledger: LedgerWriter | undefined,
  ) {}

  /** Stores events that the service itself produced, in the given transaction. @throws DatabaseError | DatabaseUnavailable */
  async writeIn(transaction: SqlExecutor, events: readonly NewEvent[]): Promise<void> {
    if (events.length > 0) await this.insertRows(transaction, events.map(unclaimed), 'main');
  }

  /**
   * Stores a batch, all or nothing, and resolves after the commit.
   *
   * @param lockWaitMs the maximum wait for each lock of another session, if it differs from that of all statements
   * @throws DatabaseError | DatabaseUnavailable
   */
  async write(batch: readonly PreparedAppend[], lane: Lane, lockWaitMs?: number): Promise<Stored> {
    for (let attempt = 0; ; attempt += 1) {
      try {
        const stored = await this.tryToWrite(batch, lane, lockWaitMs);
        this.onCommit(batch.length);
        return stored;
      } catch (error) {
        if (!(error instanceof DatabaseError && error.isTransient && attempt < TRANSIENT_RETRIES)) {
          throw error;
        }
      }
    }
  }

  private async tryToWrite(batch: readonly PreparedAppend[], lane: Lane, lockWaitMs?: number): Promise<Stored> {
    // Only a transaction can limit the wait for locks.
    if (lockWaitMs !== undefined) return this.insertWithOthers(batch, lane, lockWaitMs);
    const isAlone = batch.every(({ ledger, session }) => ledger.length === 0 && session === undefined);
    if (isAlone) return this.insertAlone(batch, lane);
    return (await this.insertWithLedger(batch, lane)) ?? this.insertWithOthers(batch, lane);
  }

  private async insertAlone(batch: readonly PreparedAppend[], lane: Lane): Promise<Stored> {
    const { winners, committed } = await this.insertRows(this.sqlFor(batch), batch, lane);
    committed();
    return { winners, lost: NOBODY, moved: NOBODY };
  }

  /** @returns the row ids of the successful claims, and the callbacks for the time after the commit */
  private async insertRows(
    sql: SqlExecutor,
    batch: readonly PreparedAppend[],
    lane: Lane,
  ): Promise<{ winners: Set<string>; committed: () => void }> {
    const { insertion, committed } = await this.insertionOf(sql, batch, lane);
    const { sql: statement, parameters, prepareAs, size } = insertion;
    const rows = await sql.query<{ row_id: string }>(statement, parameters, { prepareAs, size });
    return { winners: new Set(rows.map((row) => row.row_id)), committed };
  }

  /** The statement that stores a batch, and the callbacks for the time after its commit. */
  private async insertionOf(sql: SqlExecutor, batch: readonly PreparedAppend[], lane: Lane) {
    const events = batch.flatMap((item) => item.events);
    const parts = await this.calls.partsOf(sql, events);
    const size = batch.reduce((sum, append) => sum + append.size, 0);
    return {
      insertion: { ...appendStatement(batch), parameters: appendParameters(batch, parts, lane), size },
      committed: () => this.calls.committed(events, parts),
    };
  }

  private sqlFor(batch: readonly PreparedAppend[]): SqlSession {
    return this.sql.forAccounts(...new Set(batch.map(({ event }) => event.accountId)));
  }

  /**
   * Stores the batch and its effects on budgets in one message, if it is known beforehand that all of it will be
   * stored.
   *
   * @returns undefined, with nothing stored, if a transaction of several messages is needed
   */
  private async insertWithLedger(batch: readonly PreparedAppend[], lane: Lane): Promise<Stored | undefined> {
    if (this.ledger === undefined || !batch.every(isCertain)) return undefined;
    const sql = this.sqlFor(batch);
    const { insertion, committed } = await this.insertionOf(sql, batch, lane);
    const done = await this.ledger.writeWith(insertion, sql, worksOf(batch), insertion.size);
    if (done === undefined) return undefined;
    done.committed();
    committed();
    const winners = batch.filter(({ claim }) => claim !== undefined).map(({ rowId }) => rowId);
    return { winners: new Set(winners), lost: done.lost, moved: NOBODY };
  }

  /**
   * Stores the batch and its effects on sessions and budgets in one transaction. Sessions are locked before anything is
   * stored; budgets are updated after the events, so that of two events with one id only the stored one counts.
   */
  private async insertWithOthers(batch: readonly PreparedAppend[], lane: Lane, lockWaitMs?: number): Promise<Stored> {
    const { stored, callbacks } = await this.sqlFor(batch).transaction(async (transaction) => {
      if (lockWaitMs !== undefined) {
        await transaction.query(`SELECT set_config('lock_timeout', '${lockWaitMs}ms', true)`);
      }
      const sessions = await lockedSessions(transaction, batch);
      const admitted = sessions === undefined ? batch : inOrder(sessions, batch);
      const moved = new Set(batch.filter((item) => !admitted.includes(item)).map(({ rowId }) => rowId));
      if (admitted.length === 0) return { stored: { winners: NOBODY, lost: NOBODY, moved }, callbacks: [] };
      const { winners, committed } = await this.insertRows(transaction, admitted, lane);
      const won = admitted.filter(({ claim, rowId }) => claim === undefined || winners.has(rowId));
      for (const { session } of won) if (session !== undefined) sessions?.add(session);
      await sessions?.write(transaction);
      const done = await this.writeLedger(transaction, won, lane);
      return { stored: { winners, lost: done?.lost ?? NOBODY, moved }, callbacks: [done?.committed, committed] };
    });
    for (const callback of callbacks) callback?.();
    return stored;
  }

  private async writeLedger(
    transaction: SqlExecutor,
    won: readonly PreparedAppend[],
    lane: Lane,
  ): Promise<LedgerWritten | undefined> {
    if (this.ledger === undefined || won.every(({ ledger }) => ledger.length === 0)) return undefined;
    const done = await this.ledger.write(transaction, worksOf(won));
    if (done.children.length > 0) await this.insertRows(transaction, done.children.map(unclaimed), lane);
    return done;
  }
}
