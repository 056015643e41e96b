/**
 * Binds the interfaces of features to their implementations: lower features declare an abstract class and take it in their constructors,
 * and only this file knows both. Look here for the implementation of such a class.
 */
import { Global, Module } from '@nestjs/common';
import { BudgetLedgerModule, BudgetLedgerWriter, BudgetsModule, BudgetSpending } from './budgets/index.js';
import { APP_CONFIG, type AppConfig } from './config/index.js';
import { AdmissionSteps, LedgerWriter, Spending } from './events/index.js';
import { AdmissionLimit, LimitsModule } from './limits/index.js';
import { StandingStep, SubscriptionModule } from './subscription/index.js';

@Global()
@Module({
  imports: [LimitsModule, SubscriptionModule, BudgetLedgerModule, BudgetsModule],
  providers: [
    // What is asked before a call is judged and stored, in which order.
    {
      provide: AdmissionSteps,
      inject: [APP_CONFIG, AdmissionLimit, StandingStep],
      useFactory: ({ billing }: AppConfig, limit: AdmissionLimit, standing: StandingStep): AdmissionSteps => ({
        limits: [limit],
        standing: billing.enabled ? [standing] : [],
      }),
    },
    // What a call may spend and did.
    { provide: Spending, useExisting: BudgetSpending },
    // What events mean for budgets, in the transaction of the event log that stores them.
    { provide: LedgerWriter, useExisting: BudgetLedgerWriter },
  ],
  exports: [AdmissionSteps, Spending, LedgerWriter, LimitsModule],
})
export class Composition {}
