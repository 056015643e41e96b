/**
 * The server's side of the embedded database: sends statements to the thread that runs PGlite and keeps transactions separate. PGlite has
 * one session, so an open transaction occupies the whole database until it ends.
 */
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { DatabaseUnavailable } from '../database-error.js';
import { ENTER_SCOPE, type ScopeParameters } from '../isolation/scope.js';
import { Mutex } from '../mutex.js';
import type { PrecedingStatement } from '../sql-runner.js';
import type { ConnectionFigures } from '../database-figures.js';
import { checkFiles, openingFailure } from './check-files.js';
import { beginNew, finishNew } from './new-database.js';
import type { WorkerReply, WorkerRequest, WorkerSettings } from './worker-protocol.js';

export interface EmbeddedResult {
  readonly rows: Record<string, unknown>[];
  readonly affectedRows: number;
}

type Unsent = WorkerRequest extends infer Request ? (Request extends unknown ? Omit<Request, 'id'> : never) : never;

interface Pending {
  resolve(result: EmbeddedResult): void;
  reject(error: Error): void;
}

/** One statement at a time inside one transaction. */
export interface EmbeddedTransaction {
  query(sql: string, parameters?: readonly unknown[], prepareAs?: string): Promise<EmbeddedResult>;
}

export class EmbeddedDatabase {
  private readonly mutex = new Mutex();
  private readonly pending = new Map<number, Pending>();
  private readonly loss = Promise.withResolvers<undefined>();
  private lastId = 0;
  private ended = false;
  private isClosing = false;

  private constructor(private readonly worker: Worker) {
    worker.on('message', (reply: WorkerReply) => this.receive(reply));
    worker.on('error', () => this.fail('the embedded database stopped working'));
    worker.on('exit', () => this.fail('the embedded database has ended'));
  }

  /**
   * Opens the database in `directory`, which must exist; in an empty one, or in one left by an interrupted first start, it creates a
   * new database.
   *
   * @throws DatabaseUnusable if it cannot be opened; the message says what to do.
   */
  static async open(directory: string): Promise<EmbeddedDatabase> {
    try {
      beginNew(directory);
      checkFiles(directory);
    } catch (error) {
      throw openingFailure(directory, error);
    }
    const settings: WorkerSettings = { directory, scopeStatement: ENTER_SCOPE };
    // The thread's file is in the same folder, as .js if built and as .ts if run from source.
    const file = new URL(`./pglite-worker${extname(import.meta.url)}`, import.meta.url);
    const database = new EmbeddedDatabase(new Worker(file, { workerData: settings, execArgv: [] }));
    try {
      await new Promise<EmbeddedResult>((resolve, reject) => database.pending.set(0, { resolve, reject }));
      await finishNew(directory);
      return database;
    } catch (error) {
      await database.worker.terminate();
      throw openingFailure(directory, error);
    }
  }

  get closed(): boolean {
    return this.ended;
  }

  /** Resolves if the thread ends without having been closed, for example because PostgreSQL has aborted: no statement succeeds any more. */
  get lost(): Promise<undefined> {
    return this.loss.promise;
  }

  /** The figures of its single session. */
  get connections(): ConnectionFigures {
    const { load } = this.mutex;
    return {
      open: this.ended ? 0 : 1,
      idle: load === 0 && !this.ended ? 1 : 0,
      waiting: Math.max(0, load - 1),
      limit: 1,
    };
  }

  /**
   * Runs a single statement; with `prepareAs` it stays prepared under that name, which must always have the same text. In a scope, it
   * forms one transaction with the scope and its preceding statements. Urgent statements do not wait behind all others.
   */
  query(
    sql: string,
    parameters: readonly unknown[] = [],
    prepareAs?: string,
    within?: { readonly scope: ScopeParameters; readonly after?: readonly PrecedingStatement[] | undefined },
    isUrgent?: boolean,
  ): Promise<EmbeddedResult> {
    return this.mutex.run(() => this.send({ ...queryRequest(sql, parameters, prepareAs), ...within }), isUrgent);
  }

  /** Runs several statements without parameters, as one script. */
  async script(sql: string): Promise<void> {
    await this.mutex.run(() => this.send({ kind: 'script', sql }));
  }

  /** Runs `work` in one transaction, which `opening` begins; no other statement runs in between. */
  transaction<T>(
    work: (transaction: EmbeddedTransaction) => Promise<T>,
    opening = 'BEGIN',
    isUrgent?: boolean,
  ): Promise<T> {
    return this.mutex.run(async () => {
      try {
        // The opening may fail after its BEGIN, so it needs the rollback as well.
        await this.send({ kind: 'script', sql: opening });
        const result = await work({
          query: (sql, parameters = [], prepareAs) => this.send(queryRequest(sql, parameters, prepareAs)),
        });
        await this.send({ kind: 'script', sql: 'COMMIT' });
        return result;
      } catch (error) {
        // An error of the rollback must not hide the error of the transaction.
        await this.send({ kind: 'script', sql: 'ROLLBACK' }).catch(() => undefined);
        throw error;
      }
    }, isUrgent);
  }

  /** Runs `work` while no statement runs and all data has been written to the database's files. */
  still<T>(work: () => Promise<T>): Promise<T> {
    return this.mutex.run(async () => {
      await this.send({ kind: 'script', sql: 'CHECKPOINT' });
      return work();
    });
  }

  /** Waits for statements in flight and those that wait, then shuts the database down cleanly. */
  async close(): Promise<void> {
    if (this.ended) {
      return;
    }
    this.isClosing = true;
    await this.mutex.runAfterWaiting(() => this.send({ kind: 'close' })).catch(() => undefined);
    this.ended = true;
    await this.worker.terminate();
  }

  private send(request: Unsent): Promise<EmbeddedResult> {
    if (this.ended) {
      return Promise.reject(new DatabaseUnavailable('the embedded database is closed'));
    }
    const id = (this.lastId += 1);
    return new Promise<EmbeddedResult>((resolve, reject) => {
      this.pending.set(id, { resolve, reject });
      this.worker.postMessage({ ...request, id });
    });
  }

  private receive(reply: WorkerReply): void {
    const waiting = this.pending.get(reply.id);
    this.pending.delete(reply.id);
    if (reply.ok) {
      waiting?.resolve(reply);
    } else {
      const { message, ...known } = reply.error;
      waiting?.reject(Object.assign(new Error(message), known));
    }
  }

  private fail(reason: string): void {
    if (!this.ended && !this.isClosing) this.loss.resolve(undefined);
    this.ended = true;
    for (const waiting of this.pending.values()) {
      waiting.reject(new DatabaseUnavailable(reason));
    }
    this.pending.clear();
  }
}

function queryRequest(sql: string, parameters: readonly unknown[], prepareAs: string | undefined): Unsent {
  return { kind: 'query', sql, parameters, ...(prepareAs === undefined ? {} : { prepareAs }) };
}
