import { Global, Inject, Module, type OnApplicationBootstrap } from '@nestjs/common';
import { AccessModule, TokenKeys } from '../access/index.js';
import { AdminAudit, AdminAuditModule } from '../admin-audit/index.js';
import { Database, DatabaseModule } from '../database/index.js';
import { EventLog, EventsLogModule } from '../events/index.js';
import { PolicyStore } from '../policy-store/index.js';
import { BudgetMetrics } from './budget-metrics.js';
import { CallCost } from './call-cost.js';
import { DatabaseClock } from './database-clock.js';
import { BudgetLedgerModule } from './ledger.module.js';
import { OpenCalls } from './ledger/open-calls.js';
import { PeriodBook } from './ledger/period-book.js';
import { Reserver } from './ledger/reserver.js';
import { Sweeper } from './ledger/sweeper.js';
import { BudgetAdjustments } from './management/budget-adjustments.js';
import { BudgetCourse } from './management/budget-course.js';
import { BudgetReader } from './management/budget-reader.js';
import { BudgetsController } from './management/budgets.controller.js';
import { LibraryPrices } from './prices/price-book.js';
import { TokenCounter } from './prices/token-counter.js';
import { RequestModels } from './request-models.js';
import { BudgetSpending } from './spending.service.js';

/** What one process keeps about money: everything else is in the database. */
interface MoneySide {
  readonly spending: BudgetSpending;
  readonly sweeper: Sweeper;
  readonly clock: DatabaseClock;
  readonly metrics: BudgetMetrics;
  freed(): void;
}
const MONEY_SIDE = Symbol('money side');

/** Budgets: prices, the ledger, and what the pipelines ask of them. */
@Global()
@Module({
  imports: [AccessModule, AdminAuditModule, BudgetLedgerModule, DatabaseModule, EventsLogModule],
  controllers: [BudgetsController],
  providers: [
    { provide: MONEY_SIDE, inject: [Database, EventLog, BudgetMetrics, Reserver, TokenKeys], useFactory: moneySide },
    {
      provide: BudgetReader,
      inject: [Database, PolicyStore, MONEY_SIDE],
      useFactory: ({ sql }: Database, policies: PolicyStore, { clock }: MoneySide) =>
        new BudgetReader(sql, policies, clock),
    },
    { provide: BudgetCourse, inject: [Database], useFactory: ({ sql }: Database) => new BudgetCourse(sql) },
    {
      provide: BudgetAdjustments,
      inject: [Database, AdminAudit, MONEY_SIDE],
      useFactory: ({ sql }: Database, audit: AdminAudit, { metrics, freed }: MoneySide) =>
        new BudgetAdjustments(sql, audit, metrics, freed),
    },
    { provide: BudgetSpending, inject: [MONEY_SIDE], useFactory: ({ spending }: MoneySide) => spending },
  ],
  exports: [BudgetSpending, BudgetReader, BudgetCourse],
})
export class BudgetsModule implements OnApplicationBootstrap {
  constructor(@Inject(MONEY_SIDE) private readonly money: MoneySide) {}

  async onApplicationBootstrap(): Promise<void> {
    await this.money.sweeper.start();
  }
}

function moneySide(
  database: Database,
  log: EventLog,
  metrics: BudgetMetrics,
  reserver: Reserver,
  keys: TokenKeys,
): MoneySide {
  const { sql } = database;
  const clock = new DatabaseClock();
  const freed = (): void => reserver.freed();
  const open = new OpenCalls(sql, freed);
  const sweeper = new Sweeper({ sql, log, open, clock, metrics, freed });
  database.beforeClose(() => sweeper.stop());
  const spending = new BudgetSpending({
    sql,
    cost: new CallCost(new LibraryPrices(), new TokenCounter()),
    clock,
    periods: new PeriodBook(sql),
    reserver,
    open,
    models: new RequestModels(sql),
    metrics,
    hashOf: (accountId) => keys.of(accountId),
  });
  return { spending, sweeper, clock, metrics, freed };
}
