import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import type { BudgetAudit, BudgetState } from '../../src/core/index.js';
import { PaidUpstream } from '../support/paid-upstream.js';
import { findPostgresBinaries, TestPostgres } from '../support/postgres.js';
import { readBootstrap, ServerProcess, type Bootstrap } from '../support/server-process.js';

/** In CI 500 calls and one round of kills; by hand WEIR_TEST_CALLS=2000 WEIR_TEST_KILLS=20. */
const CALLS = Number(process.env['WEIR_TEST_CALLS'] ?? 500);
const KILLS = Number(process.env['WEIR_TEST_KILLS'] ?? 1);
const MAX_TOKENS = 500;
/** 500 calls of 320 tokens on average want three times the budget; more calls want it of smaller prices. */
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
        env: { PATH: process.env['PATH'] ?? '', ...env },
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
  const nano = (usd: string): number => Math.round(Number(usd) * 1e9);

  /** As the official clients do: a 429 is tried again after the time that it names, anything else is not. */
  const persistently = async (server: ServerProcess): Promise<number> => {
    for (;;) {
      const response = await chat(server);
      await response.arrayBuffer();
      if (response.status !== 429) return response.status;
      await new Promise((resolve) => setTimeout(resolve, Number(response.headers.get('retry-after')) * 1000));
    }
  };

  it.each([1, 3])(
    `is used up and never passed by ${CALLS} calls at once that want three times as much, with %d processes`,
    async (processes) => {
      const servers = await Promise.all(Array.from({ length: processes }, () => ServerProcess.start(env)));
      try {
        const statuses = await Promise.all(
          Array.from({ length: CALLS }, (_, index) => persistently(servers[index % processes]!)),
        );
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
        // Nobody was denied while there was money for a call: what a call holds is a little more than its cap.
        const refusals = await read<{ data: { payload: { occasion: string; used: string; limit: string } }[] }>(
          server,
          '/v1/events?type=budget.exceeded&limit=200',
        );
        const most = (MAX_TOKENS + 100) * NANO_PER_TOKEN;
        const free = refusals.data.filter(
          ({ payload }) => payload.occasion === 'budget_exceeded' && nano(payload.used) + most <= nano(payload.limit),
        );
        expect(free).toEqual([]);
      } finally {
        await Promise.all(servers.map((server) => server.stop()));
      }
    },
    300_000,
  );

  it(`gets back what processes held that were killed, over ${KILLS} kills at every stage of a call`, async () => {
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
        // Streaming: the provider has begun. Before the settlement: it will answer. Dispatched: it will not.
        upstream.manner = 'begin and wait';
        send({ stream: true });
        await arrived(start + 1);
        upstream.manner = 'wait';
        send();
        await arrived(start + 2);
        await until(open(`'dispatched'`), 2);
        // No event can be stored from here on: one call stays reserved, one is answered and not settled.
        await admin.query('BEGIN');
        await admin.query('LOCK TABLE events IN SHARE MODE');
        upstream.release();
        send();
        await until(open(`'held'`), 1);
        await server.kill();
        await admin.query('ROLLBACK');
        // As if the leases had ended.
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
      // Never less than what the provider bills.
      expect(nano(used)).toBeGreaterThanOrEqual(upstream.billedTokens * NANO_PER_TOKEN);
      const { rows } = await admin.query(`SELECT count(*)::integer AS n FROM budget_entries WHERE kind = 'held'`);
      expect(rows).toEqual([{ n: 0 }]);
    } finally {
      await server.kill();
      await admin.end();
    }
  }, 600_000);
});
