import { Module } from '@nestjs/common';
import { AccessModule } from '../access/index.js';
import { Database, DatabaseModule } from '../database/index.js';
import { ExceptionStatsReader } from './exception-stats-reader.js';
import { RuleHitsReader } from './rule-hits-reader.js';
import { RuleStatsController } from './rule-stats.controller.js';
import { RuleStatsReader } from './rule-stats-reader.js';
import { CallSessionsController } from './sessions.controller.js';
import { SessionsReader } from './sessions-reader.js';
import { StatsController } from './stats.controller.js';
import { StatsReader } from './stats-reader.js';

/** What the log says in sum. */
@Module({
  imports: [AccessModule, DatabaseModule],
  controllers: [StatsController, RuleStatsController, CallSessionsController],
  providers: [
    { provide: RuleStatsReader, inject: [Database], useFactory: ({ sql }: Database) => new RuleStatsReader(sql) },
    { provide: RuleHitsReader, inject: [Database], useFactory: ({ sql }: Database) => new RuleHitsReader(sql) },
    {
      provide: ExceptionStatsReader,
      inject: [Database],
      useFactory: ({ sql }: Database) => new ExceptionStatsReader(sql),
    },
    { provide: StatsReader, inject: [Database], useFactory: ({ sql }: Database) => new StatsReader(sql) },
    { provide: SessionsReader, inject: [Database], useFactory: ({ sql }: Database) => new SessionsReader(sql) },
  ],
  exports: [ExceptionStatsReader],
})
export class InsightModule {}
