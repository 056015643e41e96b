/**
 * The interface between the pipelines and the code for budgets and prices. That code is above the log in the order of folders; the log
 * only executes its changes in its own transaction.
 */
import type { Caller } from '../access/index.js';
import {
  SILENT_LEDGER,
  type BudgetLedger,
  type CallContext,
  type DecodedCall,
  type JsonDocument,
  type LedgerStep,
} from '../core/index.js';
import type { ActivePolicy } from '../policy-store/index.js';
import type { EventSource, NewEvent } from './event.js';

/** A call that may cost money. */
export interface SpendingCall {
  readonly caller: Caller;
  readonly source: EventSource;
  /** The call counts for the windows that contain this instant. */
  readonly receivedAt: Date;
  readonly policy: ActivePolicy;
  readonly context: CallContext;
  /** The request; for a submitted `ai.response`, the answer. */
  readonly call: DecodedCall;
  readonly doc?: JsonDocument;
  readonly requestId?: string;
  /** The destination of a proxied call. */
  readonly route?: CallRoute;
}

export interface CallRoute {
  readonly method: string;
  /** Below the provider's base URL, with the query. */
  readonly path: string;
  readonly governed: boolean;
  /** True for a call that only counts tokens, which is free. */
  readonly countsOnly?: true;
  readonly baseUrl: string;
}

/** The reservation of a call until it ends. */
export interface Hold {
  /** Absent if nothing had to be reserved: the cost of the call is counted at its end. */
  readonly reservationId?: string;
  /**
   * Releases the reservation because the call is not continued. Never rejects; a reservation that cannot be released ends with its
   * lease.
   */
  release(): Promise<void>;
}

/** The budgets' answer to a call that the rules allow. `children` are stored with the event. */
export type SpendingOutcome =
  | {
      readonly outcome: 'granted';
      readonly hold: Hold;
      /** The ledger steps of the event that is stored before a proxied call continues. */
      readonly ledger: readonly LedgerStep[];
    }
  | {
      readonly outcome: 'denied';
      readonly reason: 'budget_exceeded' | 'budget_reserved';
      readonly message: string;
      readonly retryAfterSeconds?: number;
      readonly children: readonly NewEvent[];
    };

export interface ReserveOptions {
  /** The `ai.request` event as it is about to be stored. */
  readonly event: NewEvent;
  /** False if nothing may be refused, because the policy or the caller requires monitoring only. */
  readonly enforced: boolean;
  /** The size that redaction adds to the request, in UTF-8 bytes. */
  readonly addedBytes: number;
}

/** An event that ends a call, with its cost and its effects on budgets. */
export interface EndedCall {
  readonly event: NewEvent;
  readonly ledger: readonly LedgerStep[];
}

/**
 * The amounts that a call may spend and has spent. `src/composition.ts` binds the implementation.
 */
export abstract class Spending {
  /**
   * The usage of the policy's budgets, for this call.
   * @throws WeirError `unavailable`
   */
  abstract known(call: SpendingCall): Promise<BudgetLedger>;
  /** Reserves the upper bound of the call's cost. @throws WeirError `unavailable` */
  abstract reserve(call: SpendingCall, options: ReserveOptions): Promise<SpendingOutcome>;
  /**
   * @param event `ai.response`, or `ai.error` with its known usage; without usage it cost nothing
   * @param hold the hold of a proxied call; the hold of a submitted call is found by its request id
   * @throws WeirError `unavailable`
   */
  abstract ended(call: SpendingCall, event: NewEvent, hold?: Hold): Promise<EndedCall>;
  /**
   * The reservation of a call that another process may have continued.
   * @throws WeirError `unavailable`
   */
  abstract holdOf(caller: Caller, id: string): Promise<Hold>;
}

/** For use without budgets: every call is granted, and none is priced. */
export const NO_SPENDING = {
  known: () => Promise.resolve(SILENT_LEDGER),
  reserve: () => Promise.resolve({ outcome: 'granted', hold: { release: () => Promise.resolve() }, ledger: [] }),
  ended: (_call, event) => Promise.resolve({ event, ledger: [] }),
  holdOf: () => Promise.resolve({ release: () => Promise.resolve() }),
} satisfies Spending;
