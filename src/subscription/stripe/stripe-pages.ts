/**
 * Synchronization of subscriptions with Stripe: webhooks, and links to its payment pages. Events that arrive late or twice change
 * nothing.
 */
import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { Stripe } from 'stripe';
import type { StripeConfig } from '../../config/index.js';
import { WeirError } from '../../http/index.js';
import { NAMES } from '../../resilience/index.js';
import { ACCOUNT_METADATA } from './stripe-updates.js';

const TIMEOUT_MS = 10_000;

/** Creates links to Stripe's own pages, where people pay and view their invoices. Weir never sees card data. */
export class StripePages {
  private readonly stripe: Stripe | undefined;

  constructor(
    private readonly config: StripeConfig,
    /** The URL to which people return. */
    private readonly baseUrl: string,
  ) {
    if (config.secretKey === undefined) return;
    const { protocol, hostname, port } = new URL(config.baseUrl);
    const SchemeAgent = protocol === 'http:' ? HttpAgent : HttpsAgent;
    this.stripe = new Stripe(config.secretKey, {
      host: hostname,
      protocol: protocol === 'http:' ? 'http' : 'https',
      ...(port === '' ? {} : { port }),
      timeout: TIMEOUT_MS,
      httpAgent: new SchemeAgent({ keepAlive: true, lookup: NAMES.services.lookup(TIMEOUT_MS) }),
      maxNetworkRetries: 1,
      telemetry: false,
    });
  }

  /**
   * Creates a page on which to start the account's subscription, and returns its URL.
   *
   * @throws {WeirError} 404 if payment is not configured, 503 if Stripe does not answer
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
        // The dashboard waits for the confirmation of the payment, which arrives by webhook.
        success_url: `${this.baseUrl}/subscription?paid=1`,
        cancel_url: `${this.baseUrl}/subscription`,
      }),
    );
    if (url === null) throw new WeirError('unavailable', { retryAfterSeconds: 1 });
    return url;
  }

  /**
   * Creates a page on which the customer manages the subscription, and returns its URL.
   *
   * @throws {WeirError} 404 if payment is not configured or there is no customer, 503 if Stripe does not answer
   */
  async portal(customerId: string | null): Promise<string> {
    if (this.stripe === undefined || customerId === null) throw notSetUp();
    const session = this.stripe.billingPortal.sessions.create({
      customer: customerId,
      return_url: `${this.baseUrl}/subscription`,
    });
    return (await answered(session)).url;
  }
}

function notSetUp(): WeirError {
  return new WeirError('not_found', { message: 'There is no such page for this account' });
}

/** Reports an error of Stripe to the caller as an outage, because its message may contain confidential details. */
async function answered<T>(asked: Promise<T>): Promise<T> {
  try {
    return await asked;
  } catch (cause) {
    throw new WeirError('unavailable', { retryAfterSeconds: 5, cause });
  }
}
