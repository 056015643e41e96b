/**
 * Calls that lose their database between request and answer: each has one end in the log after the database is back.
 */
import pg from 'pg';
import { GapSweeper } from '../../src/events/gap-sweeper.js';
import { Database } from '../../src/database/index.js';
import { EventLog } from '../../src/events/index.js';
import { COUNTED, expectExactBudgets } from '../support/budget-audit.js';
import { describeOnPostgres } from '../support/describe-on-postgres.js';
import { PaidUpstream } from '../support/paid-upstream.js';
import { TestPostgres } from '../support/postgres.js';
import { startTestApp, TEST_POLICIES, testPolicy, type TestApp } from '../support/test-app.js';

const CALLS = 4;
const PROMPT = 'a prompt that nobody else has';
const BILL = { promptTokens: 40, completionTokens: 2 };

interface StoredEvent {
  readonly id: string;
  readonly type: string;
  readonly parent_id: string | null;
  readonly reason: string | null;
  readonly usage: { readonly prompt_tokens: number } | null;
}

describeOnPostgres('A call during which the database fails', (binaries) => {
  let postgres: TestPostgres;
  let upstream: PaidUpstream;
  let app: TestApp;
  let databaseUrl: string;

  beforeAll(async () => {
    postgres = await TestPostgres.start(binaries);
    upstream = await PaidUpstream.start(
      () => BILL,
      () => 0,
    );
    databaseUrl = await postgres.newDatabase();
    const production = testPolicy('production', `client_monitor_mode: ignore\ncontent: redacted\n${COUNTED}`);
    app = await startTestApp({
      databaseUrl,
      policies: { ...TEST_POLICIES, 'production/policy.yaml': production },
      env: { WEIR_OPENAI_BASE_URL: upstream.url, WEIR_DATABASE_CALL_TIMEOUT: '1500ms' },
    });
  }, 60_000);
  afterAll(async () => {
    postgres.resume();
    await app.close();
    await upstream.close();
    await postgres.stop();
  });

  const proxied = (stream: boolean): Promise<{ status: number; text: string }> =>
    fetch(`${app.url}/proxy/openai/v1/chat/completions`, {
      method: 'POST',
      headers: { 'x-service-key': app.bootstrap.keys.production, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'gpt-4o', stream, messages: [{ role: 'user', content: PROMPT }] }),
    }).then(async (response) => ({ status: response.status, text: await response.text() }));

  async function events(): Promise<StoredEvent[]> {
    const headers = { authorization: `Bearer ${app.bootstrap.token}` };
    const response = await fetch(`${app.url}/v1/events?limit=200`, { headers });
    if (response.status !== 200) return [];
    return ((await response.json()) as { data: StoredEvent[] }).data;
  }

  const metric = async (name: string): Promise<number> => {
    const text = await (await fetch(`${app.url}/metrics`)).text();
    return Number(new RegExp(`^${name.replaceAll(/[{}"]/g, '\\$&')} (.*)$`, 'm').exec(text)?.[1] ?? Number.NaN);
  };

  /** Waits until no connection in the pool belongs to a killed database server. */
  async function everyConnectionAnswers(): Promise<void> {
    const headers = { authorization: `Bearer ${app.bootstrap.token}` };
    const ask = () => fetch(`${app.url}/v1/events?limit=1`, { headers }).then(({ status }) => status);
    while ((await Promise.all(Array.from({ length: 2 * CALLS }, ask))).some((status) => status !== 200));
  }

  /** Starts calls and waits until all have reached the provider; fails if one is answered earlier. */
  async function arriving(stream: boolean) {
    const before = upstream.arrived;
    upstream.manner = stream ? 'begin and wait' : 'wait';
    const calls = Array.from({ length: CALLS }, () => proxied(stream));
    let early: number | undefined;
    for (const call of calls) void call.then(({ status }) => (early ??= status)).catch(() => (early ??= 0));
    while (upstream.arrived < before + CALLS) {
      if (early !== undefined) throw new Error(`a call was answered ${early} before it reached its provider`);
      await new Promise(setImmediate);
    }
    return calls;
  }

  /** Plain and streamed calls in flight at the provider. */
  async function open() {
    await everyConnectionAnswers();
    return [...(await arriving(false)), ...(await arriving(true))];
  }

  async function expectOneEndEach(calls: number): Promise<void> {
    while ((await metric('weir_journal_records')) !== 0) await new Promise(setImmediate);
    const all = await events();
    const requests = all.filter(({ type }) => type === 'ai.request');
    expect(requests.length).toBe(calls);
    for (const { id } of requests) {
      const ends = all.filter(({ parent_id: parent }) => parent === id);
      expect(ends).toMatchObject([{ type: 'ai.response', usage: { prompt_tokens: BILL.promptTokens } }]);
    }
    await expectExactBudgets(app);
  }

  it('is answered, and its end is stored once when the killed database is back', async () => {
    const calls = await open();
    await postgres.crash();
    upstream.release();
    for (const answer of await Promise.all(calls)) {
      expect(answer.status).toBe(200);
      expect(answer.text).toMatch(/"ok"|\[DONE\]/);
    }
    expect(await metric('weir_journal_records')).toBe(2 * CALLS);
    expect(await metric('weir_journal_ends_total{outcome="kept"}')).toBe(2 * CALLS);
    await postgres.restart();
    await expectOneEndEach(2 * CALLS);
    expect(await metric('weir_journal_ends_total{outcome="stored"}')).toBe(2 * CALLS);
  }, 60_000);

  it('is recorded with exactly one end if a statement that timed out is executed after all', async () => {
    const calls = await open();
    postgres.pause();
    upstream.release();
    for (const answer of await Promise.all(calls)) expect(answer.status).toBe(200);
    postgres.resume();
    await expectOneEndEach(4 * CALLS);
    expect(app.logs.join('')).not.toContain(PROMPT);
  }, 60_000);

  it('is answered, and its end is kept while another session locks the table of the events', async () => {
    const kept = 'weir_journal_ends_total{outcome="kept"}';
    const before = await metric(kept);
    const calls = await open();
    const holder = new pg.Client({ connectionString: databaseUrl });
    await holder.connect();
    await holder.query('BEGIN; LOCK TABLE events IN EXCLUSIVE MODE');
    upstream.release();
    for (const answer of await Promise.all(calls)) expect(answer.status).toBe(200);
    while ((await metric(kept)) < before + 2 * CALLS) await new Promise(setImmediate);
    await holder.end();
    await expectOneEndEach(6 * CALLS);
  }, 60_000);

  it('is recorded with exactly one end if the client has to report the answer again', async () => {
    const headers = {
      authorization: `Bearer ${app.bootstrap.keys.production}`,
      'content-type': 'application/json',
      'x-weir-status': '200',
    };
    const asked = await fetch(`${app.url}/v1/calls/openai/v1/chat/completions`, {
      ...{ method: 'POST', headers },
      body: JSON.stringify({ model: 'gpt-4o', messages: [{ role: 'user', content: PROMPT }] }),
    });
    const call = asked.headers.get('x-weir-call') ?? '';
    const report = () =>
      fetch(`${app.url}/v1/calls/${call}/answer`, {
        ...{ method: 'POST', headers },
        body: JSON.stringify({
          id: 'c',
          model: 'gpt-4o',
          choices: [],
          usage: { prompt_tokens: 3, completion_tokens: 1 },
        }),
      });
    await postgres.crash();
    const refused = await report();
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1']);
    await postgres.restart();
    let reported = await report();
    while (reported.status === 503) reported = await report();
    expect(reported.status).toBe(200);
    expect((await events()).filter(({ parent_id: parent }) => parent === call)).toMatchObject([
      { type: 'ai.response' },
    ]);
    await expectExactBudgets(app);
  }, 60_000);

  it('is recorded with exactly one end, a log gap, if its process was lost, even if several sweepers look', async () => {
    const before = (await events()).length;
    const calls = await open();
    const database = app.weir.app.get(Database, { strict: false });
    const log = app.weir.app.get(EventLog, { strict: false });
    let ended = 0;
    const failures: string[] = [];
    // For these sweepers, every open call is already longer than the longest call.
    const sweepers = Array.from(
      { length: 3 },
      () =>
        new GapSweeper({
          ...{ sql: database.sql, log, longestCallMs: -3_600_000 },
          ended: (count) => void (ended += count),
          failed: (why) => void failures.push(why),
        }),
    );
    await Promise.all(sweepers.map((sweeper) => sweeper.tick()));
    await sweepers[0]!.tick();
    expect(failures).toEqual([]);
    expect(ended).toBe(2 * CALLS);
    const gaps = (await events()).filter(({ reason }) => reason === 'log_gap');
    expect(gaps.map(({ type }) => type)).toEqual(Array.from({ length: 2 * CALLS }, () => 'ai.error'));
    expect(new Set(gaps.map(({ parent_id: parent }) => parent)).size).toBe(2 * CALLS);
    expect((await events()).length).toBe(before + 4 * CALLS);
    upstream.release();
    await Promise.all(calls);
  }, 60_000);
});
