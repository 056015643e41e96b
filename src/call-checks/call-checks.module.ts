import { Module } from '@nestjs/common';
import { CallsModule } from '../calls/index.js';
import { EventsModule } from '../events/index.js';
import { CallChecksRoutes } from './call-checks.routes.js';
import { CallAdmission } from './call-admission.service.js';
import { CallEndsController } from './call-ends.controller.js';
import { CallEnds } from './call-ends.service.js';
import { EarlierCalls } from './earlier-calls.js';
import { OpenCalls } from './open-calls.js';

@Module({
  imports: [CallsModule, EventsModule],
  controllers: [CallEndsController],
  providers: [OpenCalls, CallAdmission, CallChecksRoutes, EarlierCalls, CallEnds],
})
export class CallChecksModule {}
