/** Shows or changes the subscription of an account, for an operator on the machine of the service. */
import { z } from 'zod';
import type { SubscriptionState } from '../database/index.js';
import type { Subscriptions } from './subscriptions.js';
import { subscriptionView } from './view.js';

const STATES = ['trialing', 'active', 'inactive', 'lapsed'] as const satisfies readonly SubscriptionState[];
const time = z.coerce.date().nullable();

/** The request in JSON: an account's id or a member's address, and the change of its subscription. */
const QUESTION = z.strictObject({
  account: z.string(),
  change: z
    .strictObject({
      state: z.enum(STATES),
      trialEndsAt: time.optional(),
      restartTrial: z.boolean().optional(),
      periodEndsAt: time.optional(),
      endsAt: time.optional(),
    })
    .optional(),
});

/** The name under which a running server answers the request. */
export const NAMED_SUBSCRIPTION = 'subscription';

export type SubscriptionQuestion = z.input<typeof QUESTION>;
export type NamedSubscription =
  | { readonly account: string; readonly subscription: ReturnType<typeof subscriptionView> }
  | { readonly problem: 'no such account' | 'several accounts' };

/** @throws DatabaseError | DatabaseUnavailable; ZodError for an invalid request */
export async function namedSubscription(
  subscriptions: Pick<Subscriptions, 'accountsNamed' | 'find' | 'change'>,
  terms: Parameters<typeof subscriptionView>[1],
  asked: unknown,
  now: Date,
): Promise<NamedSubscription> {
  const { account: name, change } = QUESTION.parse(asked);
  const [account, ...others] = await subscriptions.accountsNamed(name);
  if (others.length > 0) return { problem: 'several accounts' };
  if (account === undefined) return { problem: 'no such account' };
  const found = await (change === undefined
    ? subscriptions.find(account)
    : subscriptions.change(account, defined(change)));
  return found === null
    ? { problem: 'no such account' }
    : { account, subscription: subscriptionView(found, terms, now) };
}

/** Removes members whose value is undefined. */
function defined<Change extends object>(change: Change) {
  return Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined)) as {
    [Key in keyof Change]: Exclude<Change[Key], undefined>;
  };
}
