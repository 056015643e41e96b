/** Whether an account may make calls: its subscription and its trial. It judges no content and reads no events. */
export { SUBSCRIPTION } from './api-schemas.js';
export { SubscriptionCheck } from './subscription-check.js';
export {
  NAMED_SUBSCRIPTION,
  namedSubscription,
  type NamedSubscription,
  type SubscriptionQuestion,
} from './named-subscription.js';
export { type Subscription } from './subscription.js';
export { SubscriptionModule } from './subscription.module.js';
export { Subscriptions, type SubscriptionChange } from './subscriptions.js';
export { subscriptionView } from './view.js';
