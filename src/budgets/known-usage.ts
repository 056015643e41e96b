import type { BudgetLedger, BudgetUsage } from '../core/index.js';
import type { PeriodState } from './ledger/ledger-types.js';

const NOTHING: BudgetUsage = { used: 0n, reserved: 0n };

/** The ledger as the rules of one call see it: the windows of the call, read once when the call arrived. */
export class KnownUsage implements BudgetLedger {
  /** @param periods by the budget's id; undefined where nothing was spent in the window yet */
  constructor(private readonly periods: ReadonlyMap<string, PeriodState | undefined>) {}

  usageOf(budget: string): BudgetUsage | undefined {
    if (!this.periods.has(budget)) return undefined;
    const period = this.periods.get(budget);
    return period === undefined ? NOTHING : { used: period.settled, reserved: period.reserved };
  }
}
