import { Inject, Injectable } from '@nestjs/common';
import {
  refuses,
  SILENT_LEDGER,
  type BudgetLedger,
  type CannedAnswer,
  type DecodedCall,
  type LedgerStep,
  type Mask,
} from '../core/index.js';
import { DatabaseClock } from '../database/index.js';
import {
  EndJournal,
  EventIdInProgress,
  EventLog,
  EventLogOverloaded,
  EventLogUnavailable,
  newEventId,
  Spending,
  violationEvents,
  type AppendRequest,
  type AppendResult,
  type ClientEventType,
  type Hold,
  type NewEvent,
  type RememberedAnswer,
  type SessionStepToWrite,
  type SpendingCall,
  type SpendingOutcome,
} from '../events/index.js';
import { toWeirError, WeirError } from '../http/index.js';
import { JudgementService, type Judgement } from '../judgement/index.js';
import { Metrics } from '../metrics/index.js';
import { noteOnCall, spanned } from '../telemetry/index.js';
import { CallSessions, type OpenSession } from './call-sessions.js';
import { StoredBefore } from './call-replays.js';
import { draftEvent, type EventExtras, type EventParts } from './event-draft.js';
import { NotRecorded } from './not-recorded.js';
import { refusalOf } from './refusal.js';
import { spanAttributes } from './span-attributes.js';
import { NOT_JUDGED, verdictOf, type Verdict } from './verdict.js';

type JudgeInput = Parameters<JudgementService['judge']>[0];

/** Input of the rules, apart from the caller. */
export type RuleInput = Omit<JudgeInput, 'policy' | 'accountId' | 'context' | 'ledger' | 'call'> & {
  /** The used amounts of budgets when the call arrived; looked up if unknown. */
  readonly ledger?: BudgetLedger;
};

/** The result of evaluating the rules for a step. */
export interface Judged {
  /** Absent for steps that no rule judges. */
  readonly judgement?: Judgement;
  readonly verdict: Verdict;
  /** The parts of the step's texts that must not be stored. */
  readonly masks: readonly Mask[];
  /** The used amounts of budgets. */
  readonly ledger: BudgetLedger;
  /** For a refused call: the answer that replaces the error. */
  readonly canned?: CannedAnswer | undefined;
}

/** The fields of an event in addition to those of every event of a call. */
export interface EventContent extends Omit<EventExtras, 'decision'> {
  readonly latencyMs: EventParts['latencyMs'];
  /** The growth of a request by redaction, in UTF-8 bytes. */
  readonly addedBytes?: number;
}

/** An event for the log, with its judgement. */
export interface Stored extends Judged {
  readonly event: NewEvent;
  /** For a request that is forwarded: its reservation until the call ends. */
  readonly hold?: Hold;
}

/** For a step that may be repeated: its identity, and the answer to a repetition. */
export interface StepClaim<Answer extends RememberedAnswer = RememberedAnswer> {
  readonly fingerprint: Buffer;
  /** The answer to a repetition of a step that is recorded. */
  passed(stored: Stored): Answer | Promise<Answer>;
  /** The answer to a repetition of a step that a rule refused. A step that could not be evaluated is judged again when repeated. */
  refused?(refusal: WeirError, event: NewEvent): Answer;
}

/** One step of a call, as an interface has read it: the request, the use of a tool, the answer, or an error. */
export interface CallStep<
  Answer extends RememberedAnswer = RememberedAnswer,
  Type extends ClientEventType = ClientEventType,
> {
  readonly type: Type;
  readonly money: SpendingCall;
  /** The texts of the step. */
  readonly call: DecodedCall;
  /** The input of the rules; absent for steps that no rule judges. */
  readonly asked?: RuleInput;
  /** The client's own id; without one, the service's id is used. */
  readonly eventId?: string | undefined;
  /** The time of arrival; if absent, the time of the judgement is used. */
  readonly receivedAt?: Date;
  /** False for a step that no budget may refuse. */
  readonly enforced?: boolean;
  /** For a request without a reservation: whether its call may continue while the request is stored. */
  readonly beside?: boolean;
  /** For an answer: the reservation of its call. Without a reservation, the call is found by its request id. */
  readonly hold?: Hold;
  readonly claim?: StepClaim<Answer> | undefined;
  /** A rule's canned answer in the form that the client expects; absent where refusals are reported as errors. */
  canned?(text: string): CannedAnswer | undefined;
  /** Returns the fields of the call's event; called when the masks are known. */
  content(judged: Judged): EventContent | Promise<EventContent>;
}

