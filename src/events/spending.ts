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
  /** The call counts for the windows that hold this instant. */
  readonly receivedAt: Date;
  readonly policy: ActivePolicy;
  readonly context: CallContext;
  /** The request; for an `ai.response` that was told, the answer. */
  readonly call: DecodedCall;
  readonly doc?: JsonDocument;
  readonly requestId?: string;
  /** Of a proxied call: where it goes. */
  readonly route?: CallRoute;
}

export interface CallRoute {
  readonly method: string;
  /** Below the provider's base URL, with the query. */
  readonly path: string;
  readonly governed: boolean;
  /** It counts tokens, which nobody asks money for. */
  readonly countsOnly?: true;
  readonly baseUrl: string;
}

/** What a call holds until it ends. */
export interface Hold {
  /** Absent when nothing had to be held: what the call costs is counted at its end. */
  readonly reservationId?: string;
  /** Takes it back: the call does not go on. Never rejects; what it cannot take back ends with its lease. */
  release(): Promise<void>;
}

/** What the money side says to a call that the rules let pass. `children` are stored with the event. */
export type SpendingOutcome =
  | {
      readonly outcome: 'granted';
      readonly hold: Hold;
      /** For the event that lets a proxied call go on. */
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
  /** False where nothing may be refused: a watching policy, or a caller who asked only to be watched. */
  readonly enforced: boolean;
  /** What redaction adds to the request, in UTF-8 bytes. */
  readonly addedBytes: number;
}

/** An event that ends a call, with what it cost and what that means for budgets. */
export interface EndedCall {
  readonly event: NewEvent;
  readonly ledger: readonly LedgerStep[];
}

/** What a call may spend and did. Who answers is said in `src/composition.ts`. */
export abstract class Spending {
  /**
   * What the policy's budgets have used, for this call.
   * @throws WeirError `unavailable`
   */
  abstract known(call: SpendingCall): Promise<BudgetLedger>;
  /** Holds what the call may cost. @throws WeirError `unavailable` */
  abstract reserve(call: SpendingCall, options: ReserveOptions): Promise<SpendingOutcome>;
  /**
   * @param event `ai.response`, or `ai.error` with the usage that is known of it; without any, it cost nothing
   * @param hold of a proxied call; a told one is found by its request id
   * @throws WeirError `unavailable`
   */
  abstract ended(call: SpendingCall, event: NewEvent, hold?: Hold): Promise<EndedCall>;
  /** What a call holds that another process may have let go on. @throws WeirError `unavailable` */
  abstract holdOf(caller: Caller, id: string): Promise<Hold>;
}

/** Where money plays no part: everything is granted, nothing is priced. */
export const NO_SPENDING = {
  known: () => Promise.resolve(SILENT_LEDGER),
  reserve: () => Promise.resolve({ outcome: 'granted', hold: { release: () => Promise.resolve() }, ledger: [] }),
  ended: (_call, event) => Promise.resolve({ event, ledger: [] }),
  holdOf: () => Promise.resolve({ release: () => Promise.resolve() }),
} satisfies Spending;
