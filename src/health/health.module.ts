import { Module } from '@nestjs/common';
import { DatabaseModule } from '../database/index.js';
import { HealthController } from './health.controller.js';
import { Readiness } from './readiness.js';

/** Liveness and readiness probes. */
@Module({
  imports: [DatabaseModule],
  controllers: [HealthController],
  providers: [Readiness],
  exports: [Readiness],
})
export class HealthModule {}
