/**
 * Writes to the event log. Requests that arrive while a statement runs are combined into the next one (group commit); each caller's
 * promise resolves after its own commit, so an acknowledged event is on disk.
 */
import type { Environment } from '../core/index.js';
import { DatabaseError, type SqlExecutor, type TenantSql } from '../database/index.js';
import { prepareAppend, type Claim, type PreparedAppend } from './append-statement.js';
import { AppendQueue, isLarge, keyNameOf, type AppendQueueLimits } from './append-queue.js';
import { BatchParts } from './batch-parts.js';
import { BatchWriter } from './batch-writer.js';
import { CallLanes, namesOf, type Lane, type LanePlace } from './call-lanes.js';
import type { AppendRequest, AppendResult, LedgerWriter, NewEvent, StoredAnswer } from './event.js';
import { EventIdInProgress, EventLogOverloaded, EventLogUnavailable, EventRejected } from './event-log-errors.js';
import { Gatherings, type Gathering } from './gatherings.js';
import { StoredAnswers } from './stored-answers.js';

export interface EventLogLimits extends AppendQueueLimits {
  /** Maximum number of waiting requests. */
  readonly queueLength: number;
  /** Maximum size of all waiting requests, in UTF-16 units. */
  readonly queueSize: number;
  /**
   * A request that has waited longer is refused: its sender has given up, or soon will. A batch that meets a lock is divided for no longer
   * than this, counted from its first statement.
   */
  readonly longestWaitMs: number;
  /**
   * Whether a large request may be stored while other requests are: only on a database that runs several statements at once. Otherwise
   * there is one statement at a time.
   */
  readonly largeBeside: boolean;
}

export const EVENT_LOG_LIMITS: EventLogLimits = {
  batchRows: 512,
  batchSize: 8 * 1024 * 1024,
  queueLength: 10_000,
  queueSize: 256 * 1024 * 1024,
  longestWaitMs: 60_000,
  largeBeside: false,
};

const LANES: readonly Lane[] = ['main', 'beside'];
/** The place of requests on a database that runs one statement at a time. */
const ONLY_LANE: LanePlace = { lane: 'main', leave: () => undefined };

interface Waiting extends PreparedAppend {
  /** Monotonic milliseconds. */
  readonly sinceMs: number;
  /** Those of `namesOf`. */
  readonly names: readonly string[];
  readonly keyName: string;
  /** Called when the request no longer waits. */
  readonly left: (() => void) | undefined;
  resolve(result: AppendResult): void;
  reject(error: Error): void;
}

/**
 * The maximum wait for a lock after the first statement of a batch has met one: other transactions of calls end sooner, and a lock that
 * lasts longer must not delay those requests of the batch that it does not affect.
 */
const NEXT_LOCK_WAIT_MS = 25;
/** The number of searches for old requests within the longest wait, also while no statement ends. */
const SEARCHES_PER_WAIT = 4;

/** The error for the caller whose request the database refused. */
function refusal({ claim }: Waiting, error: DatabaseError): Error {
  if (error.isForbidden) return error;
  if (!error.isLockTimeout) return new EventRejected(error.sqlState);
  return claim !== undefined && error.lockedTable === 'event_ids'
    ? new EventIdInProgress('the same event is being stored')
    : locked(error);
}

/** The request had no effect, and can be stored when the lock is released. */
function locked(cause: DatabaseError): EventLogUnavailable {
  return new EventLogUnavailable('another session keeps a lock', { cause });
}

export class EventLog {
  private readonly queues: Readonly<Record<Lane, AppendQueue<Waiting>>>;
  private readonly lanes = new CallLanes();
  private readonly writer: BatchWriter;
  /** The lanes whose statement is in flight. */
  private readonly busy = new Set<Lane>();
  private closed = false;
  private searching: NodeJS.Timeout | undefined;
  private idle: (() => void)[] = [];
  private readonly answers: StoredAnswers;
  private readonly gatherings = new Gatherings(() => this.pump());
  /** Arrival time of the first request that waits in the lane `main`. */
  private firstMs = 0;
  /** Arrival times of the requests that wait or are in flight, oldest first. */
  private readonly arrivals = new Set<{ readonly sinceMs: number }>();

