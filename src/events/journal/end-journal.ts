/**
 * Keeps the ends of calls while the database is unavailable, and stores them afterwards. A provider charges for a call even if it is not
 * recorded, so the record waits on disk and is not lost.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { deserialize, serialize } from 'node:v8';
import type { AppendRequest, AppendResult } from '../event.js';
import { EventRejected } from '../event-log-errors.js';
import { JournalRefusal, type JournalFile, type JournalRecord } from './journal-file.js';

const RETRY_MS = 250;
/** Records that are stored at once: the log makes one statement of them. */
const AT_ONCE = 64;
/** The form of what is kept, so that a later version knows an earlier one's. */
const FORM = 1;

export interface JournalParts {
  /** Undefined where no journal can be kept. */
  readonly file: JournalFile | undefined;
  /** Further files whose records are stored, and to which nothing is added. */
  readonly leftBehind?: readonly JournalFile[];
  append(request: AppendRequest): Promise<AppendResult>;
  /** Whether the log has this event. Rejects while nobody can say. */
  isStored(accountId: string, id: string): Promise<boolean>;
  /** Told what came of a record; never anything of what is in it. */
  readonly observer: JournalObserver;
}

export interface JournalObserver {
  kept(): void;
  /** @param why as the end of a sentence that begins with the journal */
  refused(kind: 'full' | 'unusable', why: string): void;
  stored(): void;
  /** It will not be tried again. */
  lost(id: string, why: string): void;
}

export class EndJournal {
  /** Each file by itself: what is kept in one waits for no other to be empty. */
  private readonly storing = new Map<JournalFile, Promise<void>>();
  private readonly stopping = new AbortController();

  constructor(private readonly parts: JournalParts) {}

  /** Records that wait, for metrics. */
  get size(): number {
    return this.files.reduce((total, { size }) => total + size, 0);
  }

  /** Their size on disk, for metrics. */
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

  /** @returns false when the record could not be kept: the call must be told that it is not recorded */
  keep(request: AppendRequest): boolean {
    const { file, observer } = this.parts;
    try {
      if (file === undefined) throw new JournalRefusal('unusable', 'cannot be kept');
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

  /** Waits for what is being stored; the rest waits for the next start. */
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

  /** @returns false when it has to wait */
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
      // The statement that seemed lost had arrived, or another process has stored what both have kept.
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
