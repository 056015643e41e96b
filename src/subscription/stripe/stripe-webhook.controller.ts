import { Controller, HttpCode, Inject, Logger, Post, Req } from '@nestjs/common';
import { ApiOperation, ApiResponse, ApiSecurity, ApiTags } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { Stripe } from 'stripe';
import { APP_CONFIG, type AppConfig } from '../../config/index.js';
import { WeirError } from '../../http/index.js';
import { stripeUpdateOf } from './stripe-updates.js';
import { StripeSync } from './stripe-sync.js';

/** Accepts Stripe's events about payments if they are signed with the secret of the settings. */
@ApiTags('subscription')
@Controller('webhooks/stripe')
export class StripeWebhookController {
  private readonly logger = new Logger('stripe');

  constructor(
    @Inject(APP_CONFIG) private readonly config: AppConfig,
    @Inject(StripeSync) private readonly sync: StripeSync,
  ) {}

  @Post()
  @HttpCode(204)
  @ApiOperation({
    operationId: 'receiveStripeEvent',
    summary: 'Webhook for Stripe subscription events. Without STRIPE_WEBHOOK_SECRET, the answer is 404.',
  })
  @ApiSecurity('stripe_signature')
  @ApiResponse({
    status: 204,
    description: 'The event was applied, or it does not concern a subscription. Repeated deliveries change nothing.',
  })
  @ApiResponse({ status: 401, description: 'The signature is missing, wrong, or more than five minutes old.' })
  @ApiResponse({ status: 404, description: 'No webhook is set up.' })
  async receive(@Req() request: FastifyRequest): Promise<void> {
    const { webhookSecret } = this.config.stripe;
    if (webhookSecret === undefined) throw new WeirError('not_found');
    const event = verified(request, webhookSecret);
    const update = stripeUpdateOf(event);
    if (update === null) return;
    const outcome = await this.sync.apply(update);
    if (outcome === 'unknown') this.logger.warn(`${event.type} of a customer who belongs to no account`);
  }
}

/** @throws {WeirError} 401, without further details for the sender */
function verified(request: FastifyRequest, secret: string): Stripe.Event {
  const signature = request.headers['stripe-signature'];
  const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
  try {
    return Stripe.webhooks.constructEvent(body, typeof signature === 'string' ? signature : '', secret);
  } catch {
    throw new WeirError('authentication_error', { message: 'The signature is not valid' });
  }
}
