import { randomUUID } from 'node:crypto';
import { Database } from '../../src/database/index.js';
import type { BudgetState } from '../../src/core/index.js';
import { expectExactBudgets } from '../support/budget-audit.js';
import { eachApp } from '../support/each-app.js';
import { TEST_POLICIES, testPolicy } from '../support/test-app.js';

/** A token costs a million nano-dollars. One budget of a hundred tokens only reports, the other one blocks. */
const POLICY = testPolicy(
  'production',
  `client_monitor_mode: ignore
content: redacted
prices: { gpt-4o: { input_usd_per_million: 1000, output_usd_per_million: 1000 } }
budgets:
  - { id: told, scope: [metadata.team], window: { per: day, timezone: UTC }, limit: { tokens: 100 }, warn_at: [0.5] }
  - { id: hard, scope: [metadata.team], window: { per: day, timezone: UTC }, limit: { usd: 1 }, on_exceed: block }`,
);

interface StoredEvent {
  readonly id: string;
  readonly type: string;
  readonly parent_id: string | null;
  readonly payload: { readonly budget?: string; readonly occasion?: string } | null;
}

/** Where the database fails: triggers that raise an error at one point of the transaction until they are dropped. */
const FAULTS: readonly (readonly [string, string])[] = [
  ['the answer is stored', `BEFORE INSERT ON events FOR EACH ROW WHEN (NEW.type = 'ai.response')`],
  ['its entry in the ledger is written', `BEFORE UPDATE ON budget_entries FOR EACH ROW`],
  ['the reservation ends', `BEFORE UPDATE ON budget_reservations FOR EACH ROW WHEN (NEW.state = 'settled')`],
  [
    'the used amount of the window is increased',
    `BEFORE UPDATE ON budget_periods FOR EACH ROW WHEN (NEW.settled_n > OLD.settled_n)`,
  ],
  ['the crossing is recorded', `BEFORE INSERT ON events FOR EACH ROW WHEN (NEW.type = 'budget.exceeded')`],
  ['the transaction commits', 'AFTER UPDATE ON budget_entries DEFERRABLE INITIALLY DEFERRED FOR EACH ROW'],
];

