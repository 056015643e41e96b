import { Module } from '@nestjs/common';
import { AccessModule } from '../access/index.js';
import { AdminAudit } from '../admin-audit/index.js';
import { BudgetCourse, BudgetReader } from '../budgets/index.js';
import { APP_CONFIG, type AppConfig } from '../config/index.js';
import { Database, DatabaseModule } from '../database/index.js';
import { DeploymentsModule, ReplicaReports } from '../deployments/index.js';
import { PolicyStore } from '../policy-store/index.js';
import { SubscriptionModule, Subscriptions, subscriptionView } from '../subscription/index.js';
import { Attention } from './attention.js';
import { AttentionController } from './attention.controller.js';
import { Snoozes } from './snoozes.js';

@Module({
  imports: [AccessModule, DatabaseModule, DeploymentsModule, SubscriptionModule],
  controllers: [AttentionController],
  providers: [
    {
      provide: Snoozes,
      inject: [Database, AdminAudit],
      useFactory: ({ sql }: Database, audit: AdminAudit) => new Snoozes(sql, audit),
    },
    {
      provide: Attention,
      inject: [Database, PolicyStore, ReplicaReports, BudgetReader, BudgetCourse, Snoozes, Subscriptions, APP_CONFIG],
      useFactory: (
        { sql, readSql, clock }: Database,
        policies: PolicyStore,
        reports: ReplicaReports,
        budgets: BudgetReader,
        course: BudgetCourse,
        snoozes: Snoozes,
        subscriptions: Subscriptions,
        { billing }: AppConfig,
      ) =>
        new Attention({
          ...{ sql, readSql, policies, reports, budgets, course, snoozes },
          trialOf: async (accountId) => {
            const found = await subscriptions.find(accountId);
            return found === null ? null : subscriptionView(found, billing, clock.now()).trial;
          },
          nowMs: () => clock.nowMs(),
        }),
    },
  ],
})
export class AttentionModule {}