  constructor(
    sql: TenantSql,
    private readonly limits: EventLogLimits = EVENT_LOG_LIMITS,
    /** Called with the number of events of every committed statement. */
    onCommit: (events: number) => void = () => undefined,
    /** Applies the effects of events on budgets. Without it, budgets are not updated. */
    ledger?: LedgerWriter,
    /** Monotonic milliseconds. */
    private readonly nowMs: () => number = () => performance.now(),
  ) {
    this.answers = new StoredAnswers(sql);
    this.writer = new BatchWriter(sql, onCommit, ledger);
    this.queues = { main: new AppendQueue<Waiting>(limits), beside: new AppendQueue<Waiting>(limits) };
  }

  /**
   * Stores an event, its children and its idempotency id, all or nothing, and resolves after the commit.
   *
   * An answer that must not be stored (`idempotency.answer` absent) claims no id: the event is stored as a record of what happened, and
   * a retry under the same `event_id` is a new event.
   *
   * @returns `duplicate` with the stored answer if the id was already claimed; nothing is stored then.
   * @throws EventLogOverloaded when the queue is full or the request has waited too long; EventLogUnavailable when the database cannot be
   * reached or another session keeps a lock; EventIdInProgress when another server holds the same id for too long; EventRejected when the
   * database refuses the data.
   */
  async append(request: AppendRequest): Promise<AppendResult> {
    if (this.closed) {
      throw new EventLogUnavailable('the event log is closed');
    }
    const prepared = prepareAppend(request);
    const { main, beside } = this.queues;
    const units = main.units + beside.units + prepared.size;
    if (this.waiting >= this.limits.queueLength || units > this.limits.queueSize) {
      throw new EventLogOverloaded('too many events are queued for storage');
    }
    return new Promise<AppendResult>((resolve, reject) => {
      const sinceMs = this.nowMs();
      const names = namesOf(prepared);
      const { lane, leave } = this.placeOf(prepared, names);
      if (lane === 'main' && main.length === 0) this.firstMs = sinceMs;
      const keyName = keyNameOf(prepared.event);
      const settled = (): void => {
        this.arrivals.delete(waiting);
        leave();
      };
      const waiting: Waiting = {
        ...prepared,
        sinceMs,
        names,
        keyName,
        left: lane === 'main' ? this.gatherings.came(keyName) : undefined,
        resolve: (result) => {
          settled();
          resolve(result);
        },
        reject: (error) => {
          settled();
          reject(error);
        },
      };
      this.arrivals.add(waiting);
      this.queues[lane].push(waiting);
      this.pump();
      this.searchLater();
    });
  }

  /**
   * Announces many events of one key, each of which arrives when it has been judged: they may wait briefly for one another
   * while no other request waits.
   *
   * @param open the number of them that are expected or wait to be stored
   */
  gather(by: Pick<NewEvent, 'accountId' | 'keyId'>, open: () => number): Gathering {
    return this.gatherings.begin(keyNameOf(by), open);
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
    await this.writer.writeIn(transaction, events);
  }

  /** Requests that wait and those in flight, for metrics. */
  get backlog(): number {
    return this.waiting + this.busy.size;
  }

  private get waiting(): number {
    return this.queues.main.length + this.queues.beside.length;
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
    if (this.backlog > 0) {
      await new Promise<void>((resolve) => this.idle.push(resolve));
    }
  }

  private placeOf(prepared: PreparedAppend, names: readonly string[]): LanePlace {
    return this.limits.largeBeside ? this.lanes.enter(names, isLarge(prepared) ? 'beside' : 'main') : ONLY_LANE;
  }

  /** Starts the next statement of each lane that has none. */
  private pump(): void {
    for (const lane of LANES) {
      const batch = this.busy.has(lane) ? [] : this.nextBatch(lane);
      if (batch.length > 0) this.begin(batch, lane);
    }
    if (this.backlog === 0) this.idle.splice(0).forEach((resolve) => resolve());
  }

