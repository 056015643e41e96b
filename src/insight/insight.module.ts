import { Module } from '@nestjs/common';
import { AccessModule } from '../access/index.js';
import { Database, DatabaseModule } from '../database/index.js';
import { SessionFigureReader } from '../events/index.js';
import { ExceptionStatsReader } from './exception-stats-reader.js';
import { RuleHitsReader } from './rule-hits-reader.js';
import { RuleStatsController } from './rule-stats.controller.js';
import { RuleStatsReader } from './rule-stats-reader.js';
import { CallSessionsController } from './sessions.controller.js';
import { SessionsReader } from './sessions-reader.js';
import { StatsController } from './stats.controller.js';
import { StatsReader } from './stats-reader.js';

/** Statistics of the log, read from the read replica if there is one. */
@Module({
  imports: [AccessModule, DatabaseModule],
  controllers: [StatsController, RuleStatsController, CallSessionsController],
  providers: [
    {
      provide: RuleStatsReader,
      inject: [Database],
      useFactory: ({ readSql }: Database) => new RuleStatsReader(readSql),
    },
    { provide: RuleHitsReader, inject: [Database], useFactory: ({ readSql }: Database) => new RuleHitsReader(readSql) },
    {
      provide: ExceptionStatsReader,
      inject: [Database],
      useFactory: ({ readSql }: Database) => new ExceptionStatsReader(readSql),
    },
    { provide: StatsReader, inject: [Database], useFactory: ({ readSql }: Database) => new StatsReader(readSql) },
    { provide: SessionsReader, inject: [Database], useFactory: ({ readSql }: Database) => new SessionsReader(readSql) },
    {
      provide: SessionFigureReader,
      inject: [Database],
      useFactory: ({ readSql }: Database) => new SessionFigureReader(readSql),
    },
  ],
  exports: [ExceptionStatsReader],
})
export class InsightModule {}
