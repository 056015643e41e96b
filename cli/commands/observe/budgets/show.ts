import { z } from 'zod';
import { BUDGET_STATE, type BudgetState } from '../../../../src/core/index.js';
import { SERVER_OPTIONS } from '../../../api/index.js';
import { BudgetClient } from '../../../budgets/budget-client.js';
import { budgetTable, money, scopeText } from '../../../budgets/budget-table.js';
import { defineCommand } from '../../../command.js';
import { EXIT } from '../../../exit-code.js';
import { write } from '../../../io.js';
import { plural } from '../../../output/plural.js';
import { environmentFlag } from '../../../vocabulary.js';

const OUTPUT = z.strictObject({ schemaVersion: z.literal(1), budgets: z.array(BUDGET_STATE) });

/** `weir budgets show`: shows one budget, with one line for each value of its scope. */
export const budgetsShow = defineCommand({
  usage: 'show <budget>',
  summary: 'Show one budget across all of its scopes',
  positionals: {
    budget: { type: 'string', demandOption: true, describe: 'Budget id in the policy' },
  },
  options: {
    ...SERVER_OPTIONS,
    ...environmentFlag(),
    past: {
      type: 'boolean',
      default: false,
      describe: 'Include past windows',
    },
  },
  output: OUTPUT,

  async run(args, { io }) {
    const client = await BudgetClient.of(args, io);
    const budgets = await client.states(args, args.budget);
    const text = `${budgetTable(budgets)}${budgets.map(detail).join('')}`;
    await write(io.stdout, args.json ? `${JSON.stringify({ schemaVersion: 1, budgets })}\n` : text);
    return { exit: EXIT.ok, words: plural(budgets.length, 'window') };
  },
});

/** The window id, which a correction needs, the remaining amount, and the warnings so far. */
function detail(state: BudgetState): string {
  if (state.period_id === null) return '';
  const warnings = state.warned.map(({ ratio, at }) => `${ratio * 100}% at ${at}`);
  if (state.exceeded_at !== null) warnings.push(`limit crossed at ${state.exceeded_at}`);
  const lines = [
    `${scopeText(state.scope)}: window ${state.period_id}, ${money(state, state.remaining)} left`,
    ...warnings,
  ];
  return `\n${lines.join('\n  ')}\n`;
}