  private nextBatch(lane: Lane): readonly Waiting[] {
    const queue = this.queues[lane];
    if (queue.length === 0) return [];
    this.shedOld(queue);
    if (queue.length === 0 || (lane === 'main' && this.holdsBack())) return [];
    return queue.nextBatch(this.nowMs());
  }

  private begin(batch: readonly Waiting[], lane: Lane): void {
    this.leave(batch);
    this.busy.add(lane);
    // Requests that arrive in the same turn of the event loop are part of the next batch.
    void this.store(batch, lane).finally(() =>
      setImmediate(() => {
        this.busy.delete(lane);
        this.pump();
      }),
    );
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
    const { length, units } = this.queues.main;
    if (this.closed || length >= this.limits.batchRows || units >= this.limits.batchSize) return false;
    return this.gatherings.holdsBack(length, this.nowMs() - this.firstMs);
  }

  /** While requests wait: refuses old ones in time, even if the statements of all lanes take long. */
  private searchLater(): void {
    if (this.searching !== undefined || this.waiting === 0) return;
    const search = (): void => {
      this.searching = undefined;
      for (const lane of LANES) this.shedOld(this.queues[lane]);
      this.pump();
      this.searchLater();
    };
    this.searching = setTimeout(search, this.limits.longestWaitMs / SEARCHES_PER_WAIT).unref();
  }

  private shedOld(queue: AppendQueue<Waiting>): void {
    // Usually no request is too old: then the queue is not searched.
    if (this.backlogAgeMs <= this.limits.longestWaitMs) return;
    for (const waiting of queue.takeOlderThan(this.nowMs() - this.limits.longestWaitMs)) {
      waiting.left?.();
      waiting.reject(new EventLogOverloaded('the event was queued too long'));
    }
  }

  /** Stores a batch and settles all of it. Never rejects. */
  private async store(batch: readonly Waiting[], lane: Lane): Promise<void> {
    const untilMs = this.nowMs() + this.limits.longestWaitMs;
    const refused = await this.attempt(batch, lane);
    if (refused !== undefined) await this.storeApart(batch, lane, refused, untilMs);
  }

  /**
   * Sends a batch to the database.
   *
   * @returns the refusal if some of its rows may be the reason: nothing was stored. Otherwise all of it is settled
   */
  private async attempt(
    batch: readonly Waiting[],
    lane: Lane,
    lockWaitMs?: number,
  ): Promise<DatabaseError | undefined> {
    try {
      const { winners, lost, moved } = await this.writer.write(batch, lane, lockWaitMs);
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
      return undefined;
    } catch (error) {
      if (error instanceof DatabaseError && (error.isDataError || error.isLockTimeout || error.isForbidden)) {
        return error;
      }
      const unavailable = new EventLogUnavailable('the event log cannot be reached', { cause: error });
      batch.forEach((waiting) => waiting.reject(unavailable));
      return undefined;
    }
  }

  /**
   * Settles a batch that the database refused. If bad or locked rows are the reason, smaller statements find them, and the other rows are
   * still stored. If a whole table is locked, every statement meets the lock: the time for this is limited.
   */
  private storeApart(batch: readonly Waiting[], lane: Lane, refused: DatabaseError, untilMs: number): Promise<void> {
    let lock = refused.isLockTimeout ? refused : undefined;
    const attempt = async (part: readonly Waiting[]): Promise<DatabaseError | undefined> => {
      if (lock !== undefined && this.nowMs() >= untilMs) {
        const error = locked(lock);
        part.forEach((waiting) => waiting.reject(error));
        return undefined;
      }
      const again = await this.attempt(part, lane, lock === undefined ? undefined : NEXT_LOCK_WAIT_MS);
      if (again?.isLockTimeout === true) lock = again;
      return again;
    };
    const parts = new BatchParts<Waiting>(attempt, (waiting, error) => waiting.reject(refusal(waiting, error)));
    return parts.settle(batch, refused);
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
