/**
 * Ensures that every call has an end in the log: by the journal while the database is unavailable, and by the sweeper for lost ends.
 */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Logger, type Provider } from '@nestjs/common';
import { APP_CONFIG, type AppConfig } from '../../config/index.js';
import { Database } from '../../database/index.js';
import { Metrics } from '../../metrics/index.js';
import { EventLog } from '../event-log.js';
import { GapSweeper } from '../gap-sweeper.js';
import { reopenPartOf } from '../retention/week-parts.js';
import { EndJournal } from './end-journal.js';
import { JournalFile, JournalRefusal } from './journal-file.js';
import { withoutErased } from './without-erased.js';

/** The journal's file, if there can be one. */
export class JournalStorage {
  /** False if the settings disable the journal. */
  readonly isWanted: boolean;
  /** Journal files of workers that no longer exist: their records are moved to the event log, and no new ones are written to them. */
  readonly leftBehind: readonly JournalFile[] = [];
  private readonly folder: string;
  private readonly limitBytes: number;
  private opened: JournalFile | undefined;

  constructor(
    { dataDir, journalBytes, workers }: Pick<AppConfig, 'dataDir' | 'journalBytes' | 'workers'>,
    private readonly logger: Logger,
  ) {
    this.limitBytes = journalBytes;
    this.isWanted = journalBytes > 0;
    this.folder = folderOf(dataDir, workers.number);
    if (!this.isWanted) return;
    this.opened = this.open(this.folder);
    if (workers.number > 1) return;
    this.leftBehind = foldersBeyond(dataDir, workers.count).flatMap((folder) => this.open(folder) ?? []);
  }

  /** Undefined while no journal can be written. */
  get file(): JournalFile | undefined {
    return this.opened;
  }

  /** Tries again to open the file, for example after its disk was full at the start. */
  reopen(): JournalFile | undefined {
    if (!this.isWanted || this.opened !== undefined) return this.opened;
    try {
      this.opened = this.openFile(this.folder);
    } catch (error) {
      // Reported at the start.
      if (!(error instanceof JournalRefusal)) throw error;
      return undefined;
    }
    this.logger.log(`The journal in ${this.folder} can be used again.`);
    return this.opened;
  }

  private open(folder: string): JournalFile | undefined {
    try {
      return this.openFile(folder);
    } catch (error) {
      if (!(error instanceof JournalRefusal)) throw error;
      this.logger.error(
        `The journal in ${folder} ${error.message}: calls that end while the database is unavailable are answered with 503 and not recorded.`,
      );
      return undefined;
    }
  }

  /** @throws JournalRefusal */
  private openFile(folder: string): JournalFile {
    const { logger } = this;
    const file = JournalFile.open(folder, this.limitBytes, (why, path) =>
      logger.error(`The journal in ${folder} ${why}. The file was moved to ${path}, and a new journal was created.`),
    );
    const { size } = file;
    if (size > 0)
      logger.warn(`The journal in ${folder} contains ${size} records of ended calls, which are being stored.`);
    return file;
  }

  /** Runs after everything that may still add a record. */
  async close(): Promise<void> {
    // Callers that have just learned that the log is closed may still write to the journal.
    await new Promise((resolve) => setImmediate(resolve));
    for (const file of [this.file, ...this.leftBehind]) file?.close();
  }
}

/** Each worker has its own journal, so that none waits for another. A single process uses the first worker's. */
function folderOf(dataDir: string, worker: number): string {
  return join(dataDir, worker === 1 ? 'journal' : `journal-${worker}`);
}

/** Journals of workers above the current number, from a time with more workers. */
function foldersBeyond(dataDir: string, workers: number): string[] {
  if (!existsSync(dataDir)) return [];
  const number = (name: string): number => Number(/^journal-(\d{1,3})$/.exec(name)?.[1] ?? 0);
  return readdirSync(dataDir)
    .filter((name) => number(name) > workers)
    .map((name) => join(dataDir, name));
}

