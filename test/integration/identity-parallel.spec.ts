import { Database } from '../../src/database/index.js';
import { EmailTokens } from '../../src/identity/email-tokens.js';
import { OutboxWorker } from '../../src/identity/mail/outbox-worker.js';
import { identityClient, PASSWORD } from '../support/identity-client.js';
import { findPostgresBinaries, TestPostgres } from '../support/postgres.js';
import { startTestApp, type TestApp } from '../support/test-app.js';

const binaries = findPostgresBinaries();
const title = 'Concurrent work on two replicas';
if (binaries === undefined) console.warn(`SKIPPED, no PostgreSQL binaries found: ${title}`);

const MANY = 1_000;
/** Few by default because password hashing is slow by design, two at a time; `WEIR_TEST_SIGN_UPS=1000` sets more. */
const SIGN_UPS = Number(process.env['WEIR_TEST_SIGN_UPS'] ?? 40);
/** The number of concurrent requests, far more than the pools and queues of the service admit. */
const AT_A_TIME = 100;
/** The number of keys that both replicas delete at the same time. */
const TWICE = 100;

(binaries === undefined ? describe.skip : describe)(title, () => {
  let postgres: TestPostgres;
  let first: TestApp;
  let second: TestApp;
  const client = identityClient(() => first);
  const sql = () => first.weir.app.get(Database).sql;
  const count = async (statement: string): Promise<number> =>
    (await sql().query<{ n: number }>(`SELECT count(*)::integer AS n FROM ${statement}`))[0]?.n ?? -1;

  /** Runs all tasks, `AT_A_TIME` of them concurrently, and returns the results in order. */
  async function all<T>(tasks: readonly (() => Promise<T>)[]): Promise<T[]> {
    const results: T[] = [];
    const queue = tasks.entries();
    await Promise.all(
      Array.from({ length: AT_A_TIME }, async () => {
        for (const [index, task] of queue) results[index] = await task();
      }),
    );
    return results;
  }
  const both = (index: number): TestApp => (index % 2 === 0 ? first : second);
  const call = async (app: TestApp, method: string, path: string, body?: object) => {
    const response = await fetch(`${app.url}${path}`, {
      method,
      headers: { authorization: `Bearer ${first.bootstrap.token}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, json: text === '' ? undefined : JSON.parse(text) };
  };
  const isOpen = async (app: TestApp, key: string): Promise<boolean> => {
    const response = await fetch(`${app.url}/v1/events`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: '{}',
    });
    await response.arrayBuffer();
    return response.status !== 401;
  };

  beforeAll(async () => {
    postgres = await TestPostgres.start(binaries ?? '');
    const databaseUrl = await postgres.newDatabase();
    const env = {
      WEIR_LOG_LEVEL: 'silent',
      WEIR_RATE_AUTH: 'off',
      WEIR_RATE_ADDRESS: 'off',
      WEIR_RATE_MANAGEMENT: 'off',
    };
    first = await startTestApp({ databaseUrl, env });
    second = await startTestApp({ databaseUrl, env, replicaOf: first });
  }, 60_000);
  afterAll(async () => {
    await second.close();
    await first.close();
    await postgres.stop();
  });

  it('creates ten accounts and sends ten mails for a thousand sign-ups of ten addresses', async () => {
    const { sql: runner, kind } = first.weir.app.get(Database);
    expect(kind).toBe('postgres');
    // Bypasses the route, which hashes two passwords at a time: the race is for the address.
    await runner.query(
      `INSERT INTO mail_outbox (id, kind, address, email_key, data, created_at, attempts, next_attempt_at)
       SELECT gen_random_uuid(), 'sign_up', 'p' || n % 10 || '@example.com', 'p' || n % 10 || '@example.com',
              '{"passwordHash": "none"}', now(), 0, now() FROM generate_series(1, ${MANY}) n`,
    );
    const workers = [first, second].map((app) => app.weir.app.get(OutboxWorker));
    for (const worker of workers) worker.poke();
    await Promise.all(workers.map((worker) => worker.settle()));
    expect(await count(`people WHERE email LIKE 'p_@example.com'`)).toBe(10);
    expect(await count(`admin_actions WHERE action = 'account.created'`)).toBe(11);
    expect(await count('mail_outbox WHERE ended_at IS NULL')).toBe(0);
    expect(await count('mail_outbox WHERE sent_at IS NOT NULL')).toBe(10);
    expect(await count(`memberships`)).toBe(11);
  });

  it('creates one account and one link for each address that signs up at both replicas, and confirms it once', async () => {
    const addresses = Array.from({ length: SIGN_UPS / 2 }, (_, index) => `both${index}@example.com`);
    const signedUp = await all(
      addresses.flatMap((email) =>
        [first, second].map((app) => async () => (await identityClient(() => app).signUp(email)).status),
      ),
    );
    expect(new Set(signedUp)).toEqual(new Set([202]));
    const links = new Map<string, string>();
    for (const app of [first, second]) {
      const there = identityClient(() => app);
      await there.settle();
      for (const { to, token, subject } of await there.allMails()) {
        if (!to.startsWith('both')) continue;
        expect([to, subject, links.has(to)]).toEqual([to, expect.stringContaining('Confirm'), false]);
        links.set(to, token);
      }
    }
    expect([...links.keys()].sort()).toEqual(addresses.toSorted());
    const clicked = await all(
      addresses.flatMap((email) =>
        [first, second].map(
          (app) => async () => (await identityClient(() => app).verify(links.get(email) ?? '')).status,
        ),
      ),
    );
    const pairs = addresses.map((_, index) => clicked.slice(2 * index, 2 * index + 2).sort());
    expect(new Set(pairs.map(String))).toEqual(new Set(['200,303']));
    expect(await count(`people WHERE email LIKE 'both%' AND email_verified_at IS NOT NULL`)).toBe(addresses.length);
    expect(await count(`memberships m JOIN people p ON p.id = m.person_id WHERE p.email LIKE 'both%'`)).toBe(
      addresses.length,
    );
    expect(await count(`admin_actions WHERE action = 'email.verified'`)).toBe(addresses.length);
  }, 300_000);

  it('confirms an address once for a thousand clicks on one link', async () => {
    await client.signUp('clicked@example.com', PASSWORD);
    const mails = [];
    for (const app of [first, second]) {
      await client.settle(app);
      mails.push(...(await identityClient(() => app).mails('clicked@example.com')));
    }
    const { token } = mails[0]!;
    const statuses = await all(
      Array.from(
        { length: MANY },
        (_, index) => async () => (await identityClient(() => both(index)).verify(token)).status,
      ),
    );
    expect(statuses.filter((status) => status === 303)).toHaveLength(1);
    expect(statuses.filter((status) => status === 200)).toHaveLength(MANY - 1);
    expect(await count(`admin_actions WHERE action = 'email.verified'`)).toBe(1 + SIGN_UPS / 2);
  });

  it('accepts one of two links of a person when both are used at the same moment', async () => {
    const sessions = [first, second].map((app) => app.weir.app.get(Database).sql.forDuty('identify'));
    const tokens = new EmailTokens(sql());
    const typed = 'clicked@example.com';
    const address = { typed, key: typed };
    const [person] = await sessions[0]!.query<{ id: string }>(
      'SELECT id::text AS id FROM people WHERE email_key = $1',
      [typed],
    );
    const issue = () =>
      sessions[0]!.transaction((transaction) => tokens.issue(transaction, 'reset', person?.id ?? '', address, null));
    const winners = new Set<number>();
    for (let pair = 0; pair < 50; pair++) {
      const links = [await issue(), await issue()];
      const used = await Promise.all(
        sessions.map((session, index) =>
          session.transaction((transaction) => tokens.use(transaction, 'reset', links[index]!)),
        ),
      );
      winners.add(used.filter((one) => one !== null).length);
    }
    expect(winners).toEqual(new Set([1]));
  });

  it('records each creation or deletion of a key once, and applies it at the other replica within a second', async () => {
    const path = `/v1/apps/${first.bootstrap.app.id}/keys`;
    const made = await all(
      Array.from(
        { length: MANY },
        (_, index) => () => call(both(index), 'POST', path, { name: `k${index}`, environment: 'staging' }),
      ),
    );
    expect(new Set(made.map(({ status }) => status))).toEqual(new Set([201]));
    const ids = made.map(({ json }) => json.key.id as string);
    expect(new Set(ids).size).toBe(MANY);
    expect(await count(`api_keys WHERE name LIKE 'k%'`)).toBe(MANY);
    const watched = made[0]!.json as { key: { id: string }; secret: string };
    expect(await isOpen(second, watched.secret)).toBe(true);
    expect((await call(first, 'DELETE', `${path}/${watched.key.id}`)).status).toBe(204);
    const untilMs = performance.now() + 1_000;
    let open = true;
    while (open && performance.now() < untilMs) open = await isOpen(second, watched.secret);
    expect(await isOpen(second, watched.secret)).toBe(false);
    const rest = ids.slice(1);
    const wanted = [...rest.slice(0, TWICE), ...rest];
    const deleted = await all(wanted.map((id, index) => () => call(both(index), 'DELETE', `${path}/${id}`)));
    expect(deleted.filter(({ status }) => status === 204)).toHaveLength(MANY - 1);
    expect(deleted.filter(({ status }) => status === 404)).toHaveLength(TWICE);
    expect(await count(`admin_actions WHERE action = 'key.deleted'`)).toBe(MANY);
    expect(await count(`admin_actions WHERE action = 'key.created'`)).toBe(MANY);
  }, 180_000);
});
