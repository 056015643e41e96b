import { Subscriptions } from '../../src/subscription/index.js';
import { Database, type SubscriptionState } from '../../src/database/index.js';
import { AdminAudit } from '../../src/admin-audit/index.js';
import { TrialCounter } from '../../src/subscription/trial-counter.js';
import { appWithProvider } from '../support/app-with-provider.js';
import { eachDatabase } from '../support/each-database.js';
import { restClient } from '../support/rest-client.js';
import { findPostgresBinaries, TestPostgres } from '../support/postgres.js';
import { startTestApp, type TestApp } from '../support/test-app.js';

const event = (more: object = {}) => ({
  type: 'ai.error',
  request_id: 'r',
  payload: { error: { type: 'timeout', message: 'late' } },
  ...more,
});
const CHAT = JSON.stringify({ model: 'gpt-4o', messages: [{ role: 'user', content: 'hello' }] });

/** Changes the subscription as the operator does; replicas cache it for at most a second. */
function operator(app: TestApp) {
  const database = app.weir.app.get(Database);
  const subscriptions = new Subscriptions(database.sql, new AdminAudit(database.sql));
  const accountId = async (): Promise<string> => {
    const [row] = await database.sql.query<{ id: string }>('SELECT id::text AS id FROM accounts');
    return row?.id ?? '';
  };
  return {
    async set(state: SubscriptionState, more: object = {}): Promise<void> {
      await subscriptions.change(await accountId(), { state, ...more });
    },
    async used(): Promise<number> {
      return (await subscriptions.find(await accountId()))?.trialEvents ?? Number.NaN;
    },
  };
}

/** Repeats the request until the response has this status: a change applies within a second. */
async function until(status: number, ask: () => Promise<{ status: number }>): Promise<void> {
  while ((await ask()).status !== status);
}

describe('a subscription', () => {
  const app = appWithProvider({
    WEIR_TRIAL_EVENTS: '12',
    WEIR_TRIAL_DAYS: '14',
  });
  const { submit, read, call } = restClient(app);
  const proxied = (path: string) =>
    call(
      'POST',
      path,
      {
        'x-service-key': app().bootstrap.keys.production,
        authorization: 'Bearer p',
        'content-type': 'application/json',
      },
      CHAT,
    );

  it('of the first account is active, and counts no events', async () => {
    expect((await submit(event())).status).toBe(200);
    const { json } = await read('/v1/subscription');
    expect(json).toEqual({
      state: 'active',
      billing: 'on',
      trial: null,
      period_ends_at: null,
      changed_at: expect.any(String),
    });
    expect(await operator(app()).used()).toBe(0);
  });

  it.each([
    ['inactive', 'subscription_inactive'],
    ['lapsed', 'subscription_lapsed'],
  ] as const)('that is %s refuses events and proxied calls with 402, and allows reads', async (state, type) => {
    await submit(event({ event_id: `before-${state}` }));
    await operator(app()).set(state);
    await until(402, () => submit(event()));
    const refused = await submit(event());
    expect(refused.json.error.type).toBe(type);
    expect(refused.headers.get('x-should-retry')).toBe('false');
    const asOpenai = await proxied('/proxy/openai/v1/chat/completions');
    expect([asOpenai.status, asOpenai.json.error.type, asOpenai.json.error.code]).toEqual([
      402,
      'permission_error',
      type,
    ]);
    const asAnthropic = await proxied('/proxy/anthropic/v1/messages');
    expect([asAnthropic.status, asAnthropic.json.error.type, asAnthropic.json.error.weir.code]).toEqual([
      402,
      'permission_error',
      type,
    ]);
    expect(asAnthropic.headers.get('x-should-retry')).toBe('false');
    expect((await read('/v1/events')).status).toBe(200);
    expect((await read('/v1/subscription')).json.state).toBe(state);
    const replay = await submit(event({ event_id: `before-${state}` }));
    expect([replay.status, replay.headers.get('idempotent-replayed')]).toEqual([200, 'true']);
    await operator(app()).set('active');
    await until(200, () => submit(event()));
  });

  it('that is paid until a date lapses on that date', async () => {
    await operator(app()).set('active', { endsAt: new Date(Date.now() - 1) });
    await until(402, () => submit(event()));
    expect((await read('/v1/subscription')).json.state).toBe('lapsed');
    expect((await read('/v1/account')).json.account.subscription).toBe('lapsed');
    await operator(app()).set('active', { endsAt: null });
    await until(200, () => submit(event()));
  });

  it('on trial counts submitted events and proxied calls, but neither replays nor invalid requests', async () => {
    await operator(app()).set('trialing', { restartTrial: true });
    const { used } = operator(app());
    // While a replica still has the account cached as active, it counts nothing.
    while ((await used()) === 0) await submit(event());
    const before = await used();
    await submit(event({ event_id: 'counted' }));
    await submit(event({ event_id: 'counted' }));
    expect((await submit({ type: 'ai.request', request_id: 'r', payload: { prompt: 'ssn-1' } })).status).toBe(400);
    expect((await submit('{')).status).toBe(422);
    expect((await submit(event({ event_id: 'counted', request_id: 'other' }))).status).toBe(422);
    expect((await submit({ type: 'ai.request', request_id: 'r', payload: { prompt: 'explode' } })).status).toBe(503);
    expect((await proxied('/proxy/openai/v1/chat/completions')).status).toBe(200);
    expect((await proxied('/proxy/openai/v1/embeddings/none')).status).toBeGreaterThanOrEqual(400);
    expect(await used()).toBe(before + 4);
    expect((await read('/v1/subscription')).json).toMatchObject({
      state: 'trialing',
      trial: { events_used: before + 4, events_included: 12, over: false },
    });
  });

  it('on trial ends with the last included event, and later requests are refused without a time to retry', async () => {
    await operator(app()).set('trialing', { restartTrial: true });
    while ((await operator(app()).used()) === 0) await submit(event());
    const statuses = await Promise.all(Array.from({ length: 40 }, async () => (await submit(event())).status));
    expect(new Set(statuses)).toEqual(new Set([200, 429]));
    expect(await operator(app()).used()).toBe(12);
    const over = await submit(event());
    expect([over.status, over.json.error.type]).toEqual([429, 'trial_limit_reached']);
    expect(over.headers.get('retry-after')).toBeNull();
    expect(over.headers.get('x-should-retry')).toBe('false');
    const asOpenai = await proxied('/proxy/openai/v1/chat/completions');
    expect([asOpenai.status, asOpenai.json.error.code, asOpenai.json.error.type]).toEqual([
      429,
      'trial_limit_reached',
      'trial_limit_reached',
    ]);
    expect((await proxied('/proxy/anthropic/v1/messages')).json.error.type).toBe('trial_limit_reached');
    expect((await read('/v1/subscription')).json.trial).toMatchObject({ over: true, events_used: 12 });
    const { json } = await read('/v1/audit?action=subscription.changed');
    expect(json.data[0]).toMatchObject({ actor: { kind: 'operator' }, details: { to: 'trialing' } });
  });

  it('is ignored if billing is off', async () => {
    const other = await startTestApp({ env: { WEIR_BILLING: 'off' } });
    try {
      await operator(other).set('lapsed');
      const rest = restClient(() => other);
      expect((await rest.submit(event())).status).toBe(200);
      expect((await rest.read('/v1/subscription')).json).toMatchObject({ state: 'active', billing: 'off' });
      expect((await rest.read('/v1/account')).json.account).toMatchObject({ subscription: 'active' });
    } finally {
      await other.close();
    }
  });
});

