/**
 * Binds the interfaces of features to their implementations: lower features declare an abstract class and require it in their
 * constructors; only this file imports both the class and its implementation. Look here for the implementation of such a class.
 */
import { Global, Module } from '@nestjs/common';
import { BudgetLedgerModule, BudgetLedgerWriter, BudgetsModule, BudgetSpending } from './budgets/index.js';
import { APP_CONFIG, type AppConfig } from './config/index.js';
import { AdmissionSteps, LedgerWriter, Spending } from './events/index.js';
import { AdmissionLimit, LimitsModule } from './limits/index.js';
import { SubscriptionCheck, SubscriptionModule } from './subscription/index.js';

@Global()
@Module({
  imports: [LimitsModule, SubscriptionModule, BudgetLedgerModule, BudgetsModule],
  providers: [
    // The checks before a call is judged and stored, in their order.
    {
      provide: AdmissionSteps,
      inject: [APP_CONFIG, AdmissionLimit, SubscriptionCheck],
      useFactory: ({ billing }: AppConfig, limit: AdmissionLimit, subscription: SubscriptionCheck): AdmissionSteps => ({
        limits: [limit],
        subscription: billing.enabled ? [subscription] : [],
      }),
    },
    // The budgets of a call, and its spending.
    { provide: Spending, useExisting: BudgetSpending },
    // The effects of events on budgets, written in the transaction with which the event log stores the events.
    { provide: LedgerWriter, useExisting: BudgetLedgerWriter },
  ],
  exports: [AdmissionSteps, Spending, LedgerWriter, LimitsModule],
})
export class Composition {}
