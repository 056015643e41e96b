import { Inject, Logger, Module, type OnApplicationBootstrap } from '@nestjs/common';
import { AccessModule, TokenKeys } from '../access/index.js';
import { AdminAudit, AdminAuditModule } from '../admin-audit/index.js';
import { APP_CONFIG, type AppConfig } from '../config/index.js';
import type { Environment } from '../core/index.js';
import { Database, DatabaseModule } from '../database/index.js';
import { DeploymentsModule, RetentionInForce } from '../deployments/index.js';
import { Archive, EventsLogModule } from '../events/index.js';
import { ExportsModule, PendingUploads } from '../exports/index.js';
import { ErasureRunner } from './erasure-runner.js';
import { Erasures } from './erasures.js';
import { ErasuresController } from './erasures.controller.js';
import { holdsInForce } from './holds.js';

/** The erasure waits for this time in addition to the longest call, because a journal may still be stored. */
const GRACE_MS = 5 * 60_000;

/** Erasure of people's data. */
@Module({
  imports: [AccessModule, AdminAuditModule, DatabaseModule, DeploymentsModule, EventsLogModule, ExportsModule],
  controllers: [ErasuresController],
  providers: [
    {
      provide: Erasures,
      inject: [Database, AdminAudit, TokenKeys],
      useFactory: ({ sql, clock }: Database, audit: AdminAudit, keys: TokenKeys) =>
        new Erasures(sql, audit, keys, () => clock.nowMs()),
    },
    {
      provide: ErasureRunner,
      inject: [APP_CONFIG, Database, Erasures, TokenKeys, RetentionInForce, Archive, PendingUploads],
      useFactory: (
        { proxy }: AppConfig,
        database: Database,
        erasures: Erasures,
        keys: TokenKeys,
        inForce: RetentionInForce,
        archive: Archive,
        uploads: PendingUploads,
      ) => {
        const longestCallMs = proxy.totalTimeoutMs + GRACE_MS;
        const holdsOf = (accountId: string, only: Environment | undefined) =>
          holdsInForce(inForce, { accountId, ...(only && { only }), nowMs: database.clock.nowMs() });
        const parts = { database, archive, erasures, keys, uploads, holdsOf, longestCallMs };
        const runner = new ErasureRunner(parts, new Logger('erasure'));
        database.beforeClose(() => runner.stop());
        return runner;
      },
    },
  ],
})
export class ErasureModule implements OnApplicationBootstrap {
  constructor(@Inject(ErasureRunner) private readonly runner: ErasureRunner) {}

  onApplicationBootstrap(): void {
    this.runner.start();
  }
}
