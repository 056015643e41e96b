import type { BudgetState } from '../../src/core/index.js';
import { textOption, type ArgsOf } from '../command.js';
import { usageError } from '../exit-code.js';
import { scopeText } from './budget-table.js';
import { environmentFlag } from '../vocabulary.js';

/** The flags that select one window of a budget. */
export const WINDOW_OPTIONS = {
  ...environmentFlag('needed if there are several'),
  scope: textOption('Scope of the budget, as shown by `weir budgets list`, such as metadata.team=payments'),
  window: textOption('Window id, as shown by `weir budgets show`'),
} as const;

export type WindowFlags = ArgsOf<typeof WINDOW_OPTIONS>;

/** @throws CliError (exit 2) if the flags match no window, or several */
export function chosenWindow(states: readonly BudgetState[], { scope, window }: WindowFlags): BudgetState {
  const meant = states.filter(
    (state) =>
      state.period_id !== null &&
      (window === undefined || state.period_id === window) &&
      (scope === undefined || scopeText(state.scope) === scope),
  );
  const [only, ...others] = meant;
  if (only === undefined) throw usageError('no window with recorded spending matches. See: weir budgets show');
  if (others.length > 0) {
    const scopes = [...new Set(meant.map((state) => `${state.environment}: ${scopeText(state.scope)}`))];
    throw usageError(`several windows match: use --env, --scope or --window; scopes: ${scopes.join(', ')}`);
  }
  return only;
}
