import { Controller, Get, HttpCode, Inject, Injectable, Post, Req } from '@nestjs/common';
import { ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { ApiManagers, ManagementAccess, type ActingManager } from '../access/index.js';
import { AdminAudit, Records, type AdminActionName } from '../admin-audit/index.js';
import { APP_CONFIG, type AppConfig } from '../config/index.js';
import { Database, DatabaseClock } from '../database/index.js';
import { answerSchema, WeirError } from '../http/index.js';
import { LINK, SUBSCRIPTION } from './api-schemas.js';
import { StripePages } from './stripe/stripe-pages.js';
import type { Subscription } from './subscription.js';
import { Subscriptions } from './subscriptions.js';
import { subscriptionView } from './view.js';

/** Records the requested change in the account's audit log. */
@Injectable()
export class SubscriptionAudit {
  constructor(
    @Inject(Database) private readonly database: Database,
    @Inject(AdminAudit) private readonly audit: AdminAudit,
  ) {}

  record({ accountId, actor }: ActingManager, action: AdminActionName): Promise<void> {
    return this.audit.record(this.database.sql.forAccounts(accountId), {
      accountId,
      actor,
      action,
      subject: accountId,
    });
  }
}

/** The account's paid subscription, and the remainder of its trial. */
@ApiTags('subscription')
@ApiManagers()
@Controller('v1/subscription')
export class SubscriptionController {
  constructor(
    @Inject(ManagementAccess) private readonly access: ManagementAccess,
    @Inject(Subscriptions) private readonly subscriptions: Subscriptions,
    @Inject(APP_CONFIG) private readonly config: AppConfig,
    @Inject(StripePages) private readonly pages: StripePages,
    @Inject(SubscriptionAudit) private readonly audit: SubscriptionAudit,
    @Inject(DatabaseClock) private readonly clock: DatabaseClock,
  ) {}

  @Get()
  @ApiOperation({ operationId: 'getSubscription', summary: "The account's subscription and trial. Any scope." })
  @ApiResponse(answerSchema(200, 'The subscription.', SUBSCRIPTION))
  async show(@Req() request: FastifyRequest) {
    const { accountId } = await this.access.authorize(request);
    const subscription = await this.subscriptions.find(accountId);
    if (subscription === null) throw new WeirError('not_found');
    return subscriptionView(subscription, this.config.billing, this.clock.now());
  }

  @Post('checkout')
  @HttpCode(201)
  @Records('subscription.checkout_opened')
  @ApiOperation({
    operationId: 'openCheckout',
    summary: 'A link to the page for starting a subscription. Scope `account:admin`, for all environments.',
  })
  @ApiResponse(answerSchema(201, 'The link.', LINK))
  @ApiResponse({ status: 404, description: 'The operator has not set up payments.' })
  @ApiResponse({ status: 503, description: 'The payment provider does not answer.' })
  async checkout(@Req() request: FastifyRequest) {
    const { manager, subscription } = await this.administered(request);
    const url = await this.pages.checkout(manager.accountId, subscription.stripeCustomerId);
    await this.audit.record(manager, 'subscription.checkout_opened');
    return { url };
  }

  @Post('portal')
  @HttpCode(201)
  @Records('subscription.portal_opened')
  @ApiOperation({
    operationId: 'openBillingPortal',
    summary: 'A link to the page for managing the subscription. Scope `account:admin`, for all environments.',
  })
  @ApiResponse(answerSchema(201, 'The link.', LINK))
  @ApiResponse({
    status: 404,
    description: 'The account has no subscription yet, or the operator has not set up payments.',
  })
  @ApiResponse({ status: 503, description: 'The payment provider does not answer.' })
  async portal(@Req() request: FastifyRequest) {
    const { manager, subscription } = await this.administered(request);
    const url = await this.pages.portal(subscription.stripeCustomerId);
    await this.audit.record(manager, 'subscription.portal_opened');
    return { url };
  }

  private async administered(request: FastifyRequest): Promise<{ manager: ActingManager; subscription: Subscription }> {
    const manager = await this.access.authorize(request, 'account:admin');
    if (manager.environment !== undefined) {
      throw new WeirError('forbidden', { message: `The management token is for ${manager.environment} only` });
    }
    const subscription = await this.subscriptions.find(manager.accountId);
    if (subscription === null) throw new WeirError('not_found');
    return { manager, subscription };
  }
}
