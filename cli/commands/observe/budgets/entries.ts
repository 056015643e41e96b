import { z } from 'zod';
import { BUDGET_ENTRY, type BudgetEntries } from '../../../../src/core/index.js';
import { SERVER_OPTIONS } from '../../../api/index.js';
import { BudgetClient } from '../../../budgets/budget-client.js';
import { money } from '../../../budgets/budget-table.js';
import { WINDOW_OPTIONS } from '../../../budgets/select-window.js';
import { defineCommand } from '../../../command.js';
import { EXIT } from '../../../exit-code.js';
import { write } from '../../../io.js';
import { columns, nameAndId } from '../../../output/columns.js';
import { andMore, limitOf, limitOption } from '../../../vocabulary.js';

const PAGE = 200;
const OUTPUT = z.strictObject({ schemaVersion: z.literal(1), entries: z.array(BUDGET_ENTRY), more: z.boolean() });

/** `weir budgets entries`: lists the charges, reservations, releases and corrections of one window. */
export const budgetsEntries = defineCommand({
  usage: 'entries <budget>',
  summary: 'List the ledger entries of one window, newest first',
  positionals: {
    budget: { type: 'string', demandOption: true, describe: 'Budget id in the policy' },
  },
  options: {
    ...SERVER_OPTIONS,
    ...limitOption(50),
    ...WINDOW_OPTIONS,
  },
  output: OUTPUT,

  async run(args, { io }) {
    const limit = limitOf(args);
    const client = await BudgetClient.of(args, io);
    const window = await client.window(args, args.budget);
    const query = new URLSearchParams({ period_id: window.period_id ?? '' });
    const entries: BudgetEntries['data'] = [];
    let cursor: string | null = null;
    do {
      query.set('limit', String(Math.min(PAGE, limit - entries.length)));
      if (cursor !== null) query.set('cursor', cursor);
      const page = await client.entries(args.budget, query);
      entries.push(...page.data);
      cursor = page.next_cursor;
    } while (cursor !== null && entries.length < limit);
    const rows = entries.map(({ at, kind, amount, event_id: event, because, by }) => [
      ...[at, kind, money(window, amount), event ?? ''],
      because === null ? '' : `${nameAndId(by?.name ?? null, by?.id ?? null) || (by?.kind ?? '')}: ${because}`,
    ]);
    const table = columns(['AT', 'KIND', 'AMOUNT', 'EVENT', 'WHY'], rows);
    const more = cursor !== null;
    await write(io.stdout, args.json ? `${JSON.stringify({ schemaVersion: 1, entries, more })}\n` : table);
    const words = `${entries.length} ${entries.length === 1 ? 'entry' : 'entries'}`;
    return { exit: EXIT.ok, words: `${words}${andMore(more)}` };
  },
});
