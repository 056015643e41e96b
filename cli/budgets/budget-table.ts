import type { BudgetState } from '../../src/core/index.js';
import { columns, minuteText } from '../output/columns.js';

const HEAD = ['BUDGET', 'ENVIRONMENT', 'SCOPE', 'WINDOW', 'USED', 'HELD', 'LIMIT', 'SHARE', ''];

/** One line per budget, scope and window; for a given event, also the amount charged for it. */
export function budgetTable(states: readonly BudgetState[]): string {
  const isCharged = states.some(({ charged }) => charged !== undefined);
  return columns(
    isCharged ? ['CHARGED', ...HEAD] : HEAD,
    states.map((state) => [
      ...(isCharged ? [money(state, state.charged ?? '0')] : []),
      state.budget,
      state.environment,
      scopeText(state.scope),
      windowText(state),
      money(state, state.used),
      money(state, state.reserved),
      money(state, state.limit),
      `${Math.round(state.used_ratio * 1000) / 10}%`,
      state.exceeded_at === null ? state.on_exceed : `${state.on_exceed}, exceeded`,
    ]),
  );
}

/** The scope of a budget that has none. */
export const NO_SCOPE = '-';

/** A scope such as `metadata.team=payments`. */
export function scopeText(scope: BudgetState['scope']): string {
  const parts = Object.entries(scope).map(([name, value]) => `${name}=${value ?? '(none)'}`);
  return parts.length === 0 ? NO_SCOPE : parts.join(' ');
}

export function money({ unit }: Pick<BudgetState, 'unit'>, amount: string): string {
  return unit === 'usd' ? `$${amount}`.replace('$-', '-$') : amount;
}

function windowText({ window: { per, start } }: BudgetState): string {
  return per === 'total' ? 'total' : `${per} from ${minuteText(start)}Z`;
}