/** The pending record of a request whose call continues meanwhile. */
export interface RecordInFlight {
  /**
   * Resolves when the record is in the log. Rejects with the error for the client, in which case no part of an answer may
   * be forwarded.
   */
  readonly stored: Promise<void>;
  /** Stores a record in the journal if the log did not accept it although the provider was called. */
  keep(): void;
}

/** A step that is in the log, or being stored. */
export interface Recorded<Answer> extends Stored {
  readonly outcome: 'recorded';
  readonly answer?: Answer;
  /** Set when the call may continue before its record is stored; absent when the record is in the log. */
  readonly inFlight?: RecordInFlight;
}

/** A step that a rule or a budget refused, or that could not be judged. The refusal is in the log. */
export interface Refused<Answer> extends Stored {
  readonly outcome: 'refused';
  readonly refusal: WeirError;
  /** The answer to a repetition; absent if a repetition is judged again. */
  readonly answer?: Answer;
}

/** The data that is stored with an event in one transaction. */
interface StoredWith {
  readonly ledger?: readonly LedgerStep[];
  readonly others?: readonly NewEvent[];
  readonly claim?: Claimed;
  readonly session?: SessionStepToWrite | undefined;
}

/** Where a record must be stored before it is acknowledged. */
type Where = 'in the log' | 'in the journal if the log is unavailable';

/** Thrown when another call of the session was stored after this one was judged. */
class SessionMoved extends Error {}

/** Maximum number of times that a tool call is judged while other replicas store calls of its session. */
const MOST_JUDGED_ANEW = 10;

type Denial = Extract<SpendingOutcome, { outcome: 'denied' }>;
type Claimed = { readonly fingerprint: Buffer; readonly answer: RememberedAnswer } | undefined;

/**
 * The processing of a call, for every entry point. Entry points read the request, choose the content to be stored, and answer;
 * this class defines the order of the steps, and is the only one that stores calls.
 *
 *   judge → mask → draft → refuse, and store the refusal
 *                        → a request: reserve, then refuse or store
 *                        → an answer, or the error instead of one: settle and store
 */
@Injectable()
export class CallPipeline {
  /** Whether the log did not accept the last record: then no call continues before its own record is stored. */
  private isLogAway = false;

  constructor(
    @Inject(JudgementService) private readonly judging: JudgementService,
    @Inject(Spending) private readonly spending: Spending,
    @Inject(EventLog) private readonly log: EventLog,
    @Inject(EndJournal) private readonly journal: Pick<EndJournal, 'keep'>,
    @Inject(Metrics) private readonly metrics: Pick<Metrics, 'judged'>,
    @Inject(DatabaseClock) private readonly clock: Pick<DatabaseClock, 'now'>,
    @Inject(CallSessions) private readonly sessions: CallSessions,
  ) {}

  /**
   * Judges and records a request, or the use of a tool. Resolves when it is in the log, refused or recorded; if its call may
   * continue before the record is stored, resolves when storing has begun.
   * @throws WeirError, such as `unavailable`, when it could not be judged or stored: then the call must not continue;
   * StoredBefore when it is already in the log
   */
  async take<Answer extends RememberedAnswer>(
    step: CallStep<Answer, 'ai.request' | 'agent.tool_call'>,
  ): Promise<Recorded<Answer> | Refused<Answer>> {
    if (step.type === 'agent.tool_call') return this.sessions.inTurn(step.money, () => this.takeToolCall(step));
    const { stored, addedBytes } = await this.draft(step);
    return refuses(stored.verdict.decision) ? this.refuse(step, stored) : this.goOn(step, stored, addedBytes);
  }

  /**
   * Judges a tool call and stores it only if the history of its session is still the one it was judged by; if another call of
   * the session was stored meanwhile, judges it again.
   */
  private async takeToolCall<Answer extends RememberedAnswer>(
    step: CallStep<Answer>,
  ): Promise<Recorded<Answer> | Refused<Answer>> {
    for (let attempt = 0; attempt < MOST_JUDGED_ANEW; attempt++) {
      const session = await this.sessions.open(step.money);
      const { stored } = await this.draft(step, session);
      if (refuses(stored.verdict.decision)) return this.refuse(step, stored);
      try {
        return await this.record(step, stored, [], { judgedBy: session?.version });
      } catch (error) {
        if (!(error instanceof SessionMoved)) throw error;
      }
    }
    throw new WeirError('in_progress', { retryAfterSeconds: 1 });
  }

