/**
 * Keeps the ends of calls while the database is unavailable, and stores them afterwards. A provider charges for a call even if it is
 * not recorded, so the record waits on disk and is not lost.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { deserialize, serialize } from 'node:v8';
import type { AppendRequest, AppendResult } from '../event.js';
import { EventRejected } from '../event-log-errors.js';
import { JournalRefusal, type JournalFile, type JournalRecord } from './journal-file.js';

const RETRY_MS = 250;
/** Number of records that are stored at once, in one statement of the log. */
const AT_ONCE = 64;
/** The version of the record format, so that later versions recognise earlier records. */
const FORM = 1;

export interface JournalParts {
  /** Undefined if no journal can be written. */
  readonly file: JournalFile | undefined;
  /** Further files whose records are stored, and to which nothing is added. */
  readonly leftBehind?: readonly JournalFile[];
  append(request: AppendRequest): Promise<AppendResult>;
  /** Whether the log has this event. Rejects while this is unknown. */
  isStored(accountId: string, id: string): Promise<boolean>;
  /** Receives the outcome of each record, never its content. */
  readonly observer: JournalObserver;
}

export interface JournalObserver {
  kept(): void;
  /** @param why the rest of a sentence whose subject is the journal */
  refused(kind: 'full' | 'unusable', why: string): void;
  stored(): void;
  /** The record will not be retried. */
  lost(id: string, why: string): void;
}

export class EndJournal {
  /** Each file is stored on its own, so that its records do not wait for another file. */
  private readonly storing = new Map<JournalFile, Promise<void>>();
  private readonly stopping = new AbortController();

  constructor(private readonly parts: JournalParts) {}

  /** Records that wait, for metrics. */
  get size(): number {
    return this.files.reduce((total, { size }) => total + size, 0);
  }

  /** The size of these records on disk, for metrics. */
  get bytes(): number {
    return this.files.reduce((total, { bytes }) => total + bytes, 0);
  }

  private get files(): readonly JournalFile[] {
    const { file, leftBehind = [] } = this.parts;
    return file === undefined ? leftBehind : [file, ...leftBehind];
  }

  /** Stores the records left by an earlier process. */
  start(): void {
    if (this.size > 0) this.store();
  }

  /** @returns false if the record could not be kept: the caller must tell the client that the call is not recorded */
  keep(request: AppendRequest): boolean {
    const { file, observer } = this.parts;
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
    await Promise.all(this.storing.values());
  }

  private store(): void {
    if (this.stopping.signal.aborted) return;
    for (const file of this.files) {
      if (this.storing.has(file)) continue;
      const stored = this.storeAll(file).then(() => void this.storing.delete(file));
      this.storing.set(file, stored);
    }
  }

  /** Never rejects. */
  private async storeAll(file: JournalFile): Promise<void> {
    const { observer } = this.parts;
    const { signal } = this.stopping;
    try {
      for (let records = file.oldest(AT_ONCE); records.length > 0; records = file.oldest(AT_ONCE)) {
        const done = await Promise.all(records.map((record) => this.storeOne(file, record)));
        if (signal.aborted) return;
        if (done.includes(false)) await delay(RETRY_MS, undefined, { ref: false, signal });
      }
    } catch (error) {
      if (signal.aborted) return;
      observer.refused('unusable', error instanceof JournalRefusal ? error.message : 'cannot be read');
    }
  }

  /** @returns false if the record has to wait */
  private async storeOne(file: JournalFile, { id, content }: JournalRecord): Promise<boolean> {
    const { append, observer } = this.parts;
    if (content === undefined) {
      observer.lost(id, 'was changed on disk');
      file.delete(id);
      return true;
    }
    const { request } = deserialize(content) as { readonly request: AppendRequest };
    try {
      await append(request);
    } catch (error) {
      if (!(error instanceof EventRejected)) return false;
      const stored = await this.parts.isStored(request.event.accountId, id).catch(() => undefined);
      if (stored === undefined) return false;
      // A statement that seemed lost was executed, or another process has stored its copy of the
      // record.
      if (!stored) observer.lost(id, `was refused by the database (SQLSTATE ${error.sqlState})`);
      else observer.stored();
      file.delete(id);
      return true;
    }
    observer.stored();
    file.delete(id);
    return true;
  }
}
