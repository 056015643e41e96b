/**
 * Writes to the event log. Requests that arrive while a statement runs are combined into the next one (group commit); each caller's
 * promise resolves after its own commit, so an acknowledged event is on disk.
 */
import type { Environment } from '../core/index.js';
import { DatabaseError, type SqlExecutor, type SqlSession, type TenantSql } from '../database/index.js';
import {
  appendParameters,
  appendStatement,
  prepareAppend,
  type Claim,
  type PreparedAppend,
} from './append-statement.js';
import { AppendQueue, type AppendQueueLimits } from './append-queue.js';
import type { AppendRequest, AppendResult, LedgerWriter, LedgerWritten, NewEvent, StoredAnswer } from './event.js';
import { EventIdInProgress, EventLogOverloaded, EventLogUnavailable, EventRejected } from './event-log-errors.js';
import { Gatherings, type Gathering } from './gatherings.js';
import { LockedSessions } from './sessions/session-writer.js';
import { CallBook } from './rollups/call-book.js';
import { StoredAnswers } from './stored-answers.js';

export interface EventLogLimits extends AppendQueueLimits {
  /** Maximum number of waiting requests. */
  readonly queueLength: number;
  /** Maximum size of all waiting requests, in UTF-16 units. */
  readonly queueSize: number;
  /** A request that has waited longer is refused: its sender has given up, or soon will. */
  readonly longestWaitMs: number;
  /** Statements in flight at once. */
  readonly lanes: number;
}

export const EVENT_LOG_LIMITS: EventLogLimits = {
  batchRows: 512,
  batchSize: 8 * 1024 * 1024,
  queueLength: 10_000,
  queueSize: 256 * 1024 * 1024,
  longestWaitMs: 60_000,
  lanes: 1,
};

/** How often a statement is run again after a deadlock. */
const TRANSIENT_RETRIES = 3;

interface Waiting extends PreparedAppend {
  /** Monotonic milliseconds. */
  readonly sinceMs: number;
  /** Called when the request no longer waits. */
  readonly left: (() => void) | undefined;
  resolve(result: AppendResult): void;
  reject(error: Error): void;
}

/** The result of a batch: the claims that succeeded, and the lost reservations. */
interface Stored {
  readonly winners: ReadonlySet<string>;
  readonly lost: ReadonlySet<string>;
  /** Requests whose session has changed since they were judged: they are not stored. */
  readonly moved: ReadonlySet<string>;
}
const NOBODY: ReadonlySet<string> = new Set();

/** The error for the caller whose request the database refused. */
function refusal(error: DatabaseError): Error {
  if (error.isForbidden) return error;
  return error.isLockTimeout
    ? new EventIdInProgress('the same event is being stored')
    : new EventRejected(error.sqlState);
}

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

/** The requests that may be stored: of several calls that were judged with the same session history, only the first. */
function inOrder(sessions: LockedSessions, batch: readonly PreparedAppend[]): PreparedAppend[] {
  return batch.filter(({ session }) => session === undefined || sessions.admits(session));
}

export class EventLog {
  private readonly queue: AppendQueue<Waiting>;
  private inFlight = 0;
  private closed = false;
  private idle: (() => void)[] = [];
  private readonly answers: StoredAnswers;
  private readonly calls = new CallBook();
  private readonly gatherings = new Gatherings(() => this.pump());
  /** Arrival time of the first waiting request. */
  private firstMs = 0;
  /** Arrival times of the requests that wait or are in flight, oldest first. */
  private readonly arrivals = new Set<{ readonly sinceMs: number }>();

  constructor(
    private readonly sql: TenantSql,
    private readonly limits: EventLogLimits = EVENT_LOG_LIMITS,
    /** Called with the number of events of every committed statement. */
    private readonly onCommit: (events: number) => void = () => undefined,
    /** Applies the effects of events on budgets. Without it, budgets are not updated. */
    private readonly ledger?: LedgerWriter,
    /** Monotonic milliseconds. */
    private readonly nowMs: () => number = () => performance.now(),
  ) {
    this.answers = new StoredAnswers(sql);
    this.queue = new AppendQueue(limits);
  }

  /**
   * Stores an event, its children and its idempotency id, all or nothing, and resolves after the commit.
   *
   * An answer that must not be stored (`idempotency.answer` absent) claims no id: the event is stored as a record of what happened, and
   * a retry under the same `event_id` is a new event.
   *
   * @returns `duplicate` with the stored answer if the id was already claimed; nothing is stored then.
   * @throws EventLogOverloaded when the queue is full; EventLogUnavailable when the database cannot be reached;
   * EventIdInProgress when another server holds the same id for too long; EventRejected when the database refuses
   * the data.
   */
  async append(request: AppendRequest): Promise<AppendResult> {
    if (this.closed) {
      throw new EventLogUnavailable('the event log is closed');
    }
    const prepared = prepareAppend(request);
    if (this.queue.length >= this.limits.queueLength || this.queue.units + prepared.size > this.limits.queueSize) {
      throw new EventLogOverloaded('too many events are queued for storage');
    }
    return new Promise<AppendResult>((resolve, reject) => {
      const sinceMs = this.nowMs();
      if (this.queue.length === 0) this.firstMs = sinceMs;
      const { accountId, keyId } = prepared.event;
      const arrival = { sinceMs };
      this.arrivals.add(arrival);
      const settled =
        <Value>(settle: (value: Value) => void) =>
        (value: Value): void => {
          this.arrivals.delete(arrival);
          settle(value);
        };
      this.queue.push({
        ...prepared,
        sinceMs,
        left: this.gatherings.came(accountId, keyId),
        resolve: settled(resolve),
        reject: settled(reject),
      });
      this.pump();
    });
  }

