import { Controller, Get, Inject, Req } from '@nestjs/common';
import { ApiBearerAuth, ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { requireManager, TokenAuthenticator } from '../access/index.js';
import { APP_CONFIG, type AppConfig } from '../config/index.js';
import { answerSchema, WeirError } from '../http/index.js';
import { SUBSCRIPTION } from './api-schemas.js';
import { Subscriptions } from './subscriptions.js';
import { subscriptionView } from './view.js';

/** What the account has paid for, and what is left of its trial. */
@ApiTags('subscription')
@ApiBearerAuth('management_token')
@ApiResponse({ status: 401, description: 'No valid management token.' })
@Controller('v1/subscription')
export class SubscriptionController {
  constructor(
    @Inject(TokenAuthenticator) private readonly tokens: TokenAuthenticator,
    @Inject(Subscriptions) private readonly subscriptions: Subscriptions,
    @Inject(APP_CONFIG) private readonly config: AppConfig,
  ) {}

  @Get()
  @ApiOperation({ operationId: 'getSubscription', summary: "The account's subscription and trial. Any scope." })
  @ApiResponse(answerSchema(200, 'As it is now.', SUBSCRIPTION))
  async show(@Req() request: FastifyRequest) {
    const { accountId } = await requireManager(this.tokens, request);
    const subscription = await this.subscriptions.find(accountId);
    if (subscription === null) throw new WeirError('not_found');
    return subscriptionView(subscription, this.config.billing, new Date());
  }
}