  /**
   * Records the end of a call: its answer, or the error instead of one, with its cost. The call's reservation is settled. While
   * the log is unavailable, the end of a proxied call is kept in the journal and stored later, because the provider has been
   * called and charges for the call.
   * @throws WeirError when it could not be recorded; StoredBefore
   */
  async end<Answer extends RememberedAnswer>(
    step: CallStep<Answer, 'ai.response' | 'ai.error'>,
  ): Promise<Recorded<Answer>> {
    const { stored } = await this.draft(step, await this.sessions.open(step.money));
    const { event, ledger } = await this.spending.ended(step.money, stored.event, step.hold);
    // A client that reports an end can report it again; the end of a proxied call is known only here.
    const where = step.money.source === 'proxy' ? 'in the journal if the log is unavailable' : 'in the log';
    return this.record(step, { ...stored, event }, ledger, { where });
  }

  /** Creates the event in the form in which it would be stored. */
  private async draft(
    step: CallStep,
    session?: OpenSession,
  ): Promise<{ readonly stored: Stored; readonly addedBytes: number }> {
    const judged = await this.judge(step, session);
    const content = await step.content(judged);
    const event = eventOf(step, step.receivedAt ?? this.clock.now(), judged, content);
    return { stored: { ...judged, event }, addedBytes: content.addedBytes ?? 0 };
  }

  /** Evaluates and counts the decision of the rules, and determines the parts that must not be stored. */
  private async judge(step: CallStep, session: OpenSession | undefined): Promise<Judged> {
    const { money, call, asked } = step;
    const { caller, source, policy, context } = money;
    if (asked === undefined) {
      const masks = await this.judging.maskTexts(policy, call.segments, { accountId: caller.accountId });
      return { verdict: NOT_JUDGED, masks, ledger: SILENT_LEDGER };
    }
    const ledger = asked.ledger ?? (await this.spending.known(money));
    const past = session === undefined ? {} : { session: session.history };
    const whose = { policy, accountId: caller.accountId, context, ledger, ...past };
    const { judgement, masks } = await spanned('judge', () => this.judging.judgeAndMask({ ...asked, ...whose, call }));
    const { answer } = judgement;
    const canned = answer === undefined ? undefined : step.canned?.(answer.text);
    const verdict = verdictOf(asked.kind, judgement, canned);
    const { decision = 'allow', unavailable, violations } = verdict;
    const { outcomes, tookMs } = judgement;
    const { accountId, environment } = caller;
    const counted = unavailable ? 'unavailable' : decision;
    this.metrics.judged({ accountId, source, environment, decision: counted, violations, outcomes, tookMs });
    return { judgement, verdict, masks, ledger, canned };
  }

  /** Stores a step that a rule refused or that could not be judged. */
  private async refuse<Answer extends RememberedAnswer>(
    { claim }: CallStep<Answer>,
    stored: Stored,
  ): Promise<Refused<Answer>> {
    const { judgement, event, canned } = stored;
    if (judgement === undefined) throw new Error('a step was refused without a judgement');
    const refusal = refusalOf(judgement, event.eventId, canned);
    const answer = judgement.unavailable ? undefined : claim?.refused?.(refusal, event);
    await this.store(event, { claim: claim && answer && { fingerprint: claim.fingerprint, answer } });
    return { ...stored, outcome: 'refused', refusal, ...(answer === undefined ? {} : { answer }) };
  }

  /**
   * Reserves the cost of a call and stores its request. A request that is a repetition or was not stored has no
   * reservation.
   */
  private async goOn<Answer extends RememberedAnswer>(
    step: CallStep<Answer>,
    stored: Stored,
    addedBytes: number,
  ): Promise<Recorded<Answer> | Refused<Answer>> {
    const { event } = stored;
    const spending = await spanned('reserve', () =>
      this.spending.reserve(step.money, { event, enforced: step.enforced ?? true, addedBytes }),
    );
    if (spending.outcome === 'denied') {
      return { ...stored, outcome: 'refused', refusal: await this.deny(event, spending) };
    }
    const { hold, ledger } = spending;
    const holdsNothing = hold.reservationId === undefined && ledger.length === 0;
    if (step.beside === true && step.claim === undefined && holdsNothing && !this.isLogAway) {
      return this.recordBeside(step, { ...stored, hold });
    }
    try {
      return await this.record(step, { ...stored, hold }, ledger);
    } catch (error) {
      await hold.release();
      throw error;
    }
  }

