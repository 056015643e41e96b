import type { z } from 'zod';
import type { BudgetDefinition } from '../model/compiled-policy.js';
import type { FactDefinition, FactSet } from '../model/fact.js';

/** The properties of a budget that facts about it need. */
export interface BudgetTerms {
  /** As the policy names it. */
  readonly id: string;
  readonly unit: 'usd' | 'tokens';
  /** Nano-dollars or tokens. */
  readonly limit: bigint;
}

/** What the window of a budget that a call counts for looks like in the ledger. Nano-dollars or tokens. */
export interface BudgetUsage {
  /** What calls that are over have taken. */
  readonly used: bigint;
  /** What calls in flight hold. */
  readonly reserved: bigint;
}

/** The ledger, as one call sees it: a port. The service reads its own ledger; a command line has none, so nothing is used. */
export interface BudgetLedger {
  /** Undefined while the ledger does not answer: what follows from it is unknown then, not zero. */
  usageOf(budget: string): BudgetUsage | undefined;
}

/**
 * The third kind of plugin: it reads what budgets have used, not the call, and answers with facts. Pure and synchronous; a
 * throw makes its facts unknown.
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
  /** What the names of its facts begin with: `<root>.<budget>.<what>`. Unique over all plugins. */
  readonly root: string;
  /** Every fact about one budget that `read` can give, for the registry. */
  facts(budget: BudgetTerms): readonly FactDefinition[];
  /** What is known of one budget, by the last part of the facts' names; undefined: the ledger does not answer. */
  read(budget: BudgetTerms, ledger: BudgetLedger, options: Options): FactSet | undefined;
  /**
   * Usages at which one of its facts is about as great as `value`, on both sides where it cannot be met: what whoever makes up
   * calls has to try. None where there are none.
   */
  usagesAt(fact: FactDefinition, value: number, budget: BudgetTerms): readonly BudgetUsage[];
}

/** A budget's limit in nano-dollars or tokens. */
export function limitAmount(limit: BudgetDefinition['limit']): bigint {
  return limit.unit === 'usd' ? BigInt(limit.nanoUsd) : BigInt(limit.tokens);
}

/** What plugins are told of a budget. */
export function budgetTerms({ id, limit }: Pick<BudgetDefinition, 'id' | 'limit'>): BudgetTerms {
  return { id, unit: limit.unit, limit: limitAmount(limit) };
}

/** Nobody has spent anything: without a ledger there is nothing else to judge by. */
export const NOTHING_USED: BudgetLedger = { usageOf: () => ({ used: 0n, reserved: 0n }) };

/** The ledger does not answer, or nobody asked it. */
export const SILENT_LEDGER: BudgetLedger = { usageOf: () => undefined };
