import type { Argv } from 'yargs';
import type { BudgetState } from '../../src/core/index.js';
import { usageError } from '../exit-code.js';
import { scopeText } from './budget-table.js';

/** Which of a budget's windows is meant. */
export interface WindowFlags {
  readonly env: string | undefined;
  readonly scope: string | undefined;
  readonly window: string | undefined;
}

/** Adds the flags that name one window of a budget. */
export function windowOptions<Args>(parser: Argv<Args>): Argv<Args & WindowFlags> {
  return parser
    .option('env', { type: 'string', requiresArg: true, describe: 'Environment; needed if there are several' })
    .option('scope', {
      type: 'string',
      requiresArg: true,
      describe: 'Scope of the budget, as shown by `weir budgets list`, such as metadata.team=payments',
    })
    .option('window', {
      type: 'string',
      requiresArg: true,
      describe: 'Window id, as shown by `weir budgets show`',
    }) as unknown as Argv<Args & WindowFlags>;
}

/** @throws CliError (exit 2) when none or several are meant */
export function chosenWindow(states: readonly BudgetState[], { scope, window }: WindowFlags): BudgetState {
  const meant = states.filter(
    (state) =>
      state.period_id !== null &&
      (window === undefined || state.period_id === window) &&
      (scope === undefined || scopeText(state.scope) === scope),
  );
  const [only, ...others] = meant;
  if (only === undefined) throw usageError('nothing was used in such a window yet. See: weir budgets show');
  if (others.length > 0) {
    const scopes = [...new Set(meant.map((state) => `${state.environment}: ${scopeText(state.scope)}`))];
    throw usageError(`which one? Use --env, --scope or --window; there are: ${scopes.join(', ')}`);
  }
  return only;
}
