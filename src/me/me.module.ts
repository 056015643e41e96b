import { Module } from '@nestjs/common';
import { AccessModule } from '../access/index.js';
import { SubscriptionModule } from '../subscription/index.js';
import { MeController } from './me.controller.js';

/** What a client asks first. */
@Module({ imports: [AccessModule, SubscriptionModule], controllers: [MeController] })
export class MeModule {}
