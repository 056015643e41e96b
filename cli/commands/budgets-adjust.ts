import type { Argv } from 'yargs';
import { z } from 'zod';
import { BUDGET_STATE } from '../../src/core/index.js';
import { serverOptions } from '../api/index.js';
import { BudgetClient, type BudgetFlags } from '../budgets/budget-client.js';
import { budgetTable, money } from '../budgets/budget-table.js';
import { chosenWindow, windowOptions, type WindowFlags } from '../budgets/chosen-window.js';
import type { Command, GlobalArgs } from '../command.js';
import { EXIT, usageError } from '../exit-code.js';
import { write } from '../io.js';

interface BudgetsAdjustArgs extends GlobalArgs, BudgetFlags, WindowFlags {
  readonly budget: string;
  readonly by: string;
  readonly because: string;
}

const OUTPUT = z.strictObject({ schemaVersion: z.literal(1), budget: BUDGET_STATE });

/** `weir budgets adjust`: corrects what a budget has used; the reason stays with the entry. */
export const budgetsAdjust: Command<BudgetsAdjustArgs> = {
  output: OUTPUT,

  build(parser) {
    const built = serverOptions(parser)
      .positional('budget', { type: 'string', demandOption: true, describe: 'Budget id in the policy' })
      .option('by', {
        type: 'string',
        requiresArg: true,
        demandOption: true,
        describe: 'Amount to add to the spending, in dollars or tokens; --by=-2.50 subtracts',
      })
      .option('because', { type: 'string', requiresArg: true, demandOption: true, describe: 'Reason' });
    return windowOptions(built).example(
      '$0 budgets adjust team-day --scope metadata.team=a --by=-2.50 --because "double charge, TICKET-7"',
      'take off what was counted wrongly',
    ) as unknown as Argv<BudgetsAdjustArgs>;
  },

  async run(args, { io }) {
    if (!/^-?\d{1,12}(?:\.\d{1,9})?$/.test(args.by)) throw usageError('--by takes a number such as 2.50 or -2.50');
    const client = await BudgetClient.of(args, io);
    const states = await client.states({ env: args.env, past: args.window !== undefined }, args.budget);
    const chosen = chosenWindow(states, args);
    const budget = await client.adjust(args.budget, {
      period_id: chosen.period_id,
      amount: args.by,
      because: args.because,
    });
    await write(io.stdout, args.json ? `${JSON.stringify({ schemaVersion: 1, budget })}\n` : budgetTable([budget]));
    return { exit: EXIT.ok, words: `${args.budget} has used ${money(budget, budget.used)} now` };
  },
};
