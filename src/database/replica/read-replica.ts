import { randomInt, randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { DatabaseUnavailable, type DatabaseError } from '../database-error.js';
import { READINESS_SLOTS, readProbe, writeProbe } from '../probe-rows.js';
import { NOT_ASKED } from '../postgres/postgres-driver.js';
import { sqlRunner, type SqlDriver } from '../scoped-sessions.js';
import type { SqlSession, TenantSql } from '../sql-runner.js';
import { Beats } from './beats.js';
import { ReadingDriver } from './reading-driver.js';

/** `ok`: it is used for reads. */
export type ReplicaState = 'ok' | 'behind' | 'away';

export interface ReplicaOptions {
  readonly databaseUrl: string;
  /** No read shows less than what had been acknowledged so long before. */
  readonly maxLagMs: number;
  /** Told when reads change over. */
  readonly report: (isUsed: boolean, message: string) => void;
}

export interface ReplicaParts {
  /** Of the primary, with the deadline of calls. */
  readonly primary: TenantSql;
  readonly primaryDriver: SqlDriver;
  readonly driver: SqlDriver;
  /** A connection of its own: reads that take long must not make the replica seem away. */
  readonly watching: TenantSql;
  readonly nowMs: () => number;
  /** Ends what is being asked of a replica that has stopped answering. */
  readonly drop: () => void;
  readonly close: () => Promise<void>;
}

const [FIRST_SLOT, LAST_SLOT] = [READINESS_SLOTS, 32_767];
/** Somebody else may write over the same row: after so many beats that are not known it takes another one. */
const STRANGERS = 8;
/** Beats in the time that the replica may be behind, of which one a second is enough. */
const BEATS = 5;
const LONGEST_INTERVAL_MS = 1_000;
/** Beats that are remembered beyond those of the time that it may be behind. */
const FURTHER_BEATS = 64;
/** Times of other processes are as good as their estimate of the database's clock. */
const CLOCKS_DIFFER_MS = 1_000;
const CAUGHT_UP_LOOKS_MS = 50;
/** Nobody waits longer than this for the replica to catch up, however far behind it may be. */
const LONGEST_WAIT_MS = 10_000;

/** Code of a connection that leads to another server than the one whose beats are seen. */
export const ANOTHER_SERVER = 'ANOTHER_SERVER';
/** What ends one statement and says nothing of the server: all connections are in use, or lead elsewhere. */
const OF_ONE_STATEMENT: ReadonlySet<string> = new Set(['NO_CONNECTION', NOT_ASKED, ANOTHER_SERVER]);

/**
 * A PostgreSQL that follows the primary, asked in its place for reads that may be a little old. Every second or more often this
 * process writes a beat to the primary and looks for it in the replica: what the replica shows says how far it is behind at most.
 * One that is further behind than allowed, does not answer, or does not follow this primary, is not asked.
 */
export class ReadReplica {
  readonly sql: TenantSql;
  /** Told of each read that it went there. */
  asked: (server: 'replica' | 'primary') => void = () => undefined;
  private readonly beats: Beats;
  private readonly driver: ReadingDriver;
  private readonly startedMs = performance.now();
  private readonly intervalMs: number;
  private readonly writer: SqlSession;
  private readonly reader: SqlSession;
  private slot = randomInt(FIRST_SLOT, LAST_SLOT);
  private strangers = 0;
  private current: ReplicaState = 'behind';
  private told: ReplicaState | undefined;
  private hasToldOfOthers = false;
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
    this.intervalMs = Math.min(LONGEST_INTERVAL_MS, options.maxLagMs / BEATS);
    this.beats = new Beats(Math.ceil(options.maxLagMs / this.intervalMs) + FURTHER_BEATS);
    this.writer = parts.primary.forDuty('watch');
    this.reader = parts.watching.forDuty('watch');
  }

  /** Reads go to the replica as soon as it has shown that it is near enough. */
  start(): void {
    this.running = this.beatOn();
  }

  get state(): ReplicaState {
    // Time alone makes it too old, between two beats as well.
    if (this.current === 'ok' && this.lagMs > this.options.maxLagMs) this.settle();
    return this.current;
  }

  /** The most that it may be behind now. Grows from the start until it has shown anything. */
  get lagMs(): number {
    return performance.now() - (this.beats.seen?.ms ?? this.startedMs);
  }

  /**
   * Whether the replica has everything that was acknowledged before a time, waiting for it as long as it may be behind, seconds
   * at most.
   *
   * @param ms by the database's clock; may be now
   * @param signal ends the waiting: then it is taken for one that has not
   */
  async holds(ms: number, signal?: AbortSignal): Promise<boolean> {
    const untilMs = performance.now() + CLOCKS_DIFFER_MS + Math.min(this.options.maxLagMs, LONGEST_WAIT_MS);
    for (;;) {
      const { seen } = this.beats;
      if (seen !== undefined && seen.at >= ms + CLOCKS_DIFFER_MS) return true;
      const isOver = this.ended.signal.aborted || signal?.aborted === true;
      const isHopeless = this.state === 'away' || this.lagMs > this.options.maxLagMs || isOver;
      if (isHopeless || performance.now() >= untilMs) return false;
      await delay(CAUGHT_UP_LOOKS_MS);
    }
  }

  /** Reads by several statements, of which none may know less than another: all on one server. */
  atOnce<T>(work: (sql: TenantSql) => Promise<T>): Promise<T> {
    return this.driver.atOnce((driver) => work(sqlRunner(driver)));
  }

  /** Another server answers at its address: what is known is of the one before, and so is what is being read. */
  forget(): void {
    this.beats.forget();
    this.parts.drop();
    this.settle();
  }

  async close(): Promise<void> {
    this.ended.abort();
    await this.running;
    await this.parts.close();
  }

  private async beatOn(): Promise<void> {
    const { signal } = this.ended;
    while (!signal.aborted) {
      await this.beat();
      await delay(this.intervalMs, undefined, { signal, ref: false }).catch(() => undefined);
    }
  }

  private async beat(): Promise<void> {
    const token = randomUUID();
    this.beats.begin(token, { ms: performance.now(), at: this.parts.nowMs() });
    // A primary that takes no beat leaves what is known to grow old: reads go to it, and say that it is away.
    await writeProbe(this.writer, this.slot, token).catch(() => undefined);
    try {
      const isKnown = this.beats.saw(await readProbe(this.reader, this.slot));
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
    if (error.code === ANOTHER_SERVER) this.tellOfOthers();
    if (!(error instanceof DatabaseUnavailable) || OF_ONE_STATEMENT.has(error.code ?? '')) return;
    this.trouble = troubleOf(error);
    this.settle();
  }

  private tellOfOthers(): void {
    if (this.hasToldOfOthers) return;
    this.hasToldOfOthers = true;
    const which = 'DATABASE_READ_URL leads to more than one server.';
    this.options.report(
      false,
      `${which} Only one of them is used for reads; the reads of the others go to the primary.`,
    );
  }

  /** Reads come back to a replica that is half as far behind as it may be, so that they do not go to and fro. */
  private settle(): void {
    const { maxLagMs } = this.options;
    const mostMs = this.current === 'ok' ? maxLagMs : maxLagMs / 2;
    const isNear = this.beats.seen !== undefined && this.lagMs <= mostMs;
    const next: ReplicaState = this.trouble !== undefined ? 'away' : isNear ? 'ok' : 'behind';
    this.current = next;
    // A replica that may yet be near enough is not reported.
    const isNews = next !== this.told && !(next === 'behind' && this.lagMs <= maxLagMs);
    if (!isNews || this.ended.signal.aborted) return;
    this.told = next;
    const { report } = this.options;
    if (next === 'ok') report(true, 'Reads go to the read replica.');
    else report(false, `The read replica ${this.trouble ?? this.distance}. Reads go to the primary.`);
  }

  private get distance(): string {
    const behind = `is more than ${this.options.maxLagMs} ms behind`;
    return this.beats.seen === undefined ? `${behind}, or does not follow the database of DATABASE_URL` : behind;
  }
}

function troubleOf(error: unknown): string {
  if (error instanceof DatabaseUnavailable && error.isSilence) return 'does not answer';
  const code: unknown = error instanceof Error ? Reflect.get(error, 'code') : undefined;
  return `cannot be asked (${typeof code === 'string' ? code : 'no connection'})`;
}
