import { z } from 'zod';
import { BUDGET_STATE } from '../../../../src/core/index.js';
import { SERVER_OPTIONS } from '../../../api/index.js';
import { BudgetClient } from '../../../budgets/budget-client.js';
import { budgetTable } from '../../../budgets/budget-table.js';
import { defineCommand, textOption } from '../../../command.js';
import { EXIT } from '../../../exit-code.js';
import { write } from '../../../io.js';
import { plural } from '../../../output/plural.js';

const OUTPUT = z.strictObject({ schemaVersion: z.literal(1), budgets: z.array(BUDGET_STATE) });

/** `weir budgets list`: what every budget has used in its window. */
export const budgetsList = defineCommand({
  usage: 'list',
  summary: 'List budgets with their spending',
  options: {
    ...SERVER_OPTIONS,
    env: textOption('Show one environment only'),
    event: textOption('Ids of events: show the windows in which they count, and how much'),
  },
  output: OUTPUT,

  async run(args, { io }) {
    const client = await BudgetClient.of(args, io);
    const budgets = await client.states({ env: args.env, past: args.event !== undefined, event: args.event });
    await write(io.stdout, args.json ? `${JSON.stringify({ schemaVersion: 1, budgets })}\n` : budgetTable(budgets));
    const exceeded = budgets.filter(({ exceeded_at: at }) => at !== null).length;
    return {
      exit: EXIT.ok,
      words: `${plural(budgets.length, 'budget')}${exceeded === 0 ? '' : `, ${exceeded} exceeded`}`,
    };
  },
});
