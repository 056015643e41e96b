import type { Environment } from '../../core/index.js';
import type { WindowLength } from '../window.js';

export type BudgetUnit = 'usd' | 'tokens';

/** One budget's window for one scope, as stored in the ledger. Amounts are nano-dollars or tokens. */
export interface PeriodState {
  readonly accountId: string;
  readonly id: string;
  readonly environment: Environment;
  readonly budget: string;
  readonly unit: BudgetUnit;
  readonly per: WindowLength;
  readonly timezone: string;
  /** The owner of the window in the form that people see: masked. */
  readonly scope: Readonly<Record<string, string | null>>;
  readonly startMs: number;
  readonly endMs?: number;
  readonly onExceed: 'record' | 'block';
  readonly limit: bigint;
  readonly settled: bigint;
  readonly reserved: bigint;
}

/** A budget's window and scope; the ledger creates it if it is missing. */
export interface PeriodRequest {
  readonly accountId: string;
  readonly environment: Environment;
  readonly budget: string;
  readonly unit: BudgetUnit;
  readonly per: WindowLength;
  readonly timezone: string;
  /** Keyed hash of the scope's values. */
  readonly scope: string;
  readonly scopeLabel: Readonly<Record<string, string | null>>;
  readonly nowMs: number;
  readonly startMs: number;
  readonly endMs?: number;
  readonly limit: bigint;
  readonly warnAt: readonly number[];
  readonly onExceed: 'record' | 'block';
}

/** Upper bound of the cost of one call in one period. */
export interface HeldCharge {
  readonly periodId: string;
  /** Upper bound, in the period's unit. */
  readonly amount: bigint;
  readonly limit: bigint;
  /** Whether the budget blocks: only then is the amount reserved, and can the call be denied. */
  readonly blocks: boolean;
}

export interface ReserveCall {
  readonly accountId: string;
  /** UUID of the call's `ai.request` event. */
  readonly id: string;
  readonly environment: Environment;
  readonly appId: string;
  readonly requestId?: string;
  readonly source: 'rest' | 'proxy';
  readonly leaseMs: number;
  readonly charges: readonly HeldCharge[];
}

export type ReserveResult =
  | { readonly outcome: 'granted' | 'duplicate' }
  | { readonly outcome: 'budget_exceeded' | 'budget_reserved'; readonly by: PeriodState };

/** The effect of a step; `step` is the index of this step in the list of applied steps. */
export type LedgerEvent =
  | { readonly what: 'crossed'; readonly step: number; readonly period: PeriodState }
  | { readonly what: 'warned'; readonly step: number; readonly period: PeriodState; readonly ratio: number }
  | { readonly what: 'overrun'; readonly step: number; readonly unit: BudgetUnit; readonly by: bigint }
  /** The reservation no longer exists, so the call must not continue. */
  | { readonly what: 'lost'; readonly step: number }
  | { readonly what: 'counted_before'; readonly step: number };

/** The calls that a sweep ended. */
export interface Swept {
  readonly expired: number;
  readonly estimated: number;
  readonly ledgerEvents: readonly (LedgerEvent & { readonly accountId: string; readonly reservationId: string })[];
}
