/**
 * The effect of a Stripe event on an account. Pure. Events come late, twice and in any order, so each has a version, and for one
 * subscription the highest version counts. https://docs.stripe.com/webhooks#event-ordering
 */
import type { Stripe } from 'stripe';
import type { SubscriptionState } from '../../database/index.js';

/** The metadata key for an account's id in the objects that Weir creates at Stripe. */
export const ACCOUNT_METADATA = 'weir_account_id';

/** An update of a Stripe subscription. */
export interface StripeUpdate {
  /** Undefined if Stripe's object does not name it; the account is then found by its customer. */
  readonly accountId: string | undefined;
  readonly customerId: string;
  readonly subscriptionId: string;
  readonly state: SubscriptionState;
  readonly periodEndsAt: Date | null;
  /** A text that sorts by the time of the change. */
  readonly version: string;
}

/** Order of events of the same second: their stage in the life of a subscription. */
const LATENESS: Readonly<Record<string, number>> = {
  'checkout.session.completed': 0,
  'customer.subscription.created': 1,
  'customer.subscription.updated': 2,
  'customer.subscription.paused': 2,
  'customer.subscription.resumed': 2,
  'customer.subscription.deleted': 3,
};

/** Order of updates of the same second: payment follows the attempt. https://docs.stripe.com/billing/subscriptions/overview */
const PROGRESS: readonly string[] = ['incomplete', 'trialing', 'past_due', 'unpaid', 'active', 'paused', 'canceled'];

/** The update in an event; null when it is about no subscription. */
export function stripeUpdateOf(event: Stripe.Event): StripeUpdate | null {
  switch (event.type) {
    case 'checkout.session.completed':
      return ofCheckout(event, event.data.object);
    case 'customer.subscription.created':
    case 'customer.subscription.updated':
    case 'customer.subscription.paused':
    case 'customer.subscription.resumed':
    case 'customer.subscription.deleted':
      return ofSubscription(event, event.data.object);
    default:
      return null;
  }
}

function ofCheckout(event: Stripe.Event, session: Stripe.Checkout.Session): StripeUpdate | null {
  const customerId = idOf(session.customer);
  const subscriptionId = idOf(session.subscription);
  if (session.mode !== 'subscription' || customerId === undefined || subscriptionId === undefined) return null;
  if (session.payment_status === 'unpaid') return null;
  return {
    accountId: session.client_reference_id ?? session.metadata?.[ACCOUNT_METADATA],
    customerId,
    subscriptionId,
    state: 'active',
    periodEndsAt: null,
    version: versionOf(event, 'active'),
  };
}

function ofSubscription(event: Stripe.Event, subscription: Stripe.Subscription): StripeUpdate | null {
  const customerId = idOf(subscription.customer);
  const state = stateOf(event.type, subscription.status);
  if (customerId === undefined || state === undefined) return null;
  return {
    accountId: subscription.metadata[ACCOUNT_METADATA],
    customerId,
    subscriptionId: subscription.id,
    state,
    periodEndsAt: periodEnd(subscription),
    version: versionOf(event, subscription.status),
  };
}

/** Undefined while the first payment is pending. */
function stateOf(type: string, status: string): SubscriptionState | undefined {
  if (type === 'customer.subscription.deleted') return 'inactive';
  switch (status) {
    case 'active':
    case 'trialing':
      return 'active';
    case 'past_due':
    case 'unpaid':
    case 'paused':
      return 'lapsed';
    case 'canceled':
    case 'incomplete_expired':
      return 'inactive';
    // `incomplete`, and statuses that Stripe may add: they are neither a payment nor the end of one.
    default:
      return undefined;
  }
}

/** The latest end among the items: since 2025, each item has its own period. */
function periodEnd({ items }: Stripe.Subscription): Date | null {
  const seconds = items.data.map(({ current_period_end: end }) => end).filter(Number.isFinite);
  return seconds.length === 0 ? null : new Date(Math.max(...seconds) * 1000);
}

/**
 * A text that sorts by time, then by stage in the life of a subscription, then by id, so that any order of arrival leads to the same
 * result.
 */
function versionOf({ created, type, id }: Stripe.Event, status: string): string {
  return [
    String(created).padStart(12, '0'),
    LATENESS[type] ?? 0,
    String(PROGRESS.indexOf(status) + 1).padStart(2, '0'),
    id,
  ].join('.');
}

function idOf(reference: string | { readonly id: string } | null): string | undefined {
  return typeof reference === 'string' ? reference : reference?.id;
}
