/**
 * Subscriptions kept in step with Stripe: webhooks, and links to its payment pages. Events that arrive late
 * or twice change nothing.
 */
import { Stripe } from 'stripe';
import type { StripeConfig } from '../../config/index.js';
import { WeirError } from '../../http/index.js';
import { ACCOUNT_METADATA } from './stripe-updates.js';

const TIMEOUT_MS = 10_000;

/** Makes links to Stripe's own pages, where people pay and look at their invoices. Weir sees no card. */
export class StripePages {
  private readonly stripe: Stripe | undefined;

  constructor(
    private readonly config: StripeConfig,
    /** Where people come back to. */
    private readonly baseUrl: string,
  ) {
    if (config.secretKey === undefined) return;
    const { protocol, hostname, port } = new URL(config.baseUrl);
    this.stripe = new Stripe(config.secretKey, {
      host: hostname,
      protocol: protocol === 'http:' ? 'http' : 'https',
      ...(port === '' ? {} : { port }),
      timeout: TIMEOUT_MS,
      maxNetworkRetries: 1,
      telemetry: false,
    });
  }

  /**
   * A page on which the account's subscription is taken.
   *
   * @throws {WeirError} 404 where paying is not set up, 503 when Stripe does not answer
   */
  async checkout(accountId: string, customerId: string | null): Promise<string> {
    const { priceId } = this.config;
    const { stripe } = this;
    if (stripe === undefined || priceId === undefined) throw notSetUp();
    const { url } = await answered(
      stripe.checkout.sessions.create({
        mode: 'subscription',
        line_items: [{ price: priceId, quantity: 1 }],
        client_reference_id: accountId,
        ...(customerId === null ? {} : { customer: customerId }),
        subscription_data: { metadata: { [ACCOUNT_METADATA]: accountId } },
        success_url: `${this.baseUrl}/?subscription=taken`,
        cancel_url: `${this.baseUrl}/?subscription=left`,
      }),
    );
    if (url === null) throw new WeirError('unavailable', { retryAfterSeconds: 1 });
    return url;
  }

  /**
   * A page on which the customer manages what was taken.
   *
   * @throws {WeirError} 404 where paying is not set up or nothing was taken, 503 when Stripe does not answer
   */
  async portal(customerId: string | null): Promise<string> {
    if (this.stripe === undefined || customerId === null) throw notSetUp();
    const session = this.stripe.billingPortal.sessions.create({ customer: customerId, return_url: `${this.baseUrl}/` });
    return (await answered(session)).url;
  }
}

function notSetUp(): WeirError {
  return new WeirError('not_found', { message: 'There is no such page for this account' });
}

/** What goes wrong at Stripe is an outage to our caller; its message may name what is not theirs to see. */
async function answered<T>(asked: Promise<T>): Promise<T> {
  try {
    return await asked;
  } catch (cause) {
    throw new WeirError('unavailable', { retryAfterSeconds: 5, cause });
  }
}
