/**
 * Keeps the ends of calls while the database is unavailable, and stores them afterwards. A provider charges for a call even if it is
 * not recorded, so the record waits on disk and is not lost.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { deserialize, serialize } from 'node:v8';
import { DatabaseError, DatabaseUnavailable } from '../../database/index.js';
import { PeriodicWork } from '../../resilience/index.js';
import type { AppendRequest, AppendResult, NewEvent } from '../event.js';
import { EventIdInProgress, EventLogOverloaded, EventLogUnavailable, EventRejected } from '../event-log-errors.js';
import { JournalRefusal, type JournalFile, type JournalRecord } from './journal-file.js';

const RETRY_MS = 250;
/** The time before a retry if the database answers, or if the file cannot be used: that may last. */
const STUCK_RETRY_MS = 5_000;
/**
 * During an outage, a retry reads one record only, which suffices to notice the end of the outage. Every so many retries read as many as
 * otherwise, because the first record may wait for a reason of its own, such as a lock.
 */
const FULL_EVERY_TURNS = STUCK_RETRY_MS / RETRY_MS;
const CHECK_DISK_MS = 60_000;
/** Maximum number of records that are stored at once, in one statement of the log. */
const AT_ONCE = 64;
/** The version of the record format, so that later versions recognise earlier records. */
const FORM = 1;

export interface JournalParts {
  /** Undefined if no journal can be written. */
  readonly file: JournalFile | undefined;
  /** Opens the file if it could not be opened at the start; undefined if this is still not possible. */
  readonly reopen?: () => JournalFile | undefined;
  /** Further files whose records are stored, and to which nothing is added. */
  readonly leftBehind?: readonly JournalFile[];
  append(request: AppendRequest): Promise<AppendResult>;
  /** Whether the log has this event. Rejects while this is unknown. */
  isStored(accountId: string, id: string): Promise<boolean>;
  /** Called for each event after it is in the log. If it rejects, it is called again later. */
  afterStored(event: NewEvent): Promise<void>;
  /** Receives the outcome of each record, never its content. */
  readonly observer: JournalObserver;
  /** For tests: replaces the time before each retry. */
  readonly retryMs?: number;
}

export interface JournalObserver {
  kept(): void;
  /** @param why the rest of a sentence whose subject is the journal */
  refused(kind: 'full' | 'unusable', why: string): void;
  stored(): void;
  /** The record will not be retried. */
  lost(id: string, why: string): void;
  /**
   * Records wait although the database may be available. They are retried. Called once for each reason.
   *
   * @param why the rest of a sentence that ends with "because"
   */
  stuck(why: string): void;
  /** The record is kept for the version that wrote it, because this version cannot read it. */
  unreadable(id: string): void;
}

/** The reason why a record waits that is not reported: the outage of the database is reported elsewhere. */
const OUTAGE = 'the database is unavailable';

export class EndJournal {
  /** Each file is stored on its own, so that its records do not wait for another file. */
  private readonly storing = new Map<JournalFile, Promise<void>>();
  /** Ids of records that this version cannot read. */
  private readonly unreadable = new Set<string>();
  private readonly checking = new PeriodicWork(() => this.checkDisk(), CHECK_DISK_MS);
  private readonly stopping = new AbortController();

  private file: JournalFile | undefined;

  constructor(private readonly parts: JournalParts) {
    this.file = parts.file;
  }

  /** Records that wait, for metrics. */
  get size(): number {
    return this.files.reduce((total, { size }) => total + size, 0);
  }

  /** The size of these records on disk, for metrics. */
  get bytes(): number {
    return this.files.reduce((total, { bytes }) => total + bytes, 0);
  }

  /** Whether a record can be kept now, as far as known. */
  get isUp(): boolean {
    return this.file?.isUp ?? false;
  }

  private get files(): readonly JournalFile[] {
    const { leftBehind = [] } = this.parts;
    return this.file === undefined ? leftBehind : [this.file, ...leftBehind];
  }

  /** Stores the records left by an earlier process. */
  start(): void {
    this.store();
    this.checking.runNow();
    this.checking.start();
  }

  /** @returns false if the record could not be kept: the caller must tell the client that the call is not recorded */
  keep(request: AppendRequest): boolean {
    const { observer } = this.parts;
    const { file } = this;
    try {
      if (file === undefined) throw new JournalRefusal('unusable', 'cannot be used');
      file.add(request.event.id, serialize({ form: FORM, request }));
    } catch (error) {
      if (!(error instanceof JournalRefusal)) throw error;
      observer.refused(error.kind, error.message);
      return false;
    }
    observer.kept();
    this.store();
    return true;
  }

  /** Waits for the records that are being stored; the others wait for the next start. */
  async stop(): Promise<void> {
    this.stopping.abort();
    await Promise.all([this.checking.stop(), ...this.storing.values()]);
  }

