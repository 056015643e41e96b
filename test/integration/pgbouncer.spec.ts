/** PostgreSQL behind a real PgBouncer in transaction mode: each transaction may run on another connection than the last. */
import { migrate, openDatabase } from '../../src/database/index.js';
import { postgresOptions } from '../support/each-database.js';
import { interleave } from '../support/interleaved-accounts.js';
import { findPgBouncer, TestPgBouncer } from '../support/pgbouncer.js';
import { findPostgresBinaries, TestPostgres } from '../support/postgres.js';
import { restClient } from '../support/rest-client.js';
import { startTestApp, type TestApp } from '../support/test-app.js';

const binaries = findPostgresBinaries();
const pgbouncer = findPgBouncer();
const wanted = process.env['WEIR_TEST_DATABASE'] !== 'embedded';
if (pgbouncer === undefined) console.warn('SKIPPED, no PgBouncer 1.21 or newer found: transaction mode');
const declare = binaries === undefined || pgbouncer === undefined || !wanted ? describe.skip : describe;

/** The time `n` hours after the start of the current hour. */
const hour = (n: number): string => new Date((Math.floor(Date.now() / 3_600_000) + n) * 3_600_000).toISOString();

declare('Weir behind PgBouncer in transaction mode', () => {
  let postgres: TestPostgres;
  let bouncer: TestPgBouncer;
  beforeAll(async () => {
    postgres = await TestPostgres.start(binaries ?? '');
    bouncer = await TestPgBouncer.start(pgbouncer ?? '', postgres);
  }, 60_000);
  afterAll(async () => {
    await bouncer.stop();
    await postgres.stop();
  });

  it('isolates the rows of accounts, whichever connections their statements share', async () => {
    const options = postgresOptions(bouncer.through(await postgres.newDatabase()));
    const database = await openDatabase(options);
    try {
      await migrate(database);
      await interleave(database);
    } finally {
      await database.close();
    }
  }, 120_000);

  describe('two replicas', () => {
    const apps: TestApp[] = [];
    const clients = [0, 1].map((nth) => restClient(() => apps[nth]!));
    let databaseUrl: string;
    beforeAll(async () => {
      databaseUrl = await postgres.newDatabase();
      const first = await startTestApp({ databaseUrl: bouncer.through(databaseUrl) });
      apps.push(first, await startTestApp({ databaseUrl: bouncer.through(databaseUrl), replicaOf: first }));
    }, 120_000);
    afterAll(async () => {
      for (const app of apps) await app.close();
    });
    const event = (id: string, content: string) => ({
      ...{ type: 'ai.request', event_id: id, request_id: id, metadata: { session_id: 's' } },
      payload: { model: 'gpt-4o', messages: [{ role: 'user', content }] },
    });

    it('store each of many concurrent events exactly once', async () => {
      const answers = await Promise.all(
        Array.from({ length: 300 }, (_, n) => clients[n % 2]!.submit(event(`many-${n % 150}`, 'hello'))),
      );
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
      const [row] = await postgres.ask<{ n: number }>(
        `SELECT count(*)::integer AS n FROM events WHERE type = 'ai.request'`,
        new URL(databaseUrl).pathname.slice(1),
      );
      expect(row?.n).toBe(150);
    }, 120_000);

    it.each([
      '/v1/events',
      '/v1/events?view=calls',
      '/v1/events/many-1',
      `/v1/stats?from=${hour(-24)}&to=${hour(1)}`,
      '/v1/sessions',
      '/v1/budgets',
    ])('answer many concurrent requests GET %s', async (path) => {
      const answers = await Promise.all(Array.from({ length: 40 }, (_, n) => clients[n % 2]!.read(path)));
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
      // `complete_until` is the time of each request.
      const figures = answers.map(({ text }) => text.replace(/"complete_until":"[^"]*"/, ''));
      expect(new Set(figures).size).toBe(1);
    });

    it('detect that notices do not arrive, and nevertheless refuse a deleted key', async () => {
      const notices = async (): Promise<string | undefined> =>
        /^weir_notices_connected (\d)$/m.exec(await (await fetch(`${apps[1]!.url}/metrics`)).text())?.[1];
      while ((await notices()) !== '0');
      const { bootstrap, url } = apps[0]!;
      const headers = { authorization: `Bearer ${bootstrap.token}`, 'content-type': 'application/json' };
      const path = `/v1/apps/${bootstrap.app.id}/keys`;
      const made = await clients[0]!.call(
        'POST',
        path,
        headers,
        JSON.stringify({ name: 'short-lived', environment: 'production' }),
      );
      const { key, secret } = made.json as { key: { id: string }; secret: string };
      const sent = { authorization: `Bearer ${secret}`, 'content-type': 'application/json' };
      const submit = (): Promise<number> =>
        clients[1]!
          .call('POST', '/v1/events', sent, JSON.stringify(event('by-key', 'hello')))
          .then((all) => all.status);
      expect(await submit()).toBe(200);
      const deleted = await fetch(`${url}${path}/${key.id}`, { method: 'DELETE', headers });
      expect(deleted.ok).toBe(true);
      while ((await submit()) !== 401);
    }, 60_000);

    it('log no errors', () => {
      const faults = apps.flatMap(({ logs }) =>
        logs.filter((line) => (JSON.parse(line) as { level: number }).level >= 50),
      );
      expect(faults).toEqual([]);
    });
  });
});
