import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import type { BudgetAudit, BudgetState } from '../../src/core/index.js';
import { isolationEnv } from '../support/isolation-notes.js';
import { PaidUpstream } from '../support/paid-upstream.js';
import { findPostgresBinaries, TestPostgres } from '../support/postgres.js';
import { readBootstrap, ServerProcess, type Bootstrap } from '../support/server-process.js';

/** A refusal by a budget, with the reason why it is wrong, if it is. */
interface Refusal {
  readonly kind: string;
  readonly fault?: string;
}

/**
 * Every refusal of a budget, checked against the history of the budget. The history is rebuilt from the ledger's rows
 * alone: the held and spent amounts after each grant and each settlement, in the order in which these got the budget's
 * lock. A refusal must report a state that existed, and in which the call did not fit.
 */
async function refusalsOf(sql: pg.Client, budget: string): Promise<Refusal[]> {
  const { rows: moves } = await sql.query<{ reserved: string; settled: string }>(
    `WITH calls AS (
       SELECT r.created_at, r.resolved_at, n.amount_n, n.settled_n
       FROM budget_periods p JOIN budget_entries n ON n.account_id = p.account_id AND n.period_id = p.id
       JOIN budget_reservations r ON r.account_id = n.account_id AND r.id = n.source_id WHERE p.budget_id = $1)
     SELECT sum(held) OVER w AS reserved, sum(spent) OVER w AS settled FROM (
       SELECT created_at AS at, amount_n AS held, 0 AS spent FROM calls
       UNION ALL SELECT resolved_at, -amount_n, settled_n FROM calls) moves
     WINDOW w AS (ORDER BY at ROWS UNBOUNDED PRECEDING)`,
    [budget],
  );
  const states = new Set(['0 0', ...moves.map(({ reserved, settled }) => `${reserved} ${settled}`)]);
  const { rows } = await sql.query<{ payload: Record<'occasion' | 'used' | 'reserved' | 'needed' | 'limit', string> }>(
    `SELECT payload FROM events WHERE type = 'budget.exceeded' AND payload->>'budget' = $1
       AND payload->>'occasion' <> 'crossed'`,
    [budget],
  );
  return rows.map(({ payload }) => {
    const [used, reserved, needed, limit] = [payload.used, payload.reserved, payload.needed, payload.limit].map(nano);
    const held = payload.occasion === 'budget_reserved' ? reserved! : 0;
    const fits = used! + held + needed! <= limit!;
    const known = states.has(`${reserved} ${used}`);
    return {
      kind: payload.occasion,
      ...(fits || !known ? { fault: `${fits ? 'fits' : 'no such state'}: ${JSON.stringify(payload)}` } : {}),
    };
  });
}

const nano = (usd: string): number => Math.round(Number(usd) * 1e9);

/** CI runs 500 calls and one round of kills; a longer run: WEIR_TEST_CALLS=2000 WEIR_TEST_KILLS=20. */
const CALLS = Number(process.env['WEIR_TEST_CALLS'] ?? 500);
const KILLS = Number(process.env['WEIR_TEST_KILLS'] ?? 1);
const MAX_TOKENS = 500;
/** The calls of 320 tokens on average need three times the budget: the price decreases with their number. */
const USD_PER_MILLION = Math.round((187.5 * 500) / CALLS);
const NANO_PER_TOKEN = USD_PER_MILLION * 1000;
const LIMIT_NANO = 10_000_000_000;

const policy = (environment: string): string => `
apiVersion: weir/v1
kind: Policy
metadata: { id: ${environment}, title: Budget under load, owner: tests@example.com }
environment: ${environment}
default: allow
client_monitor_mode: ignore
content: none
default_max_tokens: ${MAX_TOKENS}
prices: { gpt-4o: { input_usd_per_million: ${USD_PER_MILLION}, output_usd_per_million: ${USD_PER_MILLION} } }
budgets:
  - { id: ten-dollars, scope: [app], window: { per: total }, limit: { usd: 10 }, on_exceed: block }
  - { id: one-dollar, scope: [app], window: { per: total }, limit: { usd: 1 }, warn_at: [0.5] }
  - { id: all-tokens, scope: [], window: { per: day }, limit: { tokens: 1000000000 } }
rules:
  - { id: none.ever, title: Nothing, stage: pre, severity: low, when: { model.name: no-such-model }, then: { action: flag }, on_unknown: no_match }
`;

const binaries = findPostgresBinaries();
if (binaries === undefined) console.warn('SKIPPED, no PostgreSQL binaries found: budgets under load');
const onPostgres = binaries === undefined ? describe.skip : describe;

