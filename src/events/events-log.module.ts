import { Inject, Logger, Module, type OnApplicationBootstrap } from '@nestjs/common';
import { APP_CONFIG, type AppConfig } from '../config/index.js';
import { callTimeoutMsOf, Database, DatabaseModule } from '../database/index.js';
import { DeploymentsModule, RetentionInForce } from '../deployments/index.js';
import { Archive } from './archive/archive.js';
import { ArchiveKeeper } from './archive/archive-keeper.js';
import { ParquetQueries } from './archive/duckdb.js';
import { LedgerWriter } from './event.js';
import { EVENT_LOG_LIMITS, EventLog } from './event-log.js';
import { GapSweeper } from './gap-sweeper.js';
import { EndJournal } from './journal/end-journal.js';
import { JOURNAL_PROVIDERS, JournalStorage } from './journal/journal-providers.js';
import { Metrics } from '../metrics/index.js';
import { PartitionKeeper } from './partition-keeper.js';
import { EventFigures } from './reading/event-figures.js';
import { EventReader } from './reading/event-reader.js';
import { ParquetPacker } from './reading/parquet-packer.js';
import { ReplicaEventReader } from './reading/replica-event-reader.js';
import { RetentionKeeper } from './retention/retention-keeper.js';
import { DayKeeper } from './rollups/day-keeper.js';

const MS_PER_S = 1_000;
/**
 * With so few connections, a second one for the log would make other statements of calls wait: one is always in use, for notifications.
 */
const FEW_CONNECTIONS = 5;
const WEEKS_DUE_HELP = 'Weeks of the log that are due for archiving and not archived yet, as of the last check.';
const RETENTION_DUE_HELP =
  'Weeks of the log with data that was due for deletion in the last run of the retention and was not deleted.';
const STRAYS_HELP =
  'Events that are in the default partition because their week had no partition; counted every minute, up to 100,000.';

/**
 * Provides the event log, maintains its partitions, deletes expired data and sums up its days. Accepted events are stored before the
 * database closes.
 */
