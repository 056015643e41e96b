import { AccessUnavailable, type Caller } from '../access/index.js';
import {
  definedFields,
  type BudgetDefinition,
  type BudgetLedger,
  type KeyedHash,
  type LedgerStep,
} from '../core/index.js';
import { DatabaseError, DatabaseUnavailable, type TenantSql } from '../database/index.js';
import type {
  EndedCall,
  Hold,
  NewEvent,
  ReserveOptions,
  Spending,
  SpendingCall,
  SpendingOutcome,
} from '../events/index.js';
import { WeirError } from '../http/index.js';
import { amountText } from './amounts.js';
import { budgetEvent } from './budget-events.js';
import { amountsOf, answersLater, isFree, type CallCost } from './call-cost.js';
import { amountIn, periodRequests, type Amounts, type StoredNames } from './charges.js';
import { KnownUsage } from './known-usage.js';
import { OpenCalls } from './ledger/open-calls.js';
import { isReserved, readPeriods } from './ledger/ledger.js';
import type { HeldCharge, PeriodRequest, PeriodState } from './ledger/ledger-types.js';
import type { PeriodBook } from './ledger/period-book.js';
import type { Reserver } from './ledger/reserver.js';
import type { BudgetMetrics } from './budget-metrics.js';
import type { RequestModels } from './request-models.js';

/**
 * The lease of a proxied call is renewed while this process works on it; the other leases are not renewed: they are the time that a
 * client has to report the end.
 */
const LEASE_MS: Readonly<Record<SpendingCall['source'], number>> = {
  proxy: 60_000,
  calls: 10 * 60_000,
  rest: 10 * 60_000,
};
const RETRY_AFTER_SECONDS = 1;
const NOTHING_HELD: Hold = { release: () => Promise.resolve() };

export interface SpendingParts {
  readonly sql: TenantSql;
  readonly cost: CallCost;
  readonly periods: PeriodBook;
  readonly reserver: Reserver;
  readonly open: OpenCalls;
  readonly models: RequestModels;
  readonly metrics: BudgetMetrics;
  /** The account's key for hashes of scopes. */
  hashOf(accountId: string): Promise<KeyedHash>;
}

/** A budget of a call, with the window in which the call counts. */
interface Counted {
  readonly budget: BudgetDefinition;
  readonly request: PeriodRequest;
}

/** Budgets for the pipelines: used amounts, the reservation before a call, and the settlement after it. */
export class BudgetSpending implements Spending {
  constructor(private readonly parts: SpendingParts) {}

  known(call: SpendingCall): Promise<BudgetLedger> {
    if (hasNone(call)) return NOTHING_KNOWN;
    return available(async () => {
      const counted = await this.counted(call);
      const states = await this.parts.periods.usage(counted.map(({ request }) => request));
      return new KnownUsage(new Map(counted.map(({ budget }, index) => [budget.id, states[index]])));
    });
  }

  reserve(call: SpendingCall, options: ReserveOptions): Promise<SpendingOutcome> {
    if (hasNone(call)) return GRANTED;
    return available(async () => {
      const blocks = options.enforced && !call.policy.policy.monitor;
      const counted = await this.counted(call, options.event);
      const enforcing = counted.filter(({ budget }) => blocks && budget.onExceed === 'block');
      if (isFree(call)) return granted();
      // The end of some calls does not report their cost, so their upper bound is kept until then.
      const isHeld = enforcing.length > 0 || call.source === 'rest' || answersLater(call);
      if (!isHeld) {
        // Caches the ids of the budgets' windows, so that the end of the call can name them even if the database is unavailable.
        await Promise.all(counted.map(({ request }) => this.parts.periods.idOf(request)));
        return granted();
      }
      const amounts = await this.parts.cost.atMost(call, options.addedBytes);
      const unpriced = enforcing.find(
        ({ budget }) => budget.onUnknownPrice !== 'allow' && amountIn(budget, amounts) === undefined,
      );
      if (unpriced !== undefined) return this.refuseUnpriced(call, unpriced, options.event);
      return this.hold(call, counted, enforcing, amounts, options.event);
    });
  }

  ended(call: SpendingCall, event: NewEvent, hold?: Hold): Promise<EndedCall> {
    return available(async () => {
      try {
        return await this.endOf(call, event, hold);
      } finally {
        // The call has ended even if its cost cannot be determined now: its lease must not be renewed forever.
        if (hold?.reservationId !== undefined) this.parts.open.delete(hold.reservationId);
      }
    });
  }