onPostgres('A budget of ten dollars', () => {
  let root: string;
  let postgres: TestPostgres;
  let upstream: PaidUpstream;
  let env: Record<string, string>;
  let bootstrap: Bootstrap;

  beforeAll(async () => {
    root = mkdtempSync(join(tmpdir(), 'weir-budget-'));
    for (const name of ['development', 'staging', 'production']) {
      mkdirSync(join(root, 'policies', name), { recursive: true });
      writeFileSync(join(root, 'policies', name, 'policy.yaml'), policy(name));
    }
    postgres = await TestPostgres.start(binaries!);
    const bill = () => ({ promptTokens: 20, completionTokens: 100 + Math.floor(Math.random() * (MAX_TOKENS - 100)) });
    upstream = await PaidUpstream.start(bill, () => 20 + Math.random() * 80);
  }, 60_000);
  afterAll(async () => {
    await upstream.close();
    await postgres.stop();
    rmSync(root, { recursive: true, force: true });
  });
  beforeEach(async () => {
    env = {
      DATABASE_URL: await postgres.newDatabase(),
      WEIR_DATA_DIR: mkdtempSync(join(root, 'data-')),
      WEIR_POLICIES_DIR: join(root, 'policies'),
      WEIR_OPENAI_BASE_URL: upstream.url,
      WEIR_PROXY_STREAM_USAGE: 'on',
      WEIR_LOG_LEVEL: 'fatal',
    };
    for (const command of ['migrate', 'bootstrap']) {
      execFileSync(process.execPath, ['dist/cli/main.js', 'server', command], {
        env: { PATH: process.env['PATH'] ?? '', ...isolationEnv(), ...env },
        stdio: 'pipe',
      });
    }
    bootstrap = readBootstrap(env['WEIR_DATA_DIR']!);
    upstream.billedTokens = 0;
    upstream.answered = 0;
    upstream.arrived = 0;
    upstream.manner = 'answer';
  }, 60_000);

  const chat = (server: ServerProcess, more: object = {}): Promise<Response> =>
    fetch(`${server.url}/proxy/openai/v1/chat/completions`, {
      method: 'POST',
      headers: { 'x-service-key': bootstrap.keys.production, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'gpt-4o', messages: [{ role: 'user', content: 'Hello' }], ...more }),
    });
  const read = async <T>(server: ServerProcess, path: string): Promise<T> =>
    (await (await fetch(server.url + path, { headers: { authorization: `Bearer ${bootstrap.token}` } })).json()) as T;
  const state = async (server: ServerProcess): Promise<BudgetState> =>
    (await read<{ data: BudgetState[] }>(server, '/v1/budgets/ten-dollars?environment=production')).data[0]!;
  const audit = (server: ServerProcess): Promise<BudgetAudit> => read(server, '/v1/budget-audit');
  const withSql = async <T>(work: (sql: pg.Client) => Promise<T>): Promise<T> => {
    const sql = new pg.Client({ connectionString: env['DATABASE_URL'] });
    await sql.connect();
    return work(sql).finally(() => sql.end());
  };

  /** Like the official clients: a 429 is retried after its `retry-after`, any other status is not. */
  const persistently = async (server: ServerProcess): Promise<{ status: number; held: number }> => {
    for (let held = 0; ; held++) {
      const response = await chat(server);
      await response.arrayBuffer();
      if (response.status !== 429) return { status: response.status, held };
      await new Promise((resolve) => setTimeout(resolve, Number(response.headers.get('retry-after')) * 1000));
    }
  };

  it.each([1, 3])(
    `is used up but not exceeded by ${CALLS} concurrent calls that would cost three times its limit (processes: %d)`,
    async (processes) => {
      const servers = await Promise.all(Array.from({ length: processes }, () => ServerProcess.start(env)));
      try {
        const answers = await Promise.all(
          Array.from({ length: CALLS }, (_, index) => persistently(servers[index % processes]!)),
        );
        const statuses = answers.map(({ status }) => status);
        const [server] = servers as [ServerProcess];
        const billedNano = upstream.billedTokens * NANO_PER_TOKEN;
        console.log(
          `${CALLS} calls, ${processes} processes: ${upstream.answered} let through, $${billedNano / 1e9} of $10 billed`,
        );
        expect(statuses.filter((status) => status !== 200 && status !== 400)).toEqual([]);
        expect(upstream.answered).toBe(statuses.filter((status) => status === 200).length);
        expect(billedNano).toBeLessThanOrEqual(LIMIT_NANO);
        expect(billedNano).toBeGreaterThanOrEqual(LIMIT_NANO * 0.95);
        const { used, reserved } = await state(server);
        expect({ used: nano(used), reserved }).toEqual({ used: billedNano, reserved: '0.00' });
        expect(await audit(server)).toMatchObject({ exact: true, unsettled_events: 0 });
        const refusals = await withSql((sql) => refusalsOf(sql, 'ten-dollars'));
        const kinds = ['budget_exceeded', 'budget_reserved'].map((kind) => refusals.filter((it) => it.kind === kind));
        console.log(`refused: ${kinds[0]!.length} because it was spent, ${kinds[1]!.length} because it was held`);
        expect(kinds[0]!.length).toBe(statuses.filter((status) => status === 400).length);
        expect(kinds[1]!.length).toBe(answers.reduce((sum, { held }) => sum + held, 0));
        expect(refusals.length).toBe(kinds[0]!.length + kinds[1]!.length);
        expect(refusals.filter(({ fault }) => fault !== undefined)).toEqual([]);
        const crossings = await withSql((sql) =>
          sql.query(`SELECT payload->>'budget' AS budget FROM events
            WHERE type = 'budget.exceeded' AND payload->>'occasion' = 'crossed'`),
        );
        expect(crossings.rows).toEqual([{ budget: 'one-dollar' }]);
      } finally {
        await Promise.all(servers.map((server) => server.stop()));
      }
    },
    300_000,
  );

  it('answers "try again" only to calls that need an amount which other calls have reserved', async () => {
    const server = await ServerProcess.start(env);
    try {
      upstream.manner = 'wait';
      const statuses = Array.from({ length: Math.ceil(CALLS / 4) }, () =>
        chat(server).then(async (response) => {
          await response.arrayBuffer();
          return response.status;
        }),
      );
      // The refused calls are refused while all others wait for the provider.
      const denied = (): Promise<Refusal[]> => withSql((sql) => refusalsOf(sql, 'ten-dollars'));
      while (upstream.arrived + (await denied()).length < statuses.length)
        await new Promise((resolve) => setTimeout(resolve, 50));
      upstream.release();
      const counts = (await Promise.all(statuses)).filter((status) => status === 429).length;
      expect(counts).toBe(statuses.length - upstream.arrived);
      expect(counts).toBeGreaterThan(0);
      const refusals = await denied();
      expect(refusals.map(({ kind }) => kind)).toEqual(Array.from({ length: counts }, () => 'budget_reserved'));
      expect(refusals.filter(({ fault }) => fault !== undefined)).toEqual([]);
      expect(await audit(server)).toMatchObject({ exact: true, unsettled_events: 0 });
    } finally {
      await server.stop();
    }
  }, 120_000);

  it(`recovers amounts that killed processes held, over ${KILLS} kills at every stage of a call`, async () => {
    const admin = new pg.Client({ connectionString: env['DATABASE_URL'] });
    await admin.connect();
    const until = async (sql: string, wanted: number): Promise<void> => {
      for (;;) {
        const { rows } = await admin.query<{ n: number }>(sql);
        if (rows[0]!.n >= wanted) return;
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    };
    const open = (states: string): string =>
      `SELECT count(*)::integer AS n FROM budget_reservations WHERE state IN (${states})`;
    const arrived = async (count: number): Promise<void> => {
      while (upstream.arrived < count) await new Promise((resolve) => setTimeout(resolve, 10));
    };
    let server = await ServerProcess.start(env);
    try {
      for (let kill = 1; kill <= KILLS; kill++) {
        const start = upstream.arrived;
        const send = (more: object = {}): void =>
          void chat(server, more)
            .then((r) => r.text())
            .catch(() => undefined);
        // The first call is streaming: the provider has begun. The second is dispatched, and its answer cannot be settled.
        upstream.manner = 'begin and wait';
        send({ stream: true });
        await arrived(start + 1);
        upstream.manner = 'wait';
        send();
        await arrived(start + 2);
        await until(open(`'dispatched'`), 2);
        // From here on no event can be stored: a third call stays reserved, and an answered call is not settled.
        await admin.query('BEGIN');
        await admin.query('LOCK TABLE events IN SHARE MODE');
        upstream.release();
        send();
        await until(open(`'held'`), 1);
        await server.kill();
        await admin.query('ROLLBACK');
        // This simulates that the leases have expired.
        await admin.query(`UPDATE budget_reservations SET expires_at = expires_at - interval '1 hour'`);
        server = await ServerProcess.start(env);
        await until(
          `SELECT (count(*) = 0)::integer AS n FROM budget_reservations WHERE state IN ('held', 'dispatched')`,
          1,
        );
        expect(await state(server)).toMatchObject({ reserved: '0.00' });
        expect(await audit(server)).toMatchObject({ exact: true, unsettled_events: 0 });
      }
      const { used } = await state(server);
      // The budget is charged at least the amount that the provider bills.
      expect(nano(used)).toBeGreaterThanOrEqual(upstream.billedTokens * NANO_PER_TOKEN);
      const { rows } = await admin.query(
        `SELECT count(*) FILTER (WHERE kind = 'held')::integer AS held,
           (count(event_id) - count(DISTINCT (event_id, period_id)) FILTER (WHERE event_id IS NOT NULL))::integer AS twice
         FROM budget_entries`,
      );
      expect(rows).toEqual([{ held: 0, twice: 0 }]);
    } finally {
      await server.kill();
      await admin.end();
    }
  }, 600_000);
});
