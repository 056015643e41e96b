import { Module } from '@nestjs/common';
import { AccessModule } from '../access/index.js';
import { APP_CONFIG, type AppConfig } from '../config/index.js';
import { DocumentsModule } from '../documents/index.js';
import { EventsModule } from '../events/index.js';
import { JudgementModule } from '../judgement/index.js';
import { AnswerJudge } from './answer-judge.js';
import { AnswerRelay } from './answer-relay.js';
import { CallIntake } from './call-intake.js';
import { CallRecorder } from './call-recorder.js';
import { FailureRecorder } from './failure-recorder.js';
import { GatewayRoutes } from './gateway.routes.js';
import { GatewayService } from './gateway.service.js';
import { GuardedRelay } from './guarded-relay.js';
import { DEFAULT_KEEP_ALIVE_MS, KEEP_ALIVE_MS } from './keep-alive.js';
import { RequestJudge } from './request-judge.js';
import { StreamFailures } from './stream-failures.js';
import { StreamRelay } from './stream-relay.js';
import { UpstreamClient } from './upstream-client.js';

@Module({
  imports: [AccessModule, JudgementModule, DocumentsModule, EventsModule],
  providers: [
    { provide: KEEP_ALIVE_MS, useValue: DEFAULT_KEEP_ALIVE_MS },
    {
      provide: UpstreamClient,
      inject: [APP_CONFIG],
      useFactory: ({ proxy }: AppConfig) => new UpstreamClient(proxy),
    },
    CallIntake,
    CallRecorder,
    RequestJudge,
    AnswerJudge,
    FailureRecorder,
    GuardedRelay,
    StreamFailures,
    StreamRelay,
    AnswerRelay,
    GatewayService,
    GatewayRoutes,
  ],
})
export class GatewayModule {}
