import { z } from 'zod';
import { BUDGET_SERIES, BUDGET_STATE, type BudgetSeries, type BudgetState } from '../../../../src/core/index.js';
import { SERVER_OPTIONS } from '../../../api/index.js';
import { BudgetClient } from '../../../budgets/budget-client.js';
import { money, scopeText } from '../../../budgets/budget-table.js';
import { defineCommand } from '../../../command.js';
import { EXIT } from '../../../exit-code.js';
import { write } from '../../../io.js';
import { columns } from '../../../output/columns.js';
import { environmentFlag } from '../../../vocabulary.js';

const OUTPUT = z.strictObject({
  schemaVersion: z.literal(1),
  windows: z.array(z.strictObject({ window: BUDGET_STATE, forecast: BUDGET_SERIES.shape.forecast })),
});
const HEAD = ['ENVIRONMENT', 'SCOPE', 'USED', 'LIMIT', 'AT THE END', 'LOW', 'HIGH', 'REACHES LIMIT'];

/** `weir budgets forecast`: estimates the use of a budget at the end of its window from its use so far. */
export const budgetsForecast = defineCommand({
  usage: 'forecast <budget>',
  summary: 'Forecast the spending at the end of the window',
  positionals: {
    budget: { type: 'string', demandOption: true, describe: 'Budget id in the policy' },
  },
  options: {
    ...SERVER_OPTIONS,
    ...environmentFlag(),
  },
  output: OUTPUT,

  async run(args, { io }) {
    const client = await BudgetClient.of(args, io);
    const states = await client.states({ env: args.env, past: false }, args.budget);
    const windows: { window: BudgetState; forecast: BudgetSeries['forecast'] }[] = [];
    for (const window of states) {
      const { period_id: period } = window;
      windows.push({ window, forecast: period === null ? null : (await client.series(args.budget, period)).forecast });
    }
    const table = columns(HEAD, windows.map(row));
    await write(io.stdout, args.json ? `${JSON.stringify({ schemaVersion: 1, windows })}\n` : table);
    const reached = windows.filter(({ forecast }) => typeof forecast?.reaches_limit_at === 'string').length;
    return { exit: EXIT.ok, words: `${reached} of ${windows.length} windows will reach the limit at this pace` };
  },
});

function row({ window, forecast }: { window: BudgetState; forecast: BudgetSeries['forecast'] }): string[] {
  const text = (amount: string | undefined): string => (amount === undefined ? '' : money(window, amount));
  const { environment, scope, used, limit } = window;
  return [
    ...[environment, scopeText(scope), text(used), text(limit)],
    ...[text(forecast?.at_end), text(forecast?.low), text(forecast?.high)],
    forecast === null ? 'not known yet' : (forecast.reaches_limit_at ?? 'no'),
  ];
}
