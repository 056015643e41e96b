import { Global, Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { Database, DatabaseModule } from '../database/index.js';
import { AdminAudit } from './admin-audit.js';

/** Provides the log to every feature. */
@Global()
@Module({
  imports: [DatabaseModule, DiscoveryModule],
  providers: [
    {
      provide: AdminAudit,
      inject: [Database],
      useFactory: ({ sql, clock }: Database): AdminAudit => new AdminAudit(sql, () => clock.nowMs()),
    },
  ],
  exports: [AdminAudit, DiscoveryModule],
})
export class AdminAuditModule {}
