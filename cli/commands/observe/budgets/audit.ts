import { z } from 'zod';
import { BUDGET_AUDIT, type BudgetAuditLine } from '../../../../src/core/index.js';
import { SERVER_OPTIONS } from '../../../api/index.js';
import { BudgetClient } from '../../../budgets/budget-client.js';
import { money, scopeText } from '../../../budgets/budget-table.js';
import { defineCommand } from '../../../command.js';
import { EXIT } from '../../../exit-code.js';
import { write } from '../../../io.js';
import { columns } from '../../../output/columns.js';
import { plural } from '../../../output/plural.js';

const OUTPUT = z.strictObject({ schemaVersion: z.literal(1), ...BUDGET_AUDIT.shape });
const HEAD = [
  'BUDGET',
  'ENVIRONMENT',
  'SCOPE',
  'FROM',
  'USAGE',
  'LEDGER',
  'EVENTS',
  'ESTIMATED',
  'ADJUSTED',
  'HELD',
  '',
];

/** `weir budgets audit`: checks that the log, the ledger and the budgets agree to the nano-dollar. */
export const budgetsAudit = defineCommand({
  usage: 'audit',
  summary: 'Check that events, ledger and budgets agree exactly',
  options: {
    ...SERVER_OPTIONS,
  },
  output: OUTPUT,

  async run(args, { io }) {
    const audit = await (await BudgetClient.of(args, io)).audit();
    const table = columns(HEAD, audit.data.map(row));
    await write(io.stdout, args.json ? `${JSON.stringify({ schemaVersion: 1, ...audit })}\n` : table);
    const wrong = audit.data.filter(({ exact }) => !exact).length;
    if (audit.exact) return { exit: EXIT.ok, words: `${plural(audit.data.length, 'window')}, all exact` };
    const open = audit.unsettled_events === 0 ? '' : `, ${plural(audit.unsettled_events, 'event')} not settled`;
    return {
      exit: EXIT.findings,
      words: `amounts differ in ${plural(wrong, 'window')} of ${audit.data.length}${open}`,
    };
  },
});

function row(line: BudgetAuditLine): string[] {
  const { budget, environment, scope, start, usage, ledger, events, estimated, adjusted, held, exact } = line;
  const amounts = [usage, ledger, events, estimated, adjusted, held].map((amount) => money(line, amount));
  return [budget, environment, scopeText(scope), start.slice(0, 16), ...amounts, exact ? 'exact' : 'WRONG'];
}
