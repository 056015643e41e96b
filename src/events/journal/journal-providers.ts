/** Who sees to it that every call ends in the log: the journal while the database is away, and the sweep for what is lost. */
import { join } from 'node:path';
import { Logger, type Provider } from '@nestjs/common';
import { APP_CONFIG, type AppConfig } from '../../config/index.js';
import { Database } from '../../database/index.js';
import { Metrics } from '../../metrics/index.js';
import { EventLog } from '../event-log.js';
import { GapSweeper } from '../gap-sweeper.js';
import { EndJournal } from './end-journal.js';
import { JournalFile, JournalRefusal } from './journal-file.js';
import { withoutErased } from './without-erased.js';

/** The journal's file, where there can be one. */
export class JournalStorage {
  readonly file: JournalFile | undefined;

  constructor({ dataDir, journalBytes }: Pick<AppConfig, 'dataDir' | 'journalBytes'>, logger: Logger) {
    if (journalBytes === 0) return;
    const folder = join(dataDir, 'journal');
    try {
      this.file = JournalFile.open(folder, journalBytes, (why, path) =>
        logger.error(`The journal in ${folder} ${why}. It was set aside as ${path}, and a new one begun.`),
      );
      const { size } = this.file;
      if (size > 0) logger.warn(`${size} ends of calls wait in ${folder} and are stored now.`);
    } catch (error) {
      if (!(error instanceof JournalRefusal)) throw error;
      logger.error(
        `The journal in ${folder} ${error.message}: calls that end while the database is away are answered 503 and lost.`,
      );
    }
  }

  /** After all that may still want to keep something. */
  async close(): Promise<void> {
    // Whoever was just told that the log is closed gets to its journal first.
    await new Promise((resolve) => setImmediate(resolve));
    this.file?.close();
  }
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
    useFactory: (database: Database, log: EventLog, { file }: JournalStorage, metrics: Metrics) => {
      const journal = new EndJournal({
        file,
        append: async (request) => log.append(await withoutErased(database.callSql, request)),
        isStored: (accountId, id) => isStored(database, accountId, id),
        observer: observer(metrics),
      });
      metrics.gauge('weir_journal_records', 'Ends of calls that wait for the database.', () => journal.size);
      metrics.gauge('weir_journal_bytes', 'Size of the journal on disk.', () => journal.bytes);
      metrics.gauge('weir_journal_up', 'Whether ends of calls can be kept.', () => (file === undefined ? 0 : 1));
      database.beforeClose(() => journal.stop());
      return journal;
    },
  },
  {
    provide: GapSweeper,
    inject: [APP_CONFIG, Database, EventLog, Metrics],
    useFactory: ({ proxy }: AppConfig, database: Database, log: EventLog, metrics: Metrics) => {
      const count = metrics.count('weir_log_gaps_total', 'Proxied calls that got the end `log_gap`.', []);
      const sweeper = new GapSweeper({
        ...{ sql: database.sql, log, longestCallMs: proxy.totalTimeoutMs },
        ended: (calls) => {
          count({}, calls);
          SOURCES.events.warn(`${calls} proxied calls had no end in the log; they got an ai.error with log_gap.`);
        },
        failed: (why) => SOURCES.events.error(`Proxied calls without an end could not be looked for: ${why}`),
      });
      database.beforeClose(() => sweeper.stop());
      return sweeper;
    },
  },
];

function observer(metrics: Metrics) {
  const counts = metrics.count('weir_journal_ends_total', 'Ends of calls, by what came of them in the journal.', [
    'outcome',
  ]);
  return {
    kept: () => counts({ outcome: 'kept' }),
    stored: () => counts({ outcome: 'stored' }),
    refused: (kind: 'full' | 'unusable', why: string) => {
      counts({ outcome: kind });
      SOURCES.journal.error(`The journal ${why}: the end of a call is not recorded.`);
    },
    lost: (id: string, why: string) => {
      counts({ outcome: 'lost' });
      SOURCES.journal.error(`The record ${id} of the journal ${why}, and is lost.`);
    },
  };
}

async function isStored({ callSql }: Database, accountId: string, id: string): Promise<boolean> {
  const rows = await callSql
    .forAccounts(accountId)
    .query('SELECT 1 AS one FROM events WHERE account_id = $1::uuid AND id = $2::text::uuid', [accountId, id]);
  return rows.length > 0;
}