eachApp(
  'a budget and the event that changes it',
  (current) => {
    const post = async (event: object): Promise<number> => {
      const app = current();
      const response = await fetch(`${app.url}/v1/events`, {
        method: 'POST',
        headers: { authorization: `Bearer ${app.bootstrap.keys.production}`, 'content-type': 'application/json' },
        body: JSON.stringify({ provider: 'openai', model: 'gpt-4o', ...event }),
      });
      await response.arrayBuffer();
      return response.status;
    };
    const read = async <T>(path: string): Promise<readonly T[]> => {
      const app = current();
      const headers = { authorization: `Bearer ${app.bootstrap.token}` };
      return ((await (await fetch(app.url + path, { headers })).json()) as { readonly data: readonly T[] }).data;
    };
    const events = (requestId: string) => read<StoredEvent>(`/v1/events?request_id=${requestId}`);
    const types = async (requestId: string): Promise<string[]> =>
      (await events(requestId)).map(({ type }) => type).sort();
    const budgets = async (team: string) => {
      const states = await read<BudgetState>('/v1/budgets?environment=production');
      return states
        .filter(({ scope }) => scope['metadata.team'] === team)
        .map(({ budget, used, reserved, warned }) => ({ budget, used, reserved, warned: warned.length }))
        .sort((left, right) => (left.budget < right.budget ? -1 : 1));
    };
    const crossings = async (): Promise<readonly StoredEvent[]> =>
      (await read<StoredEvent>('/v1/events?type=budget.exceeded&limit=200')).filter(
        ({ payload }) => payload?.occasion === 'crossed',
      );
    /** The sum of the metric `name` over all labels of this budget. */
    const counted = async (name: string, budget: string): Promise<number> => {
      const text = await (await fetch(`${current().url}/metrics`)).text();
      const lines = text
        .split('\n')
        .filter((line) => line.startsWith(`${name}{`) && line.includes(`budget="${budget}"`));
      return lines.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
    };
    const counters = () =>
      Promise.all(['weir_budget_warnings_total', 'weir_budget_exceeded_total'].map((name) => counted(name, 'told')));
    /** Submits the request of a call; `answer` submits its answer. */
    const request = (team: string, id: string, maxTokens = 1) =>
      post({
        type: 'ai.request',
        request_id: id,
        metadata: { team },
        payload: { prompt: 'Hello', max_tokens: maxTokens },
      });
    const answer = (team: string, id: string, tokens: number) =>
      post({
        ...{ type: 'ai.response', event_id: `answer-${id}`, request_id: id, metadata: { team } },
        payload: { output: 'Hi', usage: { prompt_tokens: tokens, completion_tokens: 0 } },
      });
    const withFault = async <T>(where: string, work: () => Promise<T>): Promise<T> => {
      const { sql } = current().weir.app.get(Database);
      const isConstraint = where.includes('DEFERRED');
      const table = / ON (\w+)/.exec(where)![1]!;
      await sql.query(`CREATE FUNCTION planted_fault() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN RAISE EXCEPTION 'planted' USING ERRCODE = 'XX000'; END $$`);
      await sql.query(
        `CREATE ${isConstraint ? 'CONSTRAINT ' : ''}TRIGGER planted ${where} EXECUTE FUNCTION planted_fault()`,
      );
      try {
        return await work();
      } finally {
        await sql.query(`DROP TRIGGER planted ON ${table}`);
        await sql.query('DROP FUNCTION planted_fault()');
      }
    };

    it.each(FAULTS)('are stored together or not at all if the database fails as %s', async (_moment, where) => {
      const [team, id] = [randomUUID(), randomUUID()];
      expect(await request(team, id, 200)).toBe(200);
      const before = await budgets(team);
      expect(before.map(({ used }) => used)).toEqual(['0.00', '0']);

      expect(await withFault(where, () => answer(team, id, 150))).toBe(503);
      expect(await types(id)).toEqual(['ai.request']);
      expect(await budgets(team)).toEqual(before);

      // The client retries twice, and the answer is counted once.
      expect([await answer(team, id, 150), await answer(team, id, 150)]).toEqual([200, 200]);
      expect(await types(id)).toEqual(['ai.request', 'ai.response', 'budget.exceeded']);
      expect(await budgets(team)).toEqual([
        { budget: 'hard', used: '0.15', reserved: '0.00', warned: 0 },
        { budget: 'told', used: '150', reserved: '0', warned: 1 },
      ]);
      await expectExactBudgets(current());
    });

    it('report, with the next counted call, that a correction exceeded the limit', async () => {
      const [team, id, next] = [randomUUID(), randomUUID(), randomUUID()];
      expect(await answer(team, id, 10)).toBe(200);
      const states = await read<BudgetState>('/v1/budgets/told?environment=production');
      const { period_id } = states.find(({ scope }) => scope['metadata.team'] === team)!;
      const { url, bootstrap } = current();
      const adjusted = await fetch(`${url}/v1/budgets/told/adjustments`, {
        method: 'POST',
        headers: { authorization: `Bearer ${bootstrap.token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ period_id, amount: '500', because: 'TICKET-8' }),
      });
      expect(await adjusted.json()).toMatchObject({ used: '510', exceeded_at: null, warned: [{ ratio: 0.5 }] });
      expect(await answer(team, next, 1)).toBe(200);
      expect(await types(next)).toEqual(['ai.response', 'budget.exceeded']);
      const [last] = await read<BudgetState>('/v1/budgets/told?environment=production');
      expect(last).toMatchObject({ used: '511', exceeded_at: expect.any(String) });
      await expectExactBudgets(current());
    });

    it('refuse a call only if the event about the refusal is stored', async () => {
      const [team, id] = [randomUUID(), randomUUID()];
      const telling = `BEFORE INSERT ON events FOR EACH ROW WHEN (NEW.type = 'budget.exceeded')`;
      expect(await withFault(telling, () => request(team, id, 2000))).toBe(503);
      expect(await types(id)).toEqual([]);
      expect(await request(team, id, 2000)).toBe(400);
      expect(await types(id)).toEqual(['ai.request', 'budget.exceeded']);
      const stored = await events(id);
      expect(stored.find(({ type }) => type === 'budget.exceeded')).toMatchObject({
        parent_id: stored.find(({ type }) => type === 'ai.request')?.id,
        payload: { budget: 'hard', occasion: 'budget_exceeded', used: '0.00', limit: '1.00' },
      });
      expect(await request(team, randomUUID(), 2000)).toBe(400);
      await expectExactBudgets(current());
    });

    it('report the crossing of a limit and a warning once per scope, even if many concurrent calls cross the limit', async () => {
      const before = (await crossings()).length;
      const [warnings = 0, exceeded = 0] = await counters();
      const [first, second] = [randomUUID(), randomUUID()];
      const calls = Array.from({ length: 40 }, (_, index) => ({ team: index % 2 ? first : second, id: randomUUID() }));
      await Promise.all(calls.map(({ team, id }) => answer(team, id, 30)));
      const after = await crossings();
      const crossed = after.slice(0, after.length - before);
      expect(crossed.map(({ payload }) => payload?.budget)).toEqual(['told', 'told']);
      expect(await counters()).toEqual([warnings + 2, exceeded + 2]);
      expect(await budgets(first)).toContainEqual({ budget: 'told', used: '600', reserved: '0', warned: 1 });
      await expectExactBudgets(current());
    });
  },
  { policies: { ...TEST_POLICIES, 'production/policy.yaml': POLICY } },
);