  private async checkDisk(): Promise<void> {
    if (this.file === undefined) {
      this.file = this.parts.reopen?.();
      if (this.file !== undefined) this.store();
    }
    await this.file?.checkDisk();
  }

  private store(): void {
    if (this.stopping.signal.aborted) return;
    for (const file of this.files) {
      if (this.storing.has(file)) continue;
      // It begins in a later microtask, when it has its entry, which it removes itself.
      this.storing.set(
        file,
        Promise.resolve().then(() => this.storeAll(file)),
      );
    }
  }

  /** Ends when no record is left that this version can read. Never rejects. */
  private async storeAll(file: JournalFile): Promise<void> {
    const { observer, retryMs } = this.parts;
    const { signal } = this.stopping;
    const reported = new Set([OUTAGE]);
    /** Turns in a row in which an outage was the reason of every record. */
    let outages = 0;
    while (!signal.aborted) {
      const { records, why: unread } = this.nextOf(file, outages % FULL_EVERY_TURNS === 0 ? AT_ONCE : 1);
      if (records.length === 0 && unread === undefined) break;
      const outcomes = await Promise.all(records.map((record) => this.storeOne(file, record)));
      outages = unread === undefined && outcomes.every((why) => why === OUTAGE) ? outages + 1 : 0;
      const waiting = new Set([unread, ...outcomes].filter((why) => why !== undefined));
      if (waiting.size === 0 || signal.aborted) continue;
      for (const why of waiting) if (!reported.has(why)) observer.stuck(why);
      for (const why of waiting) reported.add(why);
      const pauseMs = waiting.size === 1 && waiting.has(OUTAGE) ? RETRY_MS : STUCK_RETRY_MS;
      await delay(retryMs ?? pauseMs, undefined, { ref: false, signal }).catch(() => undefined);
    }
    // In the same turn as the last look into the file: a record that is added later begins a new run.
    this.storing.delete(file);
  }

  /** The oldest records that this version may be able to read; if the file cannot be read, none, and why. */
  private nextOf(
    file: JournalFile,
    most: number,
  ): { readonly records: readonly JournalRecord[]; readonly why?: string } {
    try {
      return { records: file.oldest(most, this.unreadable) };
    } catch (error) {
      return { records: [], why: reasonOf(error) };
    }
  }

  /** @returns why the record has to wait; undefined if it does not */
  private async storeOne(file: JournalFile, { id, content }: JournalRecord): Promise<string | undefined> {
    const { observer } = this.parts;
    if (content === undefined) return removed(file, id, () => observer.lost(id, 'was changed on disk'));
    const request = requestOf(content);
    if (request === undefined) {
      this.unreadable.add(id);
      observer.unreadable(id);
      return undefined;
    }
    let refusal: string | undefined;
    try {
      refusal = await this.append(request);
      if (refusal === undefined) await this.parts.afterStored(request.event);
    } catch (error) {
      return reasonOf(error);
    }
    return removed(file, id, () => {
      if (refusal === undefined) observer.stored();
      else observer.lost(id, `was refused by the database (SQLSTATE ${refusal})`);
    });
  }

  /** @returns the SQLSTATE of a final refusal; undefined if the event is in the log */
  private async append(request: AppendRequest): Promise<string | undefined> {
    const { append, isStored } = this.parts;
    try {
      await append(request);
      return undefined;
    } catch (error) {
      if (!(error instanceof EventRejected)) throw error;
      // A statement that seemed lost was executed, or another process has stored its copy of the record.
      return (await isStored(request.event.accountId, request.event.id)) ? undefined : error.sqlState;
    }
  }
}

/** Deletes a record that does not wait any more, and then reports its outcome. @returns why it has to wait nevertheless */
function removed(file: JournalFile, id: string, reportOutcome: () => void): string | undefined {
  try {
    file.delete(id);
  } catch (error) {
    return reasonOf(error);
  }
  reportOutcome();
  return undefined;
}

/** The request of a record, undefined if another version wrote the record in a form that this version cannot read. */
function requestOf(content: Buffer): AppendRequest | undefined {
  try {
    const { form, request } = deserialize(content) as { readonly form: unknown; readonly request: AppendRequest };
    return form === FORM ? request : undefined;
  } catch {
    return undefined;
  }
}

/** Why a record has to wait: the rest of a sentence that ends with "because". */
function reasonOf(error: unknown): string {
  if (error instanceof JournalRefusal) return `the journal ${error.message}`;
  const cause = error instanceof EventLogUnavailable ? error.cause : error;
  if (cause instanceof DatabaseError && !cause.isTransient && !cause.isLockTimeout) {
    return `the database refuses them (SQLSTATE ${cause.sqlState})`;
  }
  return isPassing(error) ? OUTAGE : `of an error of the service (${error instanceof Error ? error.name : 'unknown'})`;
}

const isPassing = (error: unknown): boolean =>
  [DatabaseError, DatabaseUnavailable, EventIdInProgress, EventLogOverloaded, EventLogUnavailable].some(
    (kind) => error instanceof kind,
  );
