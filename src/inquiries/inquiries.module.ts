import { Module } from '@nestjs/common';
import { AccessModule } from '../access/index.js';
import { DatabaseClock, DatabaseModule } from '../database/index.js';
import { DeploymentsModule } from '../deployments/index.js';
import { EventsLogModule } from '../events/index.js';
import { InsightModule } from '../insight/index.js';
import { LimitsModule } from '../limits/index.js';
import { LoadedPlugins } from '../plugin-registry/index.js';
import { EventInquiriesController } from './event-inquiries.controller.js';
import { Inquiries } from './inquiries.js';
import { PolicyAnswers } from './policy-answers.js';
import { PolicyInquiriesController } from './policy-inquiries.controller.js';

/** Questions about policies and decisions, over HTTP. */
@Module({
  imports: [AccessModule, DatabaseModule, DeploymentsModule, EventsLogModule, InsightModule, LimitsModule],
  controllers: [PolicyInquiriesController, EventInquiriesController],
  providers: [
    {
      provide: Inquiries,
      inject: [LoadedPlugins],
      useFactory: ({ catalog, forThreads }: LoadedPlugins): Inquiries => new Inquiries(catalog, forThreads),
    },
    {
      provide: PolicyAnswers,
      inject: [Inquiries, DatabaseClock],
      useFactory: (inquiries: Inquiries, clock: DatabaseClock): PolicyAnswers =>
        new PolicyAnswers(inquiries, () => clock.nowMs()),
    },
  ],
})
export class InquiriesModule {}
