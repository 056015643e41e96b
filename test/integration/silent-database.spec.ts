/** A database that is reachable but does not answer: lost packets, stopped processes, a busy thread. */
import { Database, openDatabase, POSTGRES_DEFAULTS } from '../../src/database/index.js';
import { describeOnPostgres } from '../support/describe-on-postgres.js';
import { TestPostgres } from '../support/postgres.js';
import { FreezingProxy } from '../support/freezing-proxy.js';
import { startTestApp, type TestApp } from '../support/test-app.js';

/** Short, so that a test does not take long; the tests check that no call waits for ever. */
const TIMEOUT = { WEIR_DATABASE_CALL_TIMEOUT: '1s' };
/** An answer that takes longer than this never arrives. */
const NEVER_MS = 20_000;
/** The delay of a slow PostgreSQL: longer than any call waits. */
const LATENCY_MS = 30_000;
/** Keeps the embedded database busy for many times the call timeout. */
const BUSY = 'SELECT count(*)::integer AS n FROM generate_series(1, 40000000)';

function submit(app: TestApp, eventId: string): Promise<Response> {
  return fetch(`${app.url}/v1/events`, {
    method: 'POST',
    headers: { authorization: `Bearer ${app.bootstrap.keys.production}`, 'content-type': 'application/json' },
    body: JSON.stringify({ type: 'ai.request', event_id: eventId, request_id: eventId, payload: { prompt: 'hello' } }),
    signal: AbortSignal.timeout(NEVER_MS),
  });
}

const many = (app: TestApp, name: string): Promise<Response[]> =>
  Promise.all(Array.from({ length: 40 }, (_, index) => submit(app, `${name}-${index}`)));

/** Read requests of people and programs that manage the account. */
const READS = ['/v1/apps', '/v1/keys', '/v1/tokens', '/v1/account', '/v1/audit', '/v1/events', '/v1/stats'];

const reads = (app: TestApp): Promise<Response[]> =>
  Promise.all(
    READS.map((path) =>
      fetch(`${app.url}${path}`, {
        headers: { authorization: `Bearer ${app.bootstrap.token}` },
        signal: AbortSignal.timeout(NEVER_MS),
      }),
    ),
  );

async function eventually(app: TestApp, eventId: string): Promise<Response> {
  for (;;) {
    const answer = await submit(app, eventId);
    if (answer.status !== 503) return answer;
  }
}