eachDatabase('The count of a trial', (current) => {
  const newAccount = async (): Promise<string> => {
    const { sql } = current().database;
    const [row] = await sql.query<{ id: string }>(
      `INSERT INTO accounts (id, status, created_at) VALUES (gen_random_uuid(), 'active', now()) RETURNING id::text AS id`,
    );
    const id = row?.id ?? '';
    await sql.query(
      `INSERT INTO subscriptions (account_id, state, trial_started_at, changed_at) VALUES ($1::uuid, 'trialing', now(), now())`,
      [id],
    );
    return id;
  };
  const used = async (id: string): Promise<number | undefined> =>
    (
      await current().database.sql.query<{ n: number }>(
        'SELECT trial_events::integer AS n FROM subscriptions WHERE account_id = $1::uuid',
        [id],
      )
    )[0]?.n;

  it('is exact across replicas: concurrent events use the limit and no more', async () => {
    const account = await newAccount();
    const databases = [current().database, await current().openAnother(), await current().openAnother()];
    const counters = databases.map(({ sql }) => new TrialCounter(sql, 100));
    const taken = await Promise.all(
      Array.from({ length: 300 }, (_, index) => counters[index % counters.length]!.take(account)),
    );
    expect(taken.filter((each) => each === 'granted')).toHaveLength(100);
    expect(taken.filter((each) => each === 'used_up')).toHaveLength(200);
    expect(await used(account)).toBe(100);
  });

  it('is reduced by events that are given back, but not below zero', async () => {
    const account = await newAccount();
    const counter = new TrialCounter(current().database.sql, 3);
    expect(await Promise.all([1, 2, 3, 4].map(() => counter.take(account)))).toEqual([
      'granted',
      'granted',
      'granted',
      'used_up',
    ]);
    counter.giveBack(account);
    expect(await counter.take(account)).toBe('granted');
    for (let count = 0; count < 5; count += 1) counter.giveBack(account);
    await counter.settle();
    expect(await used(account)).toBe(0);
  });

  it('reports that an account is no longer on trial', async () => {
    const account = await newAccount();
    await current().database.sql.query(`UPDATE subscriptions SET state = 'active' WHERE account_id = $1::uuid`, [
      account,
    ]);
    const counter = new TrialCounter(current().database.sql, 3);
    expect(await counter.take(account)).toBe('not_trialing');
    expect(await used(account)).toBe(0);
  });
});

describe('a changed subscription', () => {
  it('applies on every replica', async () => {
    const binaries = findPostgresBinaries();
    if (binaries === undefined) throw new Error('there is no PostgreSQL for two replicas');
    const postgres = await TestPostgres.start(binaries);
    const databaseUrl = await postgres.newDatabase();
    const first = await startTestApp({ databaseUrl });
    const second = await startTestApp({ databaseUrl, replicaOf: first });
    try {
      for (const app of [first, second]) expect((await restClient(() => app).submit(event())).status).toBe(200);
      await operator(first).set('lapsed');
      for (const app of [first, second]) await until(402, () => restClient(() => app).submit(event()));
    } finally {
      await second.close();
      await first.close();
      await postgres.stop();
    }
  });
});
