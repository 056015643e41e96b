import type { Stripe } from 'stripe';
import { stripeUpdateOf } from './stripe-updates.js';

const ACCOUNT = '0190a5a0-0000-7000-8000-000000000001';

function event(type: string, object: object, created = 1_800_000_000, id = 'evt_1'): Stripe.Event {
  return { id, type, created, data: { object } } as unknown as Stripe.Event;
}
const subscription = (status: string, more: object = {}) => ({
  id: 'sub_1',
  customer: 'cus_1',
  status,
  metadata: { weir_account_id: ACCOUNT },
  items: { data: [{ current_period_end: 1_800_000_100 }, { current_period_end: 1_800_000_200 }] },
  ...more,
});
const checkout = (more: object = {}) => ({
  mode: 'subscription',
  customer: { id: 'cus_1' },
  subscription: 'sub_1',
  client_reference_id: ACCOUNT,
  payment_status: 'paid',
  ...more,
});

describe('An event of Stripe', () => {
  it.each([
    ['active', 'active'],
    ['trialing', 'active'],
    ['past_due', 'lapsed'],
    ['unpaid', 'lapsed'],
    ['paused', 'lapsed'],
    ['canceled', 'inactive'],
    ['incomplete_expired', 'inactive'],
  ])('about a subscription that is %s means %s', (status, state) => {
    expect(stripeUpdateOf(event('customer.subscription.updated', subscription(status)))).toMatchObject({
      accountId: ACCOUNT,
      customerId: 'cus_1',
      subscriptionId: 'sub_1',
      state,
      periodEndsAt: new Date(1_800_000_200_000),
    });
  });

  it('about a deleted subscription ends it, whatever its status', () => {
    expect(stripeUpdateOf(event('customer.subscription.deleted', subscription('active')))?.state).toBe('inactive');
  });

  it('about a checkout links the customer to the account', () => {
    expect(stripeUpdateOf(event('checkout.session.completed', checkout()))).toMatchObject({
      accountId: ACCOUNT,
      customerId: 'cus_1',
      subscriptionId: 'sub_1',
      state: 'active',
    });
  });

  it.each([
    ['customer.subscription.created', subscription('incomplete')],
    ['customer.subscription.updated', subscription('a status of the future')],
    ['checkout.session.completed', checkout({ mode: 'payment' })],
    ['checkout.session.completed', checkout({ payment_status: 'unpaid' })],
    ['checkout.session.completed', checkout({ customer: null })],
    ['invoice.paid', {}],
    ['an event of the future', {}],
  ])('of type %s with %j results in no update', (type, object) => {
    expect(stripeUpdateOf(event(type, object))).toBeNull();
  });

  it('is sorted by time, then by stage in the life of a subscription, then by payment status', () => {
    const versions = [
      stripeUpdateOf(event('customer.subscription.deleted', subscription('canceled'), 999_999_999)),
      stripeUpdateOf(event('checkout.session.completed', checkout())),
      stripeUpdateOf(event('customer.subscription.created', subscription('active'))),
      stripeUpdateOf(event('customer.subscription.updated', subscription('past_due'))),
      stripeUpdateOf(event('customer.subscription.updated', subscription('active'), undefined, 'evt_1')),
      stripeUpdateOf(event('customer.subscription.updated', subscription('active'), undefined, 'evt_2')),
      stripeUpdateOf(event('customer.subscription.deleted', subscription('active'))),
      stripeUpdateOf(event('customer.subscription.created', subscription('active'), 1_800_000_001)),
    ].map((update) => update?.version);
    expect(versions).toEqual([...versions].sort());
    expect(new Set(versions).size).toBe(versions.length);
  });
});
