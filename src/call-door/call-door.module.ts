import { Module } from '@nestjs/common';
import { CallsModule } from '../calls/index.js';
import { EventsModule } from '../events/index.js';
import { CallDoorRoutes } from './call-door.routes.js';
import { CallDoor } from './call-door.service.js';
import { CallEndsController } from './call-ends.controller.js';
import { CallEnds } from './call-ends.service.js';
import { EarlierCalls } from './earlier-calls.js';
import { OpenCalls } from './open-calls.js';

@Module({
  imports: [CallsModule, EventsModule],
  controllers: [CallEndsController],
  providers: [OpenCalls, CallDoor, CallDoorRoutes, EarlierCalls, CallEnds],
})
export class CallDoorModule {}