  private async endOf(call: SpendingCall, event: NewEvent, hold: Hold | undefined): Promise<EndedCall> {
    const named = needsModel(call, event) ? await this.withModel(call, event) : { call, event };
    const { costNanoUsd, priceVersion, usage } = this.parts.cost.priced(named.call, named.event);
    const { usage: _usage, ...rest } = event;
    const priced = { ...rest, ...definedFields({ usage, costNanoUsd, priceVersion }) };
    if (priced.usage !== undefined && priced.costNanoUsd === undefined) this.parts.metrics.unpriced(event);
    const failed = event.type === 'ai.error' && event.usage === undefined;
    const amounts = amountsOf(priced);
    const ledger =
      call.source === 'rest'
        ? await this.endSteps(named.call, priced, amounts, failed)
        : await this.proxied(call, priced, amounts, failed, hold);
    return { event: priced, ledger };
  }

  holdOf({ accountId }: Caller, id: string): Promise<Hold> {
    return available(async () => {
      const isHeld = await isReserved(this.parts.sql.forAccounts(accountId), accountId, id);
      const release = (): Promise<void> => this.parts.open.release(accountId, id);
      return isHeld ? { reservationId: id, release } : NOTHING_HELD;
    });
  }

  private async counted(call: SpendingCall, stored: StoredNames = {}): Promise<Counted[]> {
    const { budgets } = call.policy.policy;
    if (budgets.length === 0) return [];
    const hash = await this.parts.hashOf(call.caller.accountId);
    const requests = periodRequests(call, hash, call.receivedAt.getTime(), stored);
    return budgets.map((budget, index) => ({ budget, request: requests[index]! }));
  }

  private async hold(
    call: SpendingCall,
    counted: readonly Counted[],
    enforcing: readonly Counted[],
    amounts: Amounts,
    event: NewEvent,
  ): Promise<SpendingOutcome> {
    const { reserver, periods, metrics } = this.parts;
    const charges = await Promise.all(
      counted.map(async (each): Promise<HeldCharge> => {
        const amount = amountIn(each.budget, amounts) ?? 0n;
        const periodId = await periods.idOf(each.request);
        return { periodId, amount, limit: each.request.limit, blocks: enforcing.includes(each) };
      }),
    );
    const { caller, source, requestId } = call;
    const { accountId, appId, environment } = caller;
    const result = await reserver.reserve({
      ...{ accountId, id: event.id, environment, appId, leaseMs: LEASE_MS[source], charges },
      // The ledger distinguishes proxied calls, which end under their own id, and calls reported over REST.
      source: source === 'rest' ? 'rest' : 'proxy',
      ...(requestId === undefined ? {} : { requestId }),
    });
    if (!('by' in result)) return this.held(call, event.id);
    metrics.denied(result.by, result.outcome);
    const needed = charges.find(({ periodId }) => periodId === result.by.id)!.amount;
    return {
      outcome: 'denied',
      reason: result.outcome,
      message: denialMessage(result.outcome, result.by, needed),
      ...(result.outcome === 'budget_reserved' ? { retryAfterSeconds: RETRY_AFTER_SECONDS } : {}),
      children: [budgetEvent(event, result.outcome, result.by, needed)],
    };
  }

  private held({ caller: { accountId }, source }: SpendingCall, id: string): SpendingOutcome {
    const { open } = this.parts;
    if (source === 'proxy') open.add(accountId, id);
    const release = (): Promise<void> => open.release(accountId, id);
    const ledger: LedgerStep[] = source === 'rest' ? [] : [{ do: 'dispatch', accountId, reservationId: id }];
    return { outcome: 'granted', hold: { reservationId: id, release }, ledger };
  }

  private async refuseUnpriced(
    call: SpendingCall,
    { budget, request }: Counted,
    event: NewEvent,
  ): Promise<SpendingOutcome> {
    const periodId = await this.parts.periods.idOf(request);
    const { accountId } = call.caller;
    const period = (await readPeriods(this.parts.sql.forAccounts(accountId), accountId, [periodId])).get(periodId)!;
    this.parts.metrics.denied(period, 'unknown_price');
    const problem =
      budget.limit.unit === 'usd'
        ? 'an unknown price: add a price under "prices", or set'
        : 'an unknown token count: set';
    return {
      outcome: 'denied',
      reason: 'budget_exceeded',
      message: `Budget "${budget.id}" blocks calls with ${problem} "on_unknown_price: allow"`,
      children: [budgetEvent(event, 'unknown_price', period)],
    };
  }

