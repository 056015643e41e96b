import { Module } from '@nestjs/common';
import { AccessModule } from '../access/index.js';
import { Database, DatabaseModule } from '../database/index.js';
import { LimitsModule } from '../limits/index.js';
import { AppController } from './app.controller.js';
import { AppFigures } from './app-figures.js';
import { RefusalHook } from './refusal-hook.js';
import { Refusals } from './refusals.js';

@Module({
  imports: [AccessModule, DatabaseModule, LimitsModule],
  controllers: [AppController],
  providers: [
    { provide: AppFigures, inject: [Database], useFactory: ({ sql }: Database) => new AppFigures(sql) },
    {
      provide: Refusals,
      inject: [Database],
      useFactory: (database: Database): Refusals => {
        const refusals = new Refusals(database.sql, () => database.clock.nowMs());
        database.beforeClose(() => refusals.flush());
        return refusals;
      },
    },
    RefusalHook,
  ],
})
export class AppsModule {}