  /**
   * Announces many events of one key, each of which arrives when it has been judged: they may wait briefly for one another
   * while no other request waits.
   *
   * @param open the number of them that are expected or wait to be stored
   */
  gather({ accountId, keyId }: Pick<NewEvent, 'accountId' | 'keyId'>, open: () => number): Gathering {
    return this.gatherings.begin(accountId, keyId, open);
  }

  /**
   * The earlier answer for this id, or null.
   *
   * @throws EventLogUnavailable
   */
  async remembered(
    appId: string,
    environment: Environment,
    eventId: string,
    accountId: string,
  ): Promise<StoredAnswer | null> {
    return this.answers.find({ accountId, eventId, appId, environment });
  }

  /** Stores events that the service itself produced, in the given transaction. @throws DatabaseError | DatabaseUnavailable */
  async appendIn(transaction: SqlExecutor, events: readonly NewEvent[]): Promise<void> {
    if (events.length > 0) await this.insertRows(transaction, events.map(unclaimed));
  }

  /** Requests that wait and those in flight, for metrics. */
  get backlog(): number {
    return this.queue.length + this.inFlight;
  }

  /** How long the oldest request of the backlog has waited; 0 when there is none. */
  get backlogAgeMs(): number {
    const [oldest] = this.arrivals;
    return oldest === undefined ? 0 : this.nowMs() - oldest.sinceMs;
  }

  /** Refuses new events from now on and resolves when all earlier ones are settled. */
  async drain(): Promise<void> {
    this.closed = true;
    this.pump();
    if (this.inFlight > 0 || this.queue.length > 0) {
      await new Promise<void>((resolve) => this.idle.push(resolve));
    }
  }

  private pump(): void {
    while (this.inFlight < this.limits.lanes && this.queue.length > 0) {
      this.shedOld();
      if (this.queue.length === 0 || this.holdsBack()) break;
      const batch = this.queue.nextBatch(this.nowMs());
      this.leave(batch);
      this.inFlight += 1;
      // Requests that arrive in the same turn of the event loop are part of the next batch.
      void this.store(batch).finally(() =>
        setImmediate(() => {
          this.inFlight -= 1;
          this.pump();
        }),
      );
    }
    if (this.inFlight === 0 && this.queue.length === 0) {
      this.idle.splice(0).forEach((resolve) => resolve());
    }
  }

  /** Removes the batch. The remaining requests of a key arrived later, so they have not waited longer than the end of the batch. */
  private leave(batch: readonly Waiting[]): void {
    for (const { left, sinceMs } of batch) {
      if (left === undefined) continue;
      left();
      this.firstMs = Math.max(this.firstMs, sinceMs);
    }
  }

  /** Whether to hold back the waiting requests and store them together with the expected ones. */
  private holdsBack(): boolean {
    const { length, units } = this.queue;
    if (this.closed || length >= this.limits.batchRows || units >= this.limits.batchSize) return false;
    return this.gatherings.holdsBack(length, this.nowMs() - this.firstMs);
  }

  private shedOld(): void {
    // Usually no request is too old: then the queue is not searched.
    if (this.backlogAgeMs <= this.limits.longestWaitMs) return;
    for (const waiting of this.queue.takeOlderThan(this.nowMs() - this.limits.longestWaitMs)) {
      waiting.left?.();
      waiting.reject(new EventLogOverloaded('the event was queued too long'));
    }
  }

  /** Stores a batch and settles all of it. Never rejects. */
  private async store(batch: readonly Waiting[]): Promise<void> {
    try {
      const { winners, lost, moved } = await this.insert(batch);
      const losers: Promise<void>[] = [];
      for (const waiting of batch) {
        if (moved.has(waiting.rowId)) waiting.resolve({ outcome: 'session_moved' });
        else if (waiting.claim === undefined || winners.has(waiting.rowId)) {
          waiting.resolve({ outcome: 'appended', ...(lost.has(waiting.rowId) ? { reservation: 'lost' } : {}) });
        } else {
          losers.push(this.answerLoser(waiting, waiting.claim));
        }
      }
      await Promise.all(losers);
    } catch (error) {
      await this.storeApart(batch, error);
    }
  }

