import { Module } from '@nestjs/common';
import { Database, DatabaseModule } from '../database/index.js';
import { Metrics } from '../metrics/index.js';
import { BudgetMetrics } from './budget-metrics.js';
import { BudgetLedgerWriter } from './ledger/ledger-writer.js';
import { Reserver } from './ledger/reserver.js';

/** The part of budgets that the event log needs; the rest of budgets needs the event log. */
@Module({
  imports: [DatabaseModule],
  providers: [
    { provide: BudgetMetrics, inject: [Metrics], useFactory: (counters: Metrics) => new BudgetMetrics(counters) },
    { provide: Reserver, inject: [Database], useFactory: ({ callSql }: Database) => new Reserver(callSql) },
    {
      provide: BudgetLedgerWriter,
      inject: [BudgetMetrics, Reserver],
      useFactory: (metrics: BudgetMetrics, reserver: Reserver) =>
        new BudgetLedgerWriter({
          ledgerEvents: (events) => metrics.ledgerEvents(events),
          freed: () => reserver.freed(),
        }),
    },
  ],
  exports: [BudgetMetrics, Reserver, BudgetLedgerWriter],
})
export class BudgetLedgerModule {}
