import { createHash } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import type { KnownBudget, LedgerStep } from '../core/index.js';
import {
  EventIdInProgress,
  EventLog,
  newEventId,
  Spending,
  violationEvents,
  type Hold,
  type NewEvent,
  type RememberedAnswer,
  type SpendingCall,
  type SpendingOutcome,
} from '../events/index.js';
import { toWeirError, WeirError } from '../http/index.js';
import { JudgementService, type Judgement } from '../judgement/index.js';
import { Metrics, type JudgedCall } from '../metrics/index.js';
import { StoredBefore } from './stored-before.js';

type JudgeInput = Parameters<JudgementService['judge']>[0];

/** What the rules are asked about beside whose call it is. */
export type AskedOfRules = Omit<JudgeInput, 'policy' | 'accountId' | 'context' | 'budgets'> & {
  /** What budgets had used when the call came; looked up where it is not known yet. */
  readonly budgets?: readonly KnownBudget[];
};

/** A judgement as an answer can express it. */
export type Expressed = Pick<JudgedCall, 'decision' | 'violations'>;

/** Where the same event may come again: what makes it the same, and what it is answered then. */
export interface Claim {
  readonly fingerprint: Buffer;
  readonly answer: RememberedAnswer;
}

/** What is committed together with an event. */
interface StoredParts {
  readonly ledger?: readonly LedgerStep[];
  readonly others?: readonly NewEvent[];
  readonly claim?: Claim;
}

/** A request that the rules let pass. */
export interface PassedRequest {
  readonly money: SpendingCall;
  /** As it is about to be stored. */
  readonly event: NewEvent;
  /** False where no budget may refuse it. */
  readonly enforced: boolean;
  /** What redaction adds to it, in UTF-8 bytes. */
  readonly addedBytes: number;
  /** What is kept of its answer, for when it comes again. */
  claim(hold: Hold): Promise<Claim | undefined>;
}

type Denial = Extract<SpendingOutcome, { outcome: 'denied' }>;

/**
 * The way of a call, whichever door it came through: judge, reserve, store, refuse or go on, and record its end. Doors read
 * what was sent, draft the event that is stored, and answer; what is asked in which order is decided here.
 *
 *   judge → refuse
 *         → goOn (reserve → refuse, or store) → the door answers → end (settle and store)
 */
@Injectable()
export class CallPipeline {
  constructor(
    @Inject(JudgementService) private readonly judging: JudgementService,
    @Inject(Spending) private readonly spending: Spending,
    @Inject(EventLog) private readonly log: EventLog,
    @Inject(Metrics) private readonly metrics: Pick<Metrics, 'judged'>,
  ) {}

  /**
   * What the rules say, counted.
   * @param express how an answer can express it; as it is unless given
   * @throws WeirError `unavailable` when budgets cannot be looked up
   */
  async judge(
    money: SpendingCall,
    asked: AskedOfRules,
    express: (judgement: Judgement) => Expressed = expressed,
  ): Promise<{ readonly judgement: Judgement; readonly budgets: readonly KnownBudget[] }> {
    const { caller, source, policy, context } = money;
    const budgets = asked.budgets ?? (await this.spending.known(money));
    const judgement = await this.judging.judge({ ...asked, policy, accountId: caller.accountId, context, budgets });
    const { outcomes, tookMs } = judgement;
    const { environment } = caller;
    this.metrics.judged({ source, environment, ...express(judgement), outcomes, tookMs });
    return { judgement, budgets };
  }

  /**
   * Reserves what the call may cost and stores its request. A request that was not stored, or came before, holds nothing.
   * @returns what the call holds until it ends
   * @throws WeirError that refuses it when a budget does, recorded; WeirError when it cannot be stored; StoredBefore
   */
  async goOn({ money, event, enforced, addedBytes, claim }: PassedRequest, refused?: () => void): Promise<Hold> {
    const spending = await this.spending.reserve(money, { event, enforced, addedBytes });
    if (spending.outcome === 'denied') {
      const refusal = await this.deny(event, spending);
      refused?.();
      throw refusal;
    }
    const { hold, ledger } = spending;
    try {
      await this.store(event, { ledger, ...withClaim(await claim(hold)) });
      return hold;
    } catch (error) {
      await hold.release();
      throw error;
    }
  }

  /**
   * Stores a request that a rule refuses, or that could not be judged.
   * @param claim what it is answered when it comes again; without one it is judged anew
   * @throws WeirError when it cannot be stored; StoredBefore
   */
  refuse(event: NewEvent, claim?: Claim): Promise<void> {
    return this.store(event, withClaim(claim));
  }

  /**
   * Stores the event that ends a call, with what it cost, and settles what the call held.
   * @param hold without it the call is found by its request id
   * @throws WeirError when it cannot be stored; StoredBefore
   */
  async end(
    money: SpendingCall,
    event: NewEvent,
    { hold, claim }: { readonly hold?: Hold; readonly claim?: Claim } = {},
  ): Promise<void> {
    const ended = await this.spending.ended(money, event, hold);
    await this.store(ended.event, { ledger: ended.ledger, ...withClaim(claim) });
  }

  /**
   * Stores an event with its violations, and resolves after the commit.
   * @throws WeirError when the log does not take it: then the call must not go on; StoredBefore
   */
  async store(event: NewEvent, { ledger = [], others = [], claim }: StoredParts = {}): Promise<void> {
    const violations = violationEvents(event, event.violations, () => newEventId(event.receivedAt));
    // An id that is our own and new is nobody's to retry under: no answer is remembered.
    const idempotency = claim ?? { fingerprint: createHash('sha256').update(event.id).digest() };
    const appended = await this.log
      .append({ event, children: [...violations, ...others], ledger, idempotency })
      .catch((cause: unknown) => {
        if (cause instanceof EventIdInProgress) throw new WeirError('in_progress', { cause, retryAfterSeconds: 1 });
        throw toWeirError(cause);
      });
    if (appended.outcome === 'duplicate') throw new StoredBefore(appended.stored);
    if (appended.reservation === 'lost') throw new WeirError('unavailable', { retryAfterSeconds: 1 });
  }

  /** Records what a budget refuses. @returns what its client is told */
  private async deny(event: NewEvent, { reason, message, retryAfterSeconds, children }: Denial): Promise<WeirError> {
    await this.store({ ...event, decision: 'block', reason, redactions: [] }, { others: children });
    return new WeirError(reason, {
      message,
      ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
      decision: 'block',
      violations: event.violations,
      eventId: event.eventId,
    });
  }
}

function expressed({ action, unavailable, violations }: Judgement): Expressed {
  return { decision: unavailable ? 'unavailable' : action, violations: unavailable ? [] : violations };
}

function withClaim(claim: Claim | undefined): Pick<StoredParts, 'claim'> {
  return claim === undefined ? {} : { claim };
}
