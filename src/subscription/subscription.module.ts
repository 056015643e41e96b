import { Module } from '@nestjs/common';
import { AccessModule } from '../access/index.js';
import { AdminAudit } from '../admin-audit/index.js';
import { APP_CONFIG, type AppConfig } from '../config/index.js';
import { Database, DatabaseModule } from '../database/index.js';
import { StripePages } from './stripe/stripe-pages.js';
import { StripeSync } from './stripe/stripe-sync.js';
import { StripeWebhookController } from './stripe/stripe-webhook.controller.js';
import { NAMED_SUBSCRIPTION, namedSubscription } from './named-subscription.js';
import { SubscriptionCheck } from './subscription-check.js';
import { SubscriptionAudit, SubscriptionController } from './subscription.controller.js';
import { Subscriptions } from './subscriptions.js';
import { TrialCounter } from './trial-counter.js';

/** Provides the admission step; unused events of trials are written back before the database is closed. */
@Module({
  imports: [AccessModule, DatabaseModule],
  controllers: [SubscriptionController, StripeWebhookController],
  providers: [
    SubscriptionAudit,
    {
      provide: Subscriptions,
      inject: [Database, AdminAudit, APP_CONFIG],
      useFactory: (database: Database, audit: AdminAudit, { billing }: AppConfig) => {
        const now = (): Date => database.clock.now();
        const subscriptions = new Subscriptions(database.callSql, audit, now);
        database.answerers.set(NAMED_SUBSCRIPTION, (asked) => namedSubscription(subscriptions, billing, asked, now()));
        return subscriptions;
      },
    },
    {
      provide: StripeSync,
      inject: [Database, Subscriptions],
      useFactory: (database: Database, subscriptions: Subscriptions) => new StripeSync(database.sql, subscriptions),
    },
    {
      provide: StripePages,
      inject: [APP_CONFIG],
      useFactory: ({ stripe, server }: AppConfig) => new StripePages(stripe, server.baseUrl),
    },
    {
      provide: SubscriptionCheck,
      inject: [Database, Subscriptions, APP_CONFIG],
      useFactory: (database: Database, subscriptions: Subscriptions, { billing }: AppConfig): SubscriptionCheck => {
        const counter = new TrialCounter(database.callSql, billing.trialEvents);
        database.beforeClose(() => counter.settle());
        const step = new SubscriptionCheck(subscriptions, counter, billing, () => database.clock.now());
        database.beforeClose(() => step.settle());
        return step;
      },
    },
  ],
  exports: [SubscriptionCheck, Subscriptions],
})
export class SubscriptionModule {}
