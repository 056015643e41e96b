import { randomInt, randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { DatabaseUnavailable, type DatabaseError } from '../database-error.js';
import { READINESS_SLOTS, readProbe, writeProbe } from '../probe-rows.js';
import { NOT_ASKED } from '../postgres/postgres-driver.js';
import { sqlRunner, type SqlDriver } from '../scoped-sessions.js';
import type { SqlSession, TenantSql } from '../sql-runner.js';
import { Heartbeats } from './heartbeats.js';
import { ReadingDriver } from './reading-driver.js';

/** `ok`: the replica is used for reads. */
export type ReplicaState = 'ok' | 'behind' | 'away';

export interface ReplicaOptions {
  readonly databaseUrl: string;
  /** Every read shows everything that was acknowledged at least this long before. */
  readonly maxLagMs: number;
  /** Called when reads switch between the replica and the primary. */
  readonly report: (isUsed: boolean, message: string) => void;
}

export interface ReplicaParts {
  /** Sessions on the primary, with the deadline of calls. */
  readonly primary: TenantSql;
  readonly primaryDriver: SqlDriver;
  readonly driver: SqlDriver;
  /** Uses a separate connection: long reads must not make the replica seem unavailable. */
  readonly watching: TenantSql;
  readonly nowMs: () => number;
  /** Ends the reads in flight on a replica that has stopped answering. */
  readonly drop: () => void;
  readonly close: () => Promise<void>;
}

const [FIRST_SLOT, LAST_SLOT] = [READINESS_SLOTS, 32_767];
/** Another process may use the same row: after this number of unknown heartbeats in a row, another row is chosen. */
const STRANGERS = 8;
/** The number of heartbeats within the maximum lag; at most one per second is needed. */
const HEARTBEATS = 5;
const LONGEST_INTERVAL_MS = 1_000;
/** The number of heartbeats that are stored in addition to those within the maximum lag. */
const FURTHER_HEARTBEATS = 64;
/** The assumed maximum difference between the estimates of the database's clock by several processes. */
const CLOCKS_DIFFER_MS = 1_000;
const CAUGHT_UP_LOOKS_MS = 50;
/** The maximum wait for the replica to catch up, regardless of the maximum lag. */
const LONGEST_WAIT_MS = 10_000;

/** The error code for a connection to a server other than the one whose heartbeats are read. */
export const ANOTHER_SERVER = 'ANOTHER_SERVER';
/** Errors of a single statement that are not a fault of the server: all connections are in use, or lead to another server. */
const OF_ONE_STATEMENT: ReadonlySet<string> = new Set(['NO_CONNECTION', NOT_ASKED, ANOTHER_SERVER]);

/**
 * A standby of the primary, used for reads of slightly old data. At least every second, this process writes a heartbeat to the primary and
 * looks for it in the replica: the age of the heartbeat that the replica shows is an upper limit of the replica's lag. The replica is not
 * used if the lag is above the maximum, it does not answer, or it does not follow this primary.
 */
export class ReadReplica {
  readonly sql: TenantSql;
  /** Called for each read with the server that answered it. */
  asked: (server: 'replica' | 'primary') => void = () => undefined;
  private readonly heartbeats: Heartbeats;
  private readonly driver: ReadingDriver;
  private readonly startedMs = performance.now();
  private readonly intervalMs: number;
  private readonly writer: SqlSession;
  private readonly reader: SqlSession;
  private slot = randomInt(FIRST_SLOT, LAST_SLOT);
  private strangers = 0;
  private current: ReplicaState = 'behind';
  private reported: ReplicaState | undefined;
  private hasReportedOthers = false;
  private trouble: string | undefined;
  private readonly ended = new AbortController();
  private running: Promise<void> = Promise.resolve();

  constructor(
    private readonly options: ReplicaOptions,
    private readonly parts: ReplicaParts,
  ) {
    const isUsable = (): boolean => this.state === 'ok';
    this.driver = new ReadingDriver(parts.driver, parts.primaryDriver, {
      get isUsable() {
        return isUsable();
      },
      asked: (server) => this.asked(server),
      failed: (error) => this.failed(error),
    });
    this.sql = sqlRunner(this.driver);
    this.intervalMs = Math.min(LONGEST_INTERVAL_MS, options.maxLagMs / HEARTBEATS);
    this.heartbeats = new Heartbeats(Math.ceil(options.maxLagMs / this.intervalMs) + FURTHER_HEARTBEATS);
    this.writer = parts.primary.forDuty('watch');
    this.reader = parts.watching.forDuty('watch');
  }

  /** Starts the heartbeats. Reads go to the replica as soon as a heartbeat shows a small enough lag. */
  start(): void {
    this.running = this.sendHeartbeats();
  }

  get state(): ReplicaState {
    // The lag also grows between two heartbeats.
    if (this.current === 'ok' && this.lagMs > this.options.maxLagMs) this.settle();
    return this.current;
  }

  /** The upper limit of the lag in milliseconds. It grows from the start until the first heartbeat is shown. */
  get lagMs(): number {
    return performance.now() - (this.heartbeats.seen?.ms ?? this.startedMs);
  }

  /**
   * Whether the replica has everything that was acknowledged before a time. Waits for it at most as long as the maximum lag, and only
   * for seconds.
   *
   * @param ms by the database's clock; may be now
   * @param signal ends the wait; the result is then false
   */
  async holds(ms: number, signal?: AbortSignal): Promise<boolean> {
    const untilMs = performance.now() + CLOCKS_DIFFER_MS + Math.min(this.options.maxLagMs, LONGEST_WAIT_MS);
    for (;;) {
      const { seen } = this.heartbeats;
      if (seen !== undefined && seen.at >= ms + CLOCKS_DIFFER_MS) return true;
      const isOver = this.ended.signal.aborted || signal?.aborted === true;
      const isHopeless = this.state === 'away' || this.lagMs > this.options.maxLagMs || isOver;
      if (isHopeless || performance.now() >= untilMs) return false;
      await delay(CAUGHT_UP_LOOKS_MS);
    }
  }

  /** Runs several reads that must see consistent data on one server. */
  atOnce<T>(work: (sql: TenantSql) => Promise<T>): Promise<T> {
    return this.driver.atOnce((driver) => work(sqlRunner(driver)));
  }

  /** Another server answers at the replica's address: the known lag and the reads in flight belong to the previous one. */
  forget(): void {
    this.heartbeats.forget();
    this.parts.drop();
    this.settle();
  }

  async close(): Promise<void> {
    this.ended.abort();
    await this.running;
    await this.parts.close();
  }

  private async sendHeartbeats(): Promise<void> {
    const { signal } = this.ended;
    while (!signal.aborted) {
      await this.sendHeartbeat();
      await delay(this.intervalMs, undefined, { signal, ref: false }).catch(() => undefined);
    }
  }

  private async sendHeartbeat(): Promise<void> {
    const token = randomUUID();
    this.heartbeats.begin(token, { ms: performance.now(), at: this.parts.nowMs() });
    // If the primary accepts no heartbeat, the known lag grows until reads go to the primary, and report its outage.
    await writeProbe(this.writer, this.slot, token).catch(() => undefined);
    try {
      const isKnown = this.heartbeats.saw(await readProbe(this.reader, this.slot));
      this.strangers = isKnown ? 0 : this.strangers + 1;
      if (this.strangers >= STRANGERS) {
        this.slot = randomInt(FIRST_SLOT, LAST_SLOT);
        this.strangers = 0;
      }
      this.trouble = undefined;
    } catch (error) {
      this.trouble = troubleOf(error);
      if (error instanceof DatabaseUnavailable && error.isSilence) this.parts.drop();
    }
    this.settle();
  }

  private failed(error: DatabaseError | DatabaseUnavailable): void {
    if (error.code === ANOTHER_SERVER) this.reportOtherServers();
    if (!(error instanceof DatabaseUnavailable) || OF_ONE_STATEMENT.has(error.code ?? '')) return;
    this.trouble = troubleOf(error);
    this.settle();
  }

  private reportOtherServers(): void {
    if (this.hasReportedOthers) return;
    this.hasReportedOthers = true;
    const which = 'DATABASE_READ_URL resolves to more than one server.';
    this.options.report(
      false,
      `${which} Weir reads from only one of these servers; reads that reach another one are sent to the primary.`,
    );
  }

  /** Reads return to the replica when its lag is at most half of the maximum, so that they do not switch back and forth. */
  private settle(): void {
    const { maxLagMs } = this.options;
    const mostMs = this.current === 'ok' ? maxLagMs : maxLagMs / 2;
    const isNear = this.heartbeats.seen !== undefined && this.lagMs <= mostMs;
    const next: ReplicaState = this.trouble !== undefined ? 'away' : isNear ? 'ok' : 'behind';
    this.current = next;
    // A replica whose lag may still be small enough is not reported.
    const isNews = next !== this.reported && !(next === 'behind' && this.lagMs <= maxLagMs);
    if (!isNews || this.ended.signal.aborted) return;
    this.reported = next;
    const { report } = this.options;
    if (next === 'ok') report(true, 'Reads go to the read replica.');
    else report(false, `The read replica ${this.trouble ?? this.distance}. Reads go to the primary.`);
  }

  private get distance(): string {
    const behind = `is more than ${this.options.maxLagMs} ms behind`;
    return this.heartbeats.seen === undefined ? `${behind}, or does not follow the database of DATABASE_URL` : behind;
  }
}

function troubleOf(error: unknown): string {
  if (error instanceof DatabaseUnavailable && error.isSilence) return 'does not answer';
  const code: unknown = error instanceof Error ? Reflect.get(error, 'code') : undefined;
  return `cannot be queried (${typeof code === 'string' ? code : 'no connection'})`;
}