  /**
   * The steps for the end of a proxied call: they settle or release its reservation; without a reservation, they charge its cost to its
   * budgets.
   */
  private async proxied(
    call: SpendingCall,
    event: NewEvent,
    amounts: Amounts,
    failed: boolean,
    hold: Hold | undefined,
  ): Promise<LedgerStep[]> {
    const { accountId } = call.caller;
    const reservationId = hold?.reservationId;
    if (reservationId === undefined && hasNone(call)) return [];
    if (reservationId === undefined) return failed || isFree(call) ? [] : this.direct(call, event, amounts, undefined);
    if (failed) return [{ do: 'release', accountId, reservationId }];
    return [{ do: 'settle', accountId, eventId: event.id, reservationId, ...definedFields(amounts) }];
  }

  private async endSteps(
    call: SpendingCall,
    event: NewEvent,
    amounts: Amounts,
    failed: boolean,
  ): Promise<LedgerStep[]> {
    const { caller, requestId } = call;
    if (!failed) return this.direct(call, event, amounts, requestId);
    if (requestId === undefined || call.policy.policy.budgets.length === 0) return [];
    const { accountId, appId, environment } = caller;
    return [{ do: 'release', accountId, eventId: event.id, appId, environment, requestId, charges: [] }];
  }

  private async direct(
    call: SpendingCall,
    event: NewEvent,
    amounts: Amounts,
    requestId: string | undefined,
  ): Promise<LedgerStep[]> {
    const counted = await this.counted(call, event);
    if (counted.length === 0) return [];
    const { periods } = this.parts;
    // A reported end is judged by the policy in force; the policy of any other call may have been replaced since the call began.
    const idOf = (request: PeriodRequest): Promise<string> =>
      call.source === 'rest' ? periods.idOf(request) : periods.idAtEnd(request);
    const charges = await Promise.all(
      counted.flatMap(({ budget, request }) => {
        const actual = amountIn(budget, amounts);
        return actual === undefined ? [] : [idOf(request).then((periodId) => ({ periodId, actual }))];
      }),
    );
    if (charges.length === 0 && requestId === undefined) return [];
    const { accountId, appId, environment } = call.caller;
    const known = definedFields({ requestId, ...amounts });
    return [{ do: 'settle', accountId, eventId: event.id, appId, environment, ...known, charges }];
  }

  /** Completes a reported answer that lacks a model or provider with those of its request. */
  private async withModel(call: SpendingCall, event: NewEvent): Promise<{ call: SpendingCall; event: NewEvent }> {
    const { provider, model } = await this.parts.models.find(call.caller, call.requestId);
    const known = definedFields({ provider: event.provider ?? provider, model: event.model ?? model });
    return { call: { ...call, context: { ...call.context, ...known } }, event: { ...event, ...known } };
  }
}

function granted(): SpendingOutcome {
  return { outcome: 'granted', hold: NOTHING_HELD, ledger: [] };
}

/** The result for a call whose policy has no budgets: the ledger is not queried. */
const GRANTED = Promise.resolve(granted());
const NOTHING_KNOWN: Promise<BudgetLedger> = Promise.resolve(new KnownUsage(new Map()));

function hasNone({ policy }: SpendingCall): boolean {
  return policy.policy.budgets.length === 0;
}

/** Whether a reported answer lacks fields on which its price depends. */
function needsModel({ source, requestId }: SpendingCall, event: NewEvent): boolean {
  const isPriced = source === 'rest' && event.costNanoUsd === undefined && event.usage !== undefined;
  return isPriced && requestId !== undefined && (event.model === undefined || event.provider === undefined);
}

function denialMessage(reason: 'budget_exceeded' | 'budget_reserved', period: PeriodState, needed: bigint): string {
  const { budget, unit, limit, settled, reserved } = period;
  const text = (amount: bigint): string =>
    unit === 'usd' ? `$${amountText(unit, amount)}` : `${amountText(unit, amount)} tokens`;
  const state = `${text(settled)} of ${text(limit)} used, and this call may cost up to ${text(needed)}`;
  return reason === 'budget_exceeded'
    ? `Budget "${budget}" exceeded: ${state}`
    : `The rest of budget "${budget}" is reserved by calls in flight (${text(reserved)}): ${state}`;
}

/** Runs work that needs the ledger. A blocking budget fails closed: if the ledger is unavailable, the call is refused. */
async function available<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    const busy = cause instanceof DatabaseError && (cause.isLockTimeout || cause.isTransient);
    if (!(busy || cause instanceof DatabaseUnavailable || cause instanceof AccessUnavailable)) throw cause;
    throw new WeirError('unavailable', { cause, retryAfterSeconds: RETRY_AFTER_SECONDS });
  }
}
