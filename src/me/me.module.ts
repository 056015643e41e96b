import { Module } from '@nestjs/common';
import { AccessModule } from '../access/index.js';
import { DatabaseModule } from '../database/index.js';
import { SubscriptionModule } from '../subscription/index.js';
import { MeController } from './me.controller.js';

/** What a client asks first. */
@Module({ imports: [AccessModule, DatabaseModule, SubscriptionModule], controllers: [MeController] })
export class MeModule {}