  /** Records a refusal by a budget. @returns the error for the client */
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

  /**
   * Lets the call continue while its request is stored. The relay waits for the record before it forwards any part of
   * an answer.
   */
  private recordBeside<Answer extends RememberedAnswer>(
    { money, call }: CallStep<Answer>,
    stored: Stored,
  ): Recorded<Answer> {
    const { event } = stored;
    const request = appendOf(event, { session: this.sessions.stepOf(money, call, event, undefined) });
    const inLog = this.append(event, request, 'in the log');
    let wasAway = false;
    // Code that awaits `stored` receives the error. The log may be available again before the call ends.
    inLog.catch((error: unknown) => (wasAway = error instanceof WeirError && isAway(error.cause)));
    const keep = (): void => {
      if (wasAway) this.journal.keep(request);
    };
    return { ...stored, outcome: 'recorded', inFlight: { stored: inLog, keep } };
  }

  private async record<Answer extends RememberedAnswer>(
    { claim, money, call }: CallStep<Answer>,
    stored: Stored,
    ledger: readonly LedgerStep[],
    { where = 'in the log', judgedBy }: { readonly where?: Where; readonly judgedBy?: number | undefined } = {},
  ): Promise<Recorded<Answer>> {
    const answer = await claim?.passed(stored);
    const claimed = claim && answer && { fingerprint: claim.fingerprint, answer };
    const { verdict, event } = stored;
    // A refused answer never reached the client, so it is not a step of the session.
    const session = refuses(verdict.decision) ? undefined : this.sessions.stepOf(money, call, event, judgedBy);
    await this.store(event, { ledger, claim: claimed, session }, where);
    return { ...stored, outcome: 'recorded', ...(answer === undefined ? {} : { answer }) };
  }

  /** Stores an event with its violations, and resolves after the commit. */
  private store(event: NewEvent, more: StoredWith = {}, where: Where = 'in the log'): Promise<void> {
    return this.append(event, appendOf(event, more), where);
  }

  private async append(event: NewEvent, request: AppendRequest, where: Where): Promise<void> {
    noteOnCall(() => spanAttributes(event));
    let appended: AppendResult;
    try {
      appended = await spanned('append', () => this.log.append(request));
    } catch (cause) {
      this.isLogAway = isAway(cause);
      if (this.isLogAway && where !== 'in the log' && this.journal.keep(request)) return;
      const isInProgress = cause instanceof EventIdInProgress;
      throw new NotRecorded(
        isInProgress ? new WeirError('in_progress', { cause, retryAfterSeconds: 1 }) : toWeirError(cause),
      );
    }
    this.isLogAway = false;
    if (appended.outcome === 'session_moved') throw new SessionMoved();
    if (appended.outcome === 'duplicate') throw new StoredBefore(appended.stored);
    if (appended.reservation === 'lost') throw new NotRecorded(new WeirError('unavailable', { retryAfterSeconds: 1 }));
  }
}

/** Whether the log refused a record that it may accept later. */
function isAway(cause: unknown): boolean {
  return cause instanceof EventLogUnavailable || cause instanceof EventLogOverloaded;
}

/** No client can retry with an id that the service has just created, so no answer is kept. */
const UNCLAIMED = { fingerprint: Buffer.alloc(0) };

/** An event in the form that the log accepts, with its violations and related data. */
function appendOf(event: NewEvent, { ledger = [], others = [], claim, session }: StoredWith): AppendRequest {
  const violations = violationEvents(event, event.violations, () => newEventId(event.receivedAt));
  const known = session === undefined ? {} : { session };
  return { event, children: [...violations, ...others], ledger, ...known, idempotency: claim ?? UNCLAIMED };
}

function eventOf(
  { type, money, eventId }: CallStep,
  receivedAt: Date,
  { judgement, verdict }: Judged,
  content: EventContent,
): NewEvent {
  const { caller, source, policy, context } = money;
  const { violations, redactions, decision } = verdict;
  const { addedBytes: _counted, latencyMs, reason, payload, marks, ...extras } = content;
  const id = newEventId(receivedAt);
  const keeps = policy.policy.content !== 'none';
  return draftEvent(
    {
      id,
      eventId: eventId ?? id,
      type,
      caller,
      source,
      declaredEnvironment: context.declaredEnvironment,
      policy,
      judgement,
      violations,
      redactions,
      latencyMs,
      receivedAt,
    },
    { ...extras, ...(keeps ? { payload, marks } : {}), decision, reason: verdict.reason ?? reason },
  );
}
