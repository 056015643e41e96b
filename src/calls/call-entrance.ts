import { Inject, Injectable } from '@nestjs/common';
import { AccessUnavailable, KeyAuthenticator, type Caller, type PresentedCredential } from '../access/index.js';
import { DatabaseClock } from '../database/index.js';
import { AdmissionSteps, admit, type AdmissionContext, type EventSource, type Rollback } from '../events/index.js';
import { WeirError } from '../http/index.js';
import { Overload, type WaitingClient } from '../limits/index.js';

type PresentedKey = string | PresentedCredential | undefined;

/** A request at an entry point. */
export interface EntranceRequest {
  readonly surface: EventSource;
  /** The caller that waits for the answer. */
  readonly client: WaitingClient;
  /** The service key as presented. */
  readonly key: PresentedKey;
  /** Adds a header to the answer, which may also be an error. */
  setHeader(name: string, value: string): void;
  /** Called as soon as the caller is known. */
  onCaller(caller: Caller): void;
  /**
   * For a batch: counts its events, once the caller is permitted to send a batch. If it throws an error, that error is the
   * answer.
   */
  readonly countEvents?: () => number;
}

/** A call whose caller is known and that has been admitted. */
export interface Entered {
  readonly caller: Caller;
  readonly receivedAt: Date;
  readonly admission: AdmissionContext;
  /** Admits the next call; further invocations have no effect. */
  readonly leave: () => void;
}

/** The account and the key, which take turns with others under load. */
function partyOf({ accountId, keyId }: Caller): readonly string[] {
  return [accountId, keyId];
}

/** The checks that all interfaces share: the caller's identity, permission, and free capacity. */
@Injectable()
export class CallEntrance {
  constructor(
    @Inject(KeyAuthenticator) private readonly keys: Pick<KeyAuthenticator, 'authenticate'>,
    @Inject(AdmissionSteps) private readonly steps: AdmissionSteps,
    @Inject(Overload) private readonly overload: Pick<Overload, 'enter' | 'check' | 'isBusy' | 'countRefused'>,
    @Inject(DatabaseClock) private readonly clock: Pick<DatabaseClock, 'now'>,
  ) {}

  /** @throws WeirError 401, 429, 503 */
  async enter({ surface, client, key, setHeader, onCaller, countEvents }: EntranceRequest): Promise<Entered> {
    const receivedAt = this.clock.now();
    const found = this.callerOf(key);
    const before = found instanceof Promise ? await found : found;
    onCaller(before);
    const entering = this.overload.enter(surface, partyOf(before), client);
    const leave = entering instanceof Promise ? await entering : entering;
    try {
      // The key may have been deleted while the call waited for its turn.
      const caller = leave.waited === false ? before : await this.authenticate(key);
      const events = countEvents?.();
      const admission = { caller, source: surface, receivedAt, setHeader, ...(events === undefined ? {} : { events }) };
      const admitting = admit(this.steps.limits, admission);
      if (admitting instanceof Promise) await admitting;
      return { caller, receivedAt, admission, leave };
    } catch (error) {
      leave();
      throw error;
    }
  }

  /** Checks the subscription, the trial and similar conditions for calls that are not repetitions. @throws WeirError 402, 429 */
  async checkSubscription(admission: AdmissionContext): Promise<Rollback> {
    return admit(this.steps.subscription, admission);
  }

  /**
   * Called with the error of a call or event after `enter`. A call that is refused as overloaded because too many documents wait, or
   * because there is no memory to unpack its body, had no effect: it is counted as refused and not against the rate limit.
   */
  async turnedAway(admission: AdmissionContext, error: unknown): Promise<void> {
    if (!(error instanceof WeirError) || error.type !== 'overloaded') return;
    this.overload.countRefused(admission.source);
    for (const step of this.steps.limits) await step.giveBack?.(admission);
  }

  /** @throws WeirError `authentication_error`, without a reason for refusing the key; `unavailable` */
  async authenticate(key: PresentedKey): Promise<Caller> {
    return this.callerOf(key);
  }

  /** Waits for the turn of work that is not a call. @throws WeirError `overloaded` */
  async turn(surface: EventSource, caller: Caller): Promise<() => void> {
    return this.overload.enter(surface, partyOf(caller));
  }

  /** Whether calls wait for their turn; while none waits, `turnAway` refuses no call because of overload. */
  get isBusy(): boolean {
    return this.overload.isBusy;
  }

  /**
   * Runs before anything else: refuses a call that would wait too long for its turn.
   * @throws WeirError `authentication_error`, `unavailable`, `overloaded`
   */
  async turnAway(surface: EventSource, key: PresentedKey, onCaller: (caller: Caller) => void): Promise<Caller> {
    const found = this.callerOf(key);
    const caller = found instanceof Promise ? await found : found;
    onCaller(caller);
    this.overload.check(surface, partyOf(caller));
    return caller;
  }

  /**
   * Runs before a body is read: refuses a call that is certain to be refused afterwards.
   * @throws WeirError `authentication_error`, `unavailable`, `overloaded`, `rate_limit_exceeded`
   */
  async expect({ surface, key, setHeader, onCaller }: Omit<EntranceRequest, 'client' | 'countEvents'>): Promise<void> {
    const caller = await this.turnAway(surface, key, onCaller);
    for (const step of this.steps.limits) {
      const asking = step.refuse?.({ caller, source: surface, setHeader });
      if (asking instanceof Promise) await asking;
    }
  }

  /** `authenticate`, without a promise if the caller is cached, as that of most calls is. */
  private callerOf(key: PresentedKey): Caller | Promise<Caller> {
    try {
      const found = this.keys.authenticate(key);
      return found instanceof Promise ? found.then(known, unavailable) : known(found);
    } catch (cause) {
      return unavailable(cause);
    }
  }
}

function known(caller: Caller | null): Caller {
  if (caller === null) throw new WeirError('authentication_error');
  return caller;
}

function unavailable(cause: unknown): never {
  if (!(cause instanceof AccessUnavailable)) throw cause;
  throw new WeirError('unavailable', { cause, retryAfterSeconds: cause.retryAfterSeconds });
}