/** Expects an outage to be reported as an outage, with a time to retry. */
async function expectOutage(answer: Response): Promise<void> {
  expect(answer.status).toBe(503);
  expect(answer.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
  expect(await answer.json()).toMatchObject({ error: { type: 'unavailable' } });
}

/** Waits until the service is ready, because a busy machine may answer late after the database is back. */
async function untilReady(app: TestApp): Promise<void> {
  for (let status = 503; status !== 200;) {
    const probe = await fetch(`${app.url}/readyz`, { signal: AbortSignal.timeout(NEVER_MS) });
    await probe.arrayBuffer();
    status = probe.status;
  }
}

async function expectNotReady(app: TestApp): Promise<void> {
  const probe = await fetch(`${app.url}/readyz`, { signal: AbortSignal.timeout(NEVER_MS) });
  await probe.arrayBuffer();
  expect(probe.status).toBe(503);
}

describeOnPostgres('A service whose PostgreSQL does not answer', (binaries) => {
  let postgres: TestPostgres;
  let proxy: FreezingProxy;
  let app: TestApp;

  beforeAll(async () => {
    postgres = await TestPostgres.start(binaries);
    const url = new URL(await postgres.newDatabase());
    proxy = await FreezingProxy.start(Number(url.port));
    url.port = String(proxy.port);
    app = await startTestApp({ databaseUrl: url.href, env: TIMEOUT });
  }, 60_000);
  afterAll(async () => {
    postgres.resume();
    await app.close();
    await proxy.stop();
    await postgres.stop();
  });

  it('continues on new connections if the packets of all open connections are lost', async () => {
    expect((await eventually(app, 'before-freeze')).status).toBe(200);
    for (const { status } of await reads(app)) expect(status).toBe(200);
    expect(proxy.freezeOpen()).toBeGreaterThan(0);
    const [during, read] = await Promise.all([many(app, 'freeze'), reads(app)]);
    for (const answer of read) if (answer.status !== 200) await expectOutage(answer);
    for (const answer of during) if (answer.status !== 200) await expectOutage(answer);
    expect(during.some(({ status }) => status === 503)).toBe(true);
    expect((await eventually(app, 'after-freeze')).status).toBe(200);
    await untilReady(app);
    const again = await eventually(app, 'before-freeze');
    expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([200, 'true']);
  }, 60_000);

  it('responds with 503 while all processes of PostgreSQL are stopped, and continues when they resume', async () => {
    expect((await eventually(app, 'before-pause')).status).toBe(200);
    for (const { status } of await reads(app)) expect(status).toBe(200);
    postgres.pause();
    const [during, read] = await Promise.all([many(app, 'pause'), reads(app)]);
    for (const answer of [...during, ...read]) await expectOutage(answer);
    await expectNotReady(app);
    // No call waits for a database that is known not to answer.
    for (const answer of await many(app, 'pause-later')) await expectOutage(answer);
    expect((await fetch(`${app.url}/healthz`)).status).toBe(200);
    postgres.resume();
    expect((await eventually(app, 'pause-0')).status).toBe(200);
    await untilReady(app);
    for (const { status } of await reads(app)) expect(status).toBe(200);
    expect(app.logs.join('')).not.toMatch(/hello|postgres(ql)?:\/\//);
  }, 60_000);

  it('responds with 503 while PostgreSQL answers 30 seconds late, and continues when it answers in time', async () => {
    expect((await eventually(app, 'before-latency')).status).toBe(200);
    for (const { status } of await reads(app)) expect(status).toBe(200);
    proxy.answerAfter(LATENCY_MS);
    const [during, read] = await Promise.all([many(app, 'late'), reads(app)]);
    for (const answer of [...during, ...read]) await expectOutage(answer);
    await expectNotReady(app);
    for (const answer of await many(app, 'later')) await expectOutage(answer);
    expect((await fetch(`${app.url}/healthz`)).status).toBe(200);
    proxy.answerAfter(0);
    expect((await eventually(app, 'late-0')).status).toBe(200);
    await untilReady(app);
    for (const { status } of await reads(app)) expect(status).toBe(200);
  }, 60_000);

  it('does not end a statement that PostgreSQL is executing, even if it exceeds the call timeout', async () => {
    const url = new URL(await postgres.newDatabase());
    url.port = String(proxy.port);
    const postgresOptions = { ...POSTGRES_DEFAULTS, databaseUrl: url.href, callTimeoutMs: 200 };
    const database = await openDatabase({ kind: 'postgres', postgres: postgresOptions });
    try {
      // Several times the call timeout, so that the connection is checked meanwhile.
      const slow = database.sql.forMaintenance().query('SELECT 1 AS one FROM pg_sleep(2)');
      expect(await slow).toEqual([{ one: 1 }]);
    } finally {
      await database.close();
    }
  }, 60_000);

  it('leaks no connection of the pool if outages interrupt management transactions', async () => {
    // Each round interrupts several transactions; the pool has ten connections.
    for (let round = 0; round < 4; round += 1) {
      for (const { status } of await reads(app)) expect(status).toBe(200);
      proxy.freezeOpen();
      const [call] = await Promise.all([submit(app, `round-${round}`), reads(app)]);
      if (call.status !== 200) await expectOutage(call);
      expect((await eventually(app, `after-round-${round}`)).status).toBe(200);
      await untilReady(app);
    }
    for (const { status } of await reads(app)) expect(status).toBe(200);
  }, 90_000);
});

describeOnPostgres('A service whose PostgreSQL is read-only', (binaries) => {
  let postgres: TestPostgres;
  let app: TestApp;

  beforeAll(async () => {
    postgres = await TestPostgres.start(binaries);
    app = await startTestApp({ databaseUrl: await postgres.newDatabase(), env: TIMEOUT });
  }, 60_000);
  afterAll(async () => {
    await app.close();
    await postgres.stop();
  });

  it('is not ready, reports the reason, and is ready again when writes are accepted', async () => {
    expect((await eventually(app, 'before')).status).toBe(200);
    await postgres.takeWrites(false);
    let probe = await fetch(`${app.url}/readyz`);
    while (probe.status === 200) probe = await fetch(`${app.url}/readyz`);
    expect(await probe.json()).toMatchObject({
      error: { details: [{ path: 'database', message: 'is read-only, like a standby' }] },
    });
    await expectOutage(await submit(app, 'during'));
    await postgres.takeWrites(true);
    expect((await eventually(app, 'during')).status).toBe(200);
    await untilReady(app);
  }, 60_000);
});

const onEmbedded = process.env['WEIR_TEST_DATABASE'] === 'postgres' ? describe.skip : describe;

onEmbedded('A service whose embedded database is busy with one statement', () => {
  let app: TestApp;

  beforeAll(async () => {
    app = await startTestApp({ env: TIMEOUT });
  }, 60_000);
  afterAll(() => app.close());

  it('responds with 503, is not ready, and continues when the statement ends', async () => {
    expect((await eventually(app, 'before')).status).toBe(200);
    // The embedded database runs one statement at a time, so this one blocks it for several call timeouts.
    const begun = Promise.withResolvers<undefined>();
    const busy = app.weir.app.get(Database).sql.transaction(async (transaction) => {
      await transaction.query('SELECT 1 AS one');
      begun.resolve(undefined);
      await transaction.query(BUSY);
    });
    // Calls would go before a statement that still waits.
    await begun.promise;
    const during = await many(app, 'busy');
    for (const answer of during) await expectOutage(answer);
    await expectNotReady(app);
    expect((await fetch(`${app.url}/healthz`)).status).toBe(200);
    await busy;
    expect((await eventually(app, 'busy-0')).status).toBe(200);
    await untilReady(app);
  }, 60_000);
});
