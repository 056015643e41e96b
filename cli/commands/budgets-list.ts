import type { Argv } from 'yargs';
import { z } from 'zod';
import { BUDGET_STATE } from '../../src/core/index.js';
import { serverOptions } from '../api/index.js';
import { BudgetClient, type BudgetFlags } from '../budgets/budget-client.js';
import { budgetTable } from '../budgets/budget-table.js';
import type { Command, GlobalArgs } from '../command.js';
import { EXIT } from '../exit-code.js';
import { write } from '../io.js';
import { plural } from '../output/plural.js';

type BudgetsListArgs = GlobalArgs & BudgetFlags;

const OUTPUT = z.strictObject({ schemaVersion: z.literal(1), budgets: z.array(BUDGET_STATE) });

/** `weir budgets list`: what every budget has used in its window. */
export const budgetsList: Command<BudgetsListArgs> = {
  output: OUTPUT,

  build(parser) {
    return serverOptions(parser).option('env', {
      type: 'string',
      requiresArg: true,
      describe: 'Show one environment only',
    }) as unknown as Argv<BudgetsListArgs>;
  },

  async run(args, { io }) {
    const client = await BudgetClient.of(args, io);
    const budgets = await client.states({ env: args.env, past: false });
    await write(io.stdout, args.json ? `${JSON.stringify({ schemaVersion: 1, budgets })}\n` : budgetTable(budgets));
    const exceeded = budgets.filter(({ exceeded_at: at }) => at !== null).length;
    return {
      exit: EXIT.ok,
      words: `${plural(budgets.length, 'budget')}${exceeded === 0 ? '' : `, ${exceeded} exceeded`}`,
    };
  },
};