@Module({
  imports: [DatabaseModule, DeploymentsModule],
  providers: [
    {
      provide: EventLog,
      // Until the log closes, the journal accepts events that could not be stored, so its file closes after the log.
      inject: [APP_CONFIG, Database, Metrics, LedgerWriter, JournalStorage],
      useFactory: (config: AppConfig, database: Database, metrics: Metrics, ledger: LedgerWriter): EventLog => {
        const limits = {
          ...EVENT_LOG_LIMITS,
          longestWaitMs: callTimeoutMsOf(config),
          largeBeside: config.database.kind === 'postgres' && config.database.poolSize > FEW_CONNECTIONS,
        };
        const log = new EventLog(database.callSql, limits, (events) => metrics.committed(events), ledger);
        metrics.gauge('weir_event_log_backlog', 'Events that wait to be stored.', () => log.backlog);
        const ageSeconds = (): number => log.backlogAgeMs / MS_PER_S;
        metrics.gauge(
          'weir_event_log_backlog_age_seconds',
          'Waiting time of the oldest event that waits to be stored.',
          ageSeconds,
          'max',
        );
        database.beforeClose(() => log.drain());
        return log;
      },
    },
    ...JOURNAL_PROVIDERS,
    { provide: EventReader, inject: [Database], useFactory: (database: Database) => new EventReader(database.sql) },
    {
      provide: ReplicaEventReader,
      inject: [Database, EventReader, Archive, ParquetQueries],
      useFactory: (database: Database, primary: EventReader, archive: Archive, queries: ParquetQueries) =>
        new ReplicaEventReader(database, primary, { sql: database.sql, archive, queries }),
    },
    {
      provide: ParquetPacker,
      inject: [Database],
      useFactory: (database: Database): ParquetPacker => {
        const packer = new ParquetPacker();
        database.beforeClose(() => packer.close());
        return packer;
      },
    },
    {
      provide: EventFigures,
      inject: [Database],
      useFactory: ({ readSql }: Database) => new EventFigures(readSql),
    },
    {
      provide: PartitionKeeper,
      inject: [Database, Metrics],
      useFactory: (database: Database, metrics: Metrics): PartitionKeeper => {
        const logger = new Logger('events');
        const keeper = new PartitionKeeper(
          database.sql,
          (message) => logger.error(message),
          () => database.clock.now(),
        );
        metrics.gauge('weir_event_log_default_partition_rows', STRAYS_HELP, () => keeper.strays, 'max');
        database.beforeClose(() => keeper.stop());
        return keeper;
      },
    },
    {
      provide: DayKeeper,
      inject: [Database],
      useFactory: (database: Database): DayKeeper => {
        const logger = new Logger('events');
        const keeper = new DayKeeper(
          database.sql,
          (message) => logger.error(message),
          () => database.clock.now(),
        );
        database.beforeClose(() => keeper.stop());
        return keeper;
      },
    },
    {
      provide: ParquetQueries,
      inject: [Database],
      useFactory: (database: Database): ParquetQueries => {
        const queries = new ParquetQueries();
        database.beforeClose(() => queries.close());
        return queries;
      },
    },
    {
      provide: Archive,
      inject: [APP_CONFIG, Database],
      useFactory: (config: AppConfig, database: Database): Archive => {
        const archive = new Archive(config.archive);
        // After everything that uses the archive, which is created later and therefore stops earlier.
        database.beforeClose(() => archive.close());
        return archive;
      },
    },
    {
      provide: ArchiveKeeper,
      inject: [APP_CONFIG, Database, Archive, Metrics],
      useFactory: (config: AppConfig, database: Database, archive: Archive, metrics: Metrics): ArchiveKeeper => {
        const logger = new Logger('events');
        const keeper = new ArchiveKeeper({
          ...{ sql: database.sql, archive, afterMs: config.archive.afterMs },
          report: (message) => logger.error(message),
          now: () => database.clock.now(),
        });
        metrics.gauge('weir_archive_weeks_due', WEEKS_DUE_HELP, () => keeper.weeksDue, 'max');
        database.beforeClose(() => keeper.stop());
        return keeper;
      },
    },
    {
      provide: RetentionKeeper,
      inject: [Database, RetentionInForce, LedgerWriter, Archive, Metrics],
      useFactory: (
        database: Database,
        inForce: RetentionInForce,
        ledger: LedgerWriter,
        { files }: Archive,
        metrics: Metrics,
      ): RetentionKeeper => {
        const logger = new Logger('events');
        const keeper = new RetentionKeeper({
          ...{ sql: database.sql, inForce, ledger },
          ...(files === undefined ? {} : { archive: files }),
          report: (message) => logger.error(message),
          now: () => database.clock.now(),
          clockAheadMs: () => Date.now() - database.clock.nowMs(),
        });
        metrics.gauge('weir_retention_weeks_due', RETENTION_DUE_HELP, () => keeper.weeksDue, 'max');
        database.beforeClose(() => keeper.stop());
        return keeper;
      },
    },
  ],
  exports: [Archive, EndJournal, EventLog, EventFigures, EventReader, ParquetPacker, ReplicaEventReader],
})
export class EventsLogModule implements OnApplicationBootstrap {
  constructor(
    @Inject(PartitionKeeper) private readonly keeper: PartitionKeeper,
    @Inject(DayKeeper) private readonly days: DayKeeper,
    @Inject(RetentionKeeper) private readonly retention: RetentionKeeper,
    @Inject(ArchiveKeeper) private readonly archiving: ArchiveKeeper,
    @Inject(EndJournal) private readonly journal: EndJournal,
    @Inject(GapSweeper) private readonly gaps: GapSweeper,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    await this.keeper.start();
    this.journal.start();
    this.gaps.start();
    this.days.start();
    this.retention.start();
    this.archiving.start();
  }
}
