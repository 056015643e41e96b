import { z } from 'zod';
import { BUDGET_STATE } from '../../../../src/core/index.js';
import { SERVER_OPTIONS } from '../../../api/index.js';
import { BudgetClient } from '../../../budgets/budget-client.js';
import { budgetTable } from '../../../budgets/budget-table.js';
import { defineCommand, textOption } from '../../../command.js';
import { EXIT } from '../../../exit-code.js';
import { write } from '../../../io.js';
import { plural } from '../../../output/plural.js';
import {
  andMore,
  environmentFlag,
  environmentIn,
  environmentWord,
  LIMIT_OPTION,
  limited,
} from '../../../vocabulary.js';

const OUTPUT = z.strictObject({ schemaVersion: z.literal(1), budgets: z.array(BUDGET_STATE), more: z.boolean() });

/** `weir budgets list`: what every budget has used in its window. */
export const budgetsList = defineCommand({
  usage: 'list [environment]',
  summary: 'List budgets with their spending',
  positionals: environmentWord('default: all'),
  options: {
    ...SERVER_OPTIONS,
    ...environmentFlag(),
    ...LIMIT_OPTION,
    event: textOption('Ids of events: show the windows in which they count, and how much'),
  },
  output: OUTPUT,

  async run(args, { io }) {
    const client = await BudgetClient.of(args, io);
    const found = await client.states({ env: environmentIn(args), past: args.event !== undefined, event: args.event });
    const { rows: budgets, more } = limited(found, args);
    await write(
      io.stdout,
      args.json ? `${JSON.stringify({ schemaVersion: 1, budgets, more })}\n` : budgetTable(budgets),
    );
    const exceeded = found.filter(({ exceeded_at: at }) => at !== null).length;
    return {
      exit: EXIT.ok,
      words: `${plural(budgets.length, 'budget')}${andMore(more)}${exceeded === 0 ? '' : `, ${exceeded} exceeded`}`,
    };
  },
});
