import { Module } from '@nestjs/common';
import { AccessModule } from '../access/index.js';
import { Database, DatabaseModule } from '../database/index.js';
import { PolicyStore } from '../policy-store/index.js';
import { SubscriptionModule } from '../subscription/index.js';
import { AccountRetention } from './account-retention.js';
import { AccountController } from './account.controller.js';
import { MeController } from './me.controller.js';

/** The first request of a client. */
@Module({
  imports: [AccessModule, DatabaseModule, SubscriptionModule],
  controllers: [AccountController, MeController],
  providers: [
    {
      provide: AccountRetention,
      inject: [Database, PolicyStore],
      useFactory: ({ sql, clock }: Database, store: PolicyStore): AccountRetention =>
        new AccountRetention(sql, store, clock),
    },
  ],
})
export class MeModule {}
