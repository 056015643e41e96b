import { Inject, Logger, Module, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { AccessModule, TokenKeys } from '../access/index.js';
import { AdminAudit, AdminAuditModule } from '../admin-audit/index.js';
import { APP_CONFIG, type AppConfig } from '../config/index.js';
import { Database, DatabaseModule } from '../database/index.js';
import { EventsLogModule, ParquetPacker, ReplicaEventReader } from '../events/index.js';
import { ExportExpiry } from './export-expiry.js';
import { ExportJobs } from './export-jobs.js';
import { ExportRunner } from './export-runner.js';
import { ExportPauses } from './pause-export.js';
import { PendingUploads } from './pending-uploads.js';
import { ExportsController } from './exports.controller.js';
import { ExportSchedules } from './schedules/export-schedules.js';
import { ExportSchedulesController } from './schedules/export-schedules.controller.js';

/** Exports as jobs, and their schedules. */
@Module({
  imports: [AccessModule, AdminAuditModule, DatabaseModule, EventsLogModule],
  controllers: [ExportsController, ExportSchedulesController],
  providers: [
    {
      provide: ExportJobs,
      inject: [Database, AdminAudit, APP_CONFIG, TokenKeys],
      useFactory: ({ sql, clock }: Database, audit: AdminAudit, { exports }: AppConfig, keys: TokenKeys) =>
        new ExportJobs(
          sql,
          audit,
          exports,
          (accountId) => keys.sealingKey(accountId),
          () => clock.nowMs(),
        ),
    },
    {
      provide: ExportPauses,
      inject: [Database, AdminAudit],
      useFactory: ({ sql }: Database, audit: AdminAudit) => new ExportPauses(sql, audit),
    },
    {
      provide: PendingUploads,
      inject: [Database, TokenKeys, APP_CONFIG],
      useFactory: ({ sql }: Database, keys: TokenKeys, { exports }: AppConfig) =>
        new PendingUploads(sql, (accountId) => keys.sealingKey(accountId), exports.endpoints),
    },
    {
      provide: ExportExpiry,
      inject: [Database, PendingUploads],
      useFactory: ({ sql }: Database, uploads: PendingUploads) => new ExportExpiry(sql, uploads),
    },
    {
      provide: ExportSchedules,
      inject: [Database, AdminAudit, TokenKeys],
      useFactory: ({ sql, clock }: Database, audit: AdminAudit, keys: TokenKeys) =>
        new ExportSchedules(
          sql,
          audit,
          (accountId) => keys.sealingKey(accountId),
          () => clock.nowMs(),
        ),
    },
    {
      provide: ExportRunner,
      inject: [Database, ExportJobs, ExportExpiry, ExportSchedules, ReplicaEventReader, ParquetPacker, APP_CONFIG],
      useFactory: (
        database: Database,
        jobs: ExportJobs,
        expiry: ExportExpiry,
        schedules: ExportSchedules,
        reader: ReplicaEventReader,
        packer: ParquetPacker,
        { exports: { endpoints } }: AppConfig,
      ): ExportRunner => {
        const logger = new Logger('exports');
        const readerUpToNow = (signal: AbortSignal) => reader.upTo(database.clock.nowMs(), signal);
        const runner = new ExportRunner({ jobs, expiry, packer, endpoints }, readerUpToNow, schedules, logger);
        database.beforeClose(() => runner.stop());
        return runner;
      },
    },
  ],
  exports: [PendingUploads],
})
export class ExportsModule implements OnApplicationBootstrap, OnModuleDestroy {
  constructor(@Inject(ExportRunner) private readonly runner: ExportRunner) {}

  onApplicationBootstrap(): void {
    this.runner.start();
  }

  /** While calls end: others can continue the exports meanwhile, and the archive that they may be reading is still open. */
  onModuleDestroy(): void {
    void this.runner.stop();
  }
}
