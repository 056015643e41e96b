import type { z } from 'zod';
import type { BudgetDefinition } from '../model/compiled-policy.js';
import type { FactDefinition, FactSet } from '../model/fact.js';

/** The properties of a budget that its facts depend on. */
export interface BudgetTerms {
  /** The id in the policy. */
  readonly id: string;
  readonly unit: 'usd' | 'tokens';
  /** Nano-dollars or tokens. */
  readonly limit: bigint;
}

/** The amounts in a budget's window for one call, in nano-dollars or tokens. */
export interface BudgetUsage {
  /** The amount used by finished calls. */
  readonly used: bigint;
  /** The amount reserved by calls in flight. */
  readonly reserved: bigint;
}

/**
 * The interface to the ledger for one call. The service reads its own ledger; the command line has none, so there all amounts are zero.
 */
export interface BudgetLedger {
  /** Undefined if the ledger fails; then facts about the budget are unknown, not zero. */
  usageOf(budget: string): BudgetUsage | undefined;
}

/**
 * The third kind of plugin: it derives facts from the amounts of budgets, not from the call. Pure and synchronous; if it throws, its
 * facts are unknown.
 */
export interface LedgerPlugin<Options = unknown> {
  readonly kind: 'ledger';
  readonly meta: {
    readonly id: string;
    readonly version: string;
    readonly revision: number;
    readonly summary: `Reads ${string}.`;
    readonly options: z.ZodType<Options>;
  };
  /** The root of its facts' names: `<root>.<budget>.<what>`. Unique among all plugins. */
  readonly root: string;
  /** Every fact about one budget that `read` can return, for the registry. */
  facts(budget: BudgetTerms): readonly FactDefinition[];
  /** Derives the facts about one budget, by the last part of the facts' names; undefined if the ledger fails. */
  read(budget: BudgetTerms, ledger: BudgetLedger, options: Options): FactSet | undefined;
  /**
   * Usages for generated calls: those at which the fact equals `value`, else the closest ones below and above it. Empty if there are
   * none.
   */
  usagesAt(fact: FactDefinition, value: number, budget: BudgetTerms): readonly BudgetUsage[];
}

/** A budget's limit in nano-dollars or tokens. */
export function limitAmount(limit: BudgetDefinition['limit']): bigint {
  return limit.unit === 'usd' ? BigInt(limit.nanoUsd) : BigInt(limit.tokens);
}

/** The terms of a budget that plugins receive. */
export function budgetTerms({ id, limit }: Pick<BudgetDefinition, 'id' | 'limit'>): BudgetTerms {
  return { id, unit: limit.unit, limit: limitAmount(limit) };
}

/** A ledger without any usage, for judging without a real ledger. */
export const NOTHING_USED: BudgetLedger = { usageOf: () => ({ used: 0n, reserved: 0n }) };

/** A ledger that fails or was not read. */
export const SILENT_LEDGER: BudgetLedger = { usageOf: () => undefined };
