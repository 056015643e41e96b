/** The commands `weir budgets …`. Their shared code is in cli/budgets. */
import { z } from 'zod';
import { BUDGET_STATE } from '../../../../src/core/index.js';
import { SERVER_OPTIONS } from '../../../api/index.js';
import { BudgetClient } from '../../../budgets/budget-client.js';
import { budgetTable, money } from '../../../budgets/budget-table.js';
import { WINDOW_OPTIONS } from '../../../budgets/select-window.js';
import { defineCommand } from '../../../command.js';
import { EXIT, usageError } from '../../../exit-code.js';
import { write } from '../../../io.js';

const OUTPUT = z.strictObject({ schemaVersion: z.literal(1), budget: BUDGET_STATE });

/** `weir budgets adjust`: corrects the used amount of a budget; the reason is stored with the entry. */
export const budgetsAdjust = defineCommand({
  usage: 'adjust <budget>',
  summary: 'Correct the recorded spending, with a reason',
  positionals: {
    budget: { type: 'string', demandOption: true, describe: 'Budget id in the policy' },
  },
  options: {
    ...SERVER_OPTIONS,
    by: {
      type: 'string',
      requiresArg: true,
      demandOption: true,
      describe: 'Amount to add to the spending, in dollars or tokens; --by=-2.50 subtracts',
    },
    because: { type: 'string', requiresArg: true, demandOption: true, describe: 'Reason' },
    ...WINDOW_OPTIONS,
  },
  examples: [
    [
      '$0 budgets adjust team-day --scope metadata.team=a --by=-2.50 --because "double charge, TICKET-7"',
      'subtract an amount that was counted by mistake',
    ],
  ],
  output: OUTPUT,

  async run(args, { io }) {
    if (!/^-?\d{1,12}(?:\.\d{1,9})?$/.test(args.by)) throw usageError('--by takes a number such as 2.50 or -2.50');
    const client = await BudgetClient.of(args, io);
    const chosen = await client.window(args, args.budget);
    const budget = await client.adjust(args.budget, {
      period_id: chosen.period_id,
      amount: args.by,
      because: args.because,
    });
    await write(io.stdout, args.json ? `${JSON.stringify({ schemaVersion: 1, budget })}\n` : budgetTable([budget]));
    return { exit: EXIT.ok, words: `the recorded spending of ${args.budget} is now ${money(budget, budget.used)}` };
  },
});
