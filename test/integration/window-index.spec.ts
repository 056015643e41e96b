/** The key of the windows of budgets, which begins with the account. */
import { randomUUID } from 'node:crypto';
import type { PeriodRequest } from '../../src/budgets/ledger/ledger-types.js';
import { openPeriod, readUsage } from '../../src/budgets/ledger/ledger.js';
import { eachDatabase } from '../support/each-database.js';

const DAY_MS = 86_400_000;
const NOW_MS = Date.UTC(2026, 10, 21, 12);
const SCOPE = 'the same scope';

const requestOf = (accountId: string): PeriodRequest => ({
  accountId,
  environment: 'production',
  budget: 'daily',
  unit: 'usd',
  per: 'day',
  timezone: 'UTC',
  scope: SCOPE,
  scopeLabel: { 'metadata.team': 'a' },
  nowMs: NOW_MS,
  startMs: NOW_MS - DAY_MS / 2,
  endMs: NOW_MS + DAY_MS / 2,
  limit: 100n,
  warnAt: [0.5],
  onExceed: 'block',
});

eachDatabase('The windows of budgets', (current) => {
  const sqlOf = (accountId: string) => current().database.sql.forAccounts(accountId);
  const open = (accountId: string) => openPeriod(sqlOf(accountId), requestOf(accountId));

  it('exist once in an account, and independently of those of other accounts', async () => {
    const [mine, theirs] = [randomUUID(), randomUUID()];
    const opened = await Promise.all([mine, mine, theirs, mine].map(open));
    expect(opened.map(({ accountId }) => accountId)).toEqual([mine, mine, theirs, mine]);
    expect(new Set(opened.map(({ id }) => id)).size).toBe(2);
    const [found] = await readUsage(sqlOf(theirs), [requestOf(theirs)]);
    expect(found?.id).toBe(opened[2]?.id);
  });

  it('are found by their ids with the primary key, even in a small table, and by their scopes with the key of windows', async () => {
    const accountId = randomUUID();
    const { id } = await open(accountId);
    const plan = async (condition: string): Promise<string> => {
      const rows = await sqlOf(accountId).transaction(async (transaction) => {
        await transaction.query('SET LOCAL enable_seqscan = off');
        return transaction.query<{ 'QUERY PLAN': string }>(
          `EXPLAIN SELECT * FROM budget_periods p WHERE p.account_id = '${accountId}' AND ${condition}`,
        );
      });
      return rows.map((row) => row['QUERY PLAN']).join('\n');
    };
    expect(await plan(`p.id = '${id}'`)).toContain('budget_periods_pkey');
    const ofWindow = `p.environment = 'production' AND p.budget_id = 'daily' AND p.unit = 'usd' AND p.per = 'day'
      AND p.scope = '${SCOPE}' AND p.period_start <= now() ORDER BY p.period_start DESC LIMIT 1`;
    expect(await plan(ofWindow)).toContain('budget_periods_window');
  });
});
