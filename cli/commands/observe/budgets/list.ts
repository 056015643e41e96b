import { BUDGET_STATE } from '../../../../src/core/index.js';
import { SERVER_OPTIONS } from '../../../api/index.js';
import { BudgetClient } from '../../../budgets/budget-client.js';
import { budgetTable } from '../../../budgets/budget-table.js';
import { defineCommand, textOption } from '../../../command.js';
import { entryList } from '../../../output/entry-list.js';
import { environmentFlag, environmentIn, environmentWord, LIMIT_OPTION, limited } from '../../../vocabulary.js';

const BUDGETS = entryList('budget', BUDGET_STATE);

/** `weir budgets list`: lists every budget with the used amount of its window. */
export const budgetsList = defineCommand({
  usage: 'list [environment]',
  summary: 'List budgets with their spending',
  positionals: environmentWord('default: all'),
  options: {
    ...SERVER_OPTIONS,
    ...environmentFlag(),
    ...LIMIT_OPTION,
    event: textOption(
      'Event ids; show only the windows in which these events are counted, with the amounts of the events',
    ),
  },
  output: BUDGETS.output,

  async run(args, { io }) {
    const client = await BudgetClient.of(args, io);
    const found = await client.states({ env: environmentIn(args), past: args.event !== undefined, event: args.event });
    const outcome = await BUDGETS.print(limited(found, args), args, io, budgetTable);
    const exceeded = found.filter(({ exceeded_at: at }) => at !== null).length;
    return exceeded === 0 ? outcome : { ...outcome, words: `${outcome.words}, ${exceeded} exceeded` };
  },
});
