import { Module } from '@nestjs/common';
import { CallsModule } from '../calls/index.js';
import { APP_CONFIG, type AppConfig } from '../config/index.js';
import { JudgementModule } from '../judgement/index.js';
import { AnswerHeaders } from './answer-headers.js';
import { AnswerRelay } from './answer-relay.js';
import { GatewayRoutes } from './gateway.routes.js';
import { GatewayService } from './gateway.service.js';
import { GuardedRelay } from './guarded-relay.js';
import { StreamFailures } from './stream-failures.js';
import { StreamRelay } from './stream-relay.js';
import { UpstreamClient } from './upstream-client.js';

@Module({
  imports: [CallsModule, JudgementModule],
  providers: [
    {
      provide: UpstreamClient,
      inject: [APP_CONFIG],
      useFactory: ({ proxy }: AppConfig) => new UpstreamClient(proxy),
    },
    GuardedRelay,
    StreamFailures,
    StreamRelay,
    AnswerHeaders,
    AnswerRelay,
    GatewayService,
    GatewayRoutes,
  ],
})
export class GatewayModule {}
