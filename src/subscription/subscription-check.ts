import { AHEAD_DEFAULTS, PeriodicRefresh, CredentialCache, type Caller } from '../access/index.js';
import { DatabaseError, DatabaseUnavailable } from '../database/index.js';
import { WeirError } from '../http/index.js';
import { admissionStateOf, type AdmissionState, type Subscription, type TrialTerms } from './subscription.js';
import type { Subscriptions } from './subscriptions.js';
import type { TrialCounter } from './trial-counter.js';

interface AdmittedBy {
  readonly caller: Pick<Caller, 'accountId'>;
}

/** Each account needs a separate query because of row-level security. */
const AHEAD = { ...AHEAD_DEFAULTS, maxEntries: 50 };

/**
 * Admits callers whose account has a subscription or a trial, as an admission step for submitted events and proxied calls. The cached
 * state of an account is less than a second old, on every replica.
 */
export class SubscriptionCheck {
  readonly name = 'subscription';
  private readonly cache = new CredentialCache<Subscription>();
  private readonly ahead = new PeriodicRefresh(AHEAD_DEFAULTS.everyMs, () =>
    this.cache.askAgain(AHEAD, (known) =>
      Promise.all(known.map(({ accountId }) => this.subscriptions.find(accountId))),
    ),
  );

  constructor(
    private readonly subscriptions: Pick<Subscriptions, 'find'>,
    private readonly counter: Pick<TrialCounter, 'take' | 'giveBack'>,
    private readonly terms: TrialTerms,
    private readonly now: () => Date = () => new Date(),
  ) {}

  /**
   * @returns for a call that counts in a trial: a function that gives its event back if the call is refused for another reason
   * @throws {WeirError} 402 `subscription_inactive` or `subscription_lapsed`, 429 `trial_limit_reached`; 503 if it cannot be
   * determined: an outage is not a missing subscription
   */
  async admit({ caller: { accountId } }: AdmittedBy): Promise<(() => void) | undefined> {
    try {
      const known = await this.cache.get(Buffer.from(accountId), () => this.subscriptions.find(accountId));
      this.ahead.wake();
      return await this.enter(accountId, known);
    } catch (cause) {
      if (!(cause instanceof DatabaseUnavailable || cause instanceof DatabaseError)) throw cause;
      throw new WeirError('unavailable', { retryAfterSeconds: 1, cause });
    }
  }

  /** Resolves when no refresh is in progress. */
  settle(): Promise<void> {
    return this.ahead.settle();
  }

  private async enter(accountId: string, known: Subscription | null): Promise<(() => void) | undefined> {
    if (this.state(known) !== 'trialing') return this.refuseUnlessActive(known);
    switch (await this.counter.take(accountId)) {
      case 'granted':
        return () => this.counter.giveBack(accountId);
      case 'used_up':
        throw new WeirError('trial_limit_reached');
      case 'not_trialing':
        // The subscription has just been changed.
        return this.refuseUnlessActive(await this.subscriptions.find(accountId));
    }
  }

  private refuseUnlessActive(known: Subscription | null): undefined {
    switch (this.state(known)) {
      case 'active':
      case 'trialing':
        return undefined;
      case 'trial_over':
        throw new WeirError('trial_limit_reached');
      case 'inactive':
        throw new WeirError('subscription_inactive');
      case 'lapsed':
        throw new WeirError('subscription_lapsed');
    }
  }

  private state(known: Subscription | null): AdmissionState {
    return known === null ? 'inactive' : admissionStateOf(known, this.terms, this.now());
  }
}