const SOURCES = { journal: new Logger('journal'), events: new Logger('events') };

export const JOURNAL_PROVIDERS: Provider[] = [
  {
    provide: JournalStorage,
    inject: [APP_CONFIG, Database],
    useFactory: (config: AppConfig, database: Database) => {
      const storage = new JournalStorage(config, SOURCES.journal);
      database.beforeClose(() => storage.close());
      return storage;
    },
  },
  {
    provide: EndJournal,
    inject: [Database, EventLog, JournalStorage, Metrics],
    useFactory: (database: Database, log: EventLog, storage: JournalStorage, metrics: Metrics) => {
      const { isWanted, file, leftBehind } = storage;
      const journal = new EndJournal({
        ...{ file, leftBehind },
        reopen: () => storage.reopen(),
        append: async (request) => log.append(await withoutErased(database.callSql, request)),
        isStored: (accountId, id) => isStored(database, accountId, id),
        afterStored: (event) => reopenPartOf(database.sql, event, database.clock.now()),
        observer: observer(metrics),
      });
      metrics.gauge(
        'weir_journal_records',
        'Records of ended calls that wait in the journal until the database stores them.',
        () => journal.size,
      );
      metrics.gauge('weir_journal_bytes', 'Size of the journal on disk.', () => journal.bytes);
      // Without a journal there is no value, so that the alert about journals that cannot be written does not fire.
      const isUp = (): number => (journal.isUp ? 1 : 0);
      if (isWanted) metrics.gauge('weir_journal_up', 'Whether the journal can be used.', isUp, 'min');
      database.beforeClose(() => journal.stop());
      return journal;
    },
  },
  {
    provide: GapSweeper,
    inject: [APP_CONFIG, Database, EventLog, Metrics],
    useFactory: ({ proxy }: AppConfig, database: Database, log: EventLog, metrics: Metrics) => {
      const count = metrics.count(
        'weir_log_gaps_total',
        'Proxied calls without a recorded end, for which `log_gap` was recorded.',
        [],
      );
      const sweeper = new GapSweeper({
        ...{ sql: database.sql, log, longestCallMs: proxy.totalTimeoutMs },
        ended: (calls) => {
          count({}, calls);
          SOURCES.events.warn(
            `The log did not show how ${calls} proxied calls ended; an ai.error with the reason log_gap was recorded for each.`,
          );
        },
        failed: (why) => SOURCES.events.error(`The search for proxied calls without a recorded end failed: ${why}`),
      });
      database.beforeClose(() => sweeper.stop());
      return sweeper;
    },
  },
];

function observer(metrics: Metrics) {
  const counts = metrics.count(
    'weir_journal_ends_total',
    'Records of ended calls that were added to the journal, by outcome.',
    ['outcome'],
  );
  return {
    kept: () => counts({ outcome: 'kept' }),
    stored: () => counts({ outcome: 'stored' }),
    refused: (kind: 'full' | 'unusable', why: string) => {
      counts({ outcome: kind });
      SOURCES.journal.error(`The journal ${why}: the end of a call was not recorded.`);
    },
    lost: (id: string, why: string) => {
      counts({ outcome: 'lost' });
      SOURCES.journal.error(`The record ${id} of the journal ${why} and is lost.`);
    },
    stuck: (why: string) =>
      SOURCES.journal.error(
        `Records of the journal are not stored, because ${why}. They stay on disk and are retried.`,
      ),
    unreadable: (id: string) =>
      SOURCES.journal.error(
        `The record ${id} of the journal was written by another version of Weir, and this version cannot read it. It stays on disk.`,
      ),
  };
}

async function isStored({ callSql }: Database, accountId: string, id: string): Promise<boolean> {
  const rows = await callSql
    .forAccounts(accountId)
    .query('SELECT 1 AS one FROM events WHERE account_id = $1::uuid AND id = $2::text::uuid', [accountId, id]);
  return rows.length > 0;
}