  private async insert(batch: readonly PreparedAppend[]): Promise<Stored> {
    for (let attempt = 0; ; attempt += 1) {
      try {
        const isAlone = batch.every(({ ledger, session }) => ledger.length === 0 && session === undefined);
        const stored = isAlone
          ? await this.insertAlone(batch)
          : ((await this.insertWithLedger(batch)) ?? (await this.insertWithOthers(batch)));
        this.onCommit(batch.length);
        return stored;
      } catch (error) {
        if (!(error instanceof DatabaseError && error.isTransient && attempt < TRANSIENT_RETRIES)) {
          throw error;
        }
      }
    }
  }

  private async insertAlone(batch: readonly PreparedAppend[]): Promise<Stored> {
    const { winners, committed } = await this.insertRows(this.sqlFor(batch), batch);
    committed();
    return { winners, lost: NOBODY, moved: NOBODY };
  }

  /** @returns the row ids of the successful claims, and the callbacks for the time after the commit */
  private async insertRows(
    sql: SqlExecutor,
    batch: readonly PreparedAppend[],
  ): Promise<{ winners: Set<string>; committed: () => void }> {
    const { insertion, committed } = await this.insertionOf(sql, batch);
    const { sql: statement, parameters, prepareAs, size } = insertion;
    const rows = await sql.query<{ row_id: string }>(statement, parameters, { prepareAs, size });
    return { winners: new Set(rows.map((row) => row.row_id)), committed };
  }

  /** The statement that stores a batch, and the callbacks for the time after its commit. */
  private async insertionOf(sql: SqlExecutor, batch: readonly PreparedAppend[]) {
    const events = batch.flatMap((item) => item.events);
    const parts = await this.calls.partsOf(sql, events);
    const size = batch.reduce((sum, append) => sum + append.size, 0);
    return {
      insertion: { ...appendStatement(batch), parameters: appendParameters(batch, parts), size },
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
  private async insertWithLedger(batch: readonly PreparedAppend[]): Promise<Stored | undefined> {
    const isKnown = batch.every(({ claim, session }) => claim === undefined && session === undefined);
    if (this.ledger === undefined || !isKnown) return undefined;
    const sql = this.sqlFor(batch);
    const { insertion, committed } = await this.insertionOf(sql, batch);
    const done = await this.ledger.writeWith(insertion, sql, worksOf(batch), insertion.size);
    if (done === undefined) return undefined;
    done.committed();
    committed();
    return { winners: NOBODY, lost: done.lost, moved: NOBODY };
  }

  /**
   * Stores the batch and its effects on sessions and budgets in one transaction. Sessions are locked before anything is
   * stored; budgets are updated after the events, so that of two events with one id only the stored one counts.
   */
  private async insertWithOthers(batch: readonly PreparedAppend[]): Promise<Stored> {
    const { stored, told } = await this.sqlFor(batch).transaction(async (transaction) => {
      const sessions = await lockedSessions(transaction, batch);
      const admitted = sessions === undefined ? batch : inOrder(sessions, batch);
      const moved = new Set(batch.filter((item) => !admitted.includes(item)).map(({ rowId }) => rowId));
      if (admitted.length === 0) return { stored: { winners: NOBODY, lost: NOBODY, moved }, told: [] };
      const { winners, committed } = await this.insertRows(transaction, admitted);
      const won = admitted.filter(({ claim, rowId }) => claim === undefined || winners.has(rowId));
      for (const { session } of won) if (session !== undefined) sessions?.add(session);
      await sessions?.write(transaction);
      const done = await this.writeLedger(transaction, won);
      return { stored: { winners, lost: done?.lost ?? NOBODY, moved }, told: [done?.committed, committed] };
    });
    for (const tell of told) tell?.();
    return stored;
  }

  private async writeLedger(
    transaction: SqlExecutor,
    won: readonly PreparedAppend[],
  ): Promise<LedgerWritten | undefined> {
    if (this.ledger === undefined || won.every(({ ledger }) => ledger.length === 0)) return undefined;
    const done = await this.ledger.write(transaction, worksOf(won));
    if (done.children.length > 0) await this.insertRows(transaction, done.children.map(unclaimed));
    return done;
  }

  /** Settles a batch whose statement failed. If a bad row is the reason, bisection finds that row, and the other rows are still stored. */
  private async storeApart(batch: readonly Waiting[], error: unknown): Promise<void> {
    if (!(error instanceof DatabaseError && (error.isDataError || error.isLockTimeout || error.isForbidden))) {
      const unavailable = new EventLogUnavailable('the event log cannot be reached', { cause: error });
      batch.forEach((waiting) => waiting.reject(unavailable));
      return;
    }
    const [first, ...rest] = batch;
    if (first !== undefined && rest.length === 0) {
      first.reject(refusal(error));
      return;
    }
    const middle = Math.ceil(batch.length / 2);
    await this.store(batch.slice(0, middle));
    await this.store(batch.slice(middle));
  }

  private async answerLoser(loser: Waiting, claim: Claim): Promise<void> {
    try {
      const stored = await this.answers.find(claim);
      if (stored === null) {
        throw new EventLogUnavailable('the first answer is gone');
      }
      loser.resolve({ outcome: 'duplicate', stored });
    } catch (error) {
      loser.reject(error instanceof Error ? error : new EventLogUnavailable('the event log cannot be reached'));
    }
  }
}
