import { Global, Inject, Module, type OnApplicationBootstrap } from '@nestjs/common';
import { AccessModule, TokenKeys } from '../access/index.js';
import { AdminAudit, AdminAuditModule } from '../admin-audit/index.js';
import { Database, DatabaseModule } from '../database/index.js';
import { EventLog, EventsLogModule } from '../events/index.js';
import { PolicyStore } from '../policy-store/index.js';
import { BudgetMetrics } from './budget-metrics.js';
import { CallCost } from './call-cost.js';
import { BudgetLedgerModule } from './ledger.module.js';
import { OpenCalls } from './ledger/open-calls.js';
import { PeriodBook } from './ledger/period-book.js';
import { Reserver } from './ledger/reserver.js';
import { Sweeper } from './ledger/sweeper.js';
import { BudgetAdjustments } from './management/budget-adjustments.js';
import { BudgetCourse } from './management/budget-course.js';
import { BudgetReader } from './management/budget-reader.js';
import { BudgetsController } from './management/budgets.controller.js';
import { KnownPrices } from './prices/known-prices.js';
import { LibraryPrices } from './prices/price-book.js';
import { TokenCounter } from './prices/token-counter.js';
import { RequestModels } from './request-models.js';
import { BudgetSpending } from './spending.service.js';

/** Budgets: prices, the ledger, and the services that the pipelines use. */
@Global()
@Module({
  imports: [AccessModule, AdminAuditModule, BudgetLedgerModule, DatabaseModule, EventsLogModule],
  controllers: [BudgetsController],
  providers: [
    {
      provide: OpenCalls,
      inject: [Database, Reserver],
      useFactory: ({ sql }: Database, reserver: Reserver) => new OpenCalls(sql, () => reserver.freed()),
    },
    {
      provide: Sweeper,
      inject: [Database, EventLog, OpenCalls, BudgetMetrics, Reserver],
      useFactory: (
        database: Database,
        log: EventLog,
        open: OpenCalls,
        metrics: BudgetMetrics,
        reserver: Reserver,
      ): Sweeper => {
        const { sql, clock } = database;
        const sweeper = new Sweeper({ sql, log, open, clock, metrics, freed: () => reserver.freed() });
        database.beforeClose(() => sweeper.stop());
        return sweeper;
      },
    },
    {
      provide: BudgetReader,
      inject: [Database, PolicyStore],
      useFactory: ({ sql, clock }: Database, policies: PolicyStore) => new BudgetReader(sql, policies, clock),
    },
    { provide: BudgetCourse, inject: [Database], useFactory: ({ sql }: Database) => new BudgetCourse(sql) },
    {
      provide: BudgetAdjustments,
      inject: [Database, AdminAudit, BudgetMetrics, Reserver],
      useFactory: ({ sql, clock }: Database, audit: AdminAudit, metrics: BudgetMetrics, reserver: Reserver) =>
        new BudgetAdjustments(sql, audit, metrics, () => reserver.freed(), clock),
    },
    {
      provide: BudgetSpending,
      inject: [Database, Reserver, OpenCalls, BudgetMetrics, TokenKeys],
      useFactory: (
        { sql }: Database,
        reserver: Reserver,
        open: OpenCalls,
        metrics: BudgetMetrics,
        keys: TokenKeys,
      ): BudgetSpending =>
        new BudgetSpending({
          ...{ sql, reserver, open, metrics },
          cost: new CallCost(new KnownPrices(new LibraryPrices()), new TokenCounter()),
          periods: new PeriodBook(sql),
          models: new RequestModels(sql),
          hashOf: (accountId) => keys.of(accountId),
        }),
    },
  ],
  exports: [BudgetSpending, BudgetReader, BudgetCourse],
})
export class BudgetsModule implements OnApplicationBootstrap {
  constructor(@Inject(Sweeper) private readonly sweeper: Sweeper) {}

  async onApplicationBootstrap(): Promise<void> {
    await this.sweeper.start();
  }
}
