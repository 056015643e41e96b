/** Notices that replicas send each other through the database, and their behaviour when none arrive. */
import { mkdtempSync, rmSync } from 'node:fs';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { AdminAudit, actorWithoutRequest } from '../../src/admin-audit/index.js';
import { ApiKeys } from '../../src/access/api-keys.js';
import { Bootstrap } from '../../src/access/bootstrap.js';
import { KeyAuthenticator } from '../../src/access/key-authenticator.js';
import { Revocations } from '../../src/access/revocations.js';
import { migrate, openDatabase, type Database } from '../../src/database/index.js';
import { PostgresListener, type ListenerOptions } from '../../src/database/postgres/postgres-listener.js';
import { describeOnPostgres } from '../support/describe-on-postgres.js';
import { postgresOptions } from '../support/each-database.js';
import { TestPostgres } from '../support/postgres.js';

const actor = actorWithoutRequest('operator');

/** If the condition never holds, the time limit of the suite ends the wait. */
async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await new Promise((resolve) => setImmediate(resolve));
}

describeOnPostgres('Notices between replicas', (binaries) => {
  let postgres: TestPostgres;
  let databaseUrl: string;
  let one: Database;
  let other: Database;
  let keys: ApiKeys;
  let dataDir: string;
  let app: { readonly account: string; readonly id: string };
  /** Its cache entries never expire: only a notice can remove them. */
  let authenticator: KeyAuthenticator;
  let pool: pg.Pool;

  beforeAll(async () => {
    postgres = await TestPostgres.start(binaries);
    databaseUrl = await postgres.newDatabase();
    dataDir = mkdtempSync(join(tmpdir(), 'weir-notices-'));
    one = await openDatabase(postgresOptions(databaseUrl));
    await migrate(one);
    await new Bootstrap(one, dataDir).ensure('http://localhost:8080');
    other = await openDatabase(postgresOptions(databaseUrl));
    const [found] = await one.sql.query<{ account: string; id: string }>(
      'SELECT account_id::text AS account, id::text AS id FROM apps',
    );
    app = found!;
    keys = new ApiKeys(one, new AdminAudit(one.sql), new Revocations(one));
    authenticator = new KeyAuthenticator(other.sql, undefined, {
      lifetimeMs: Infinity,
      maxEntries: 10,
      nowMs: () => 0,
    });
    new Revocations(other).onRevoked((accountId) => authenticator.forget(accountId));
    pool = new pg.Pool({ connectionString: databaseUrl, max: 3 });
    pool.on('error', () => undefined);
    await until(() => other.isHearing);
  }, 60_000);
  afterAll(async () => {
    await pool?.end();
    await other?.close();
    await one?.close();
    await postgres?.stop();
    rmSync(dataDir, { recursive: true, force: true });
  });

  const created = async () => {
    const made = await keys.create({ accountId: app.account, appId: app.id, name: 'k', environment: 'staging' }, actor);
    return made!;
  };
  const opens = async (secret: string): Promise<boolean> => (await authenticator.authenticate(secret)) !== null;
  /** Terminates the listening connections, as a network failure does. */
  const breakListeners = (): Promise<unknown> =>
    pool.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'LISTEN %'`);

  it('report a deleted key, and other keys of the account stay valid', async () => {
    const [gone, stays] = [await created(), await created()];
    expect([await opens(gone.secret), await opens(stays.secret)]).toEqual([true, true]);
    await keys.delete(app.account, app.id, gone.key.id, actor);
    await until(async () => !(await opens(gone.secret)));
    expect(await opens(stays.secret)).toBe(true);
  });

  it('are not sent if nothing was deleted', async () => {
    const said: (string | undefined)[] = [];
    const listener = new PostgresListener(pool);
    listener.listen('weir_revocations', (text) => void said.push(text));
    await until(() => listener.isHearing);
    await keys.delete(app.account, app.id, 'nosuchkey', actor);
    const { key } = await created();
    await keys.delete(app.account, app.id, key.id, actor);
    await until(() => said.includes(app.account));
    await listener.close();
    expect(said).toEqual([undefined, app.account]);
  });

  it('that were missed during a disconnection are compensated by clearing the cache', async () => {
    const { key, secret } = await created();
    expect(await opens(secret)).toBe(true);
    await breakListeners();
    // No notice is sent for this deletion.
    await one.sql.forMaintenance().query('UPDATE api_keys SET deleted_at = now() WHERE key_id = $1', [key.id]);
    await until(async () => !(await opens(secret)));
    await until(() => other.isHearing);
  });

  it('are known not to arrive during a disconnection, and known to arrive after the reconnection', async () => {
    const changes: boolean[] = [];
    const heard: (string | undefined)[] = [];
    const listener = new PostgresListener(pool, { retryAfterMs: 1, onChange: (now) => void changes.push(now) });
    listener.listen('weir_one', (text) => void heard.push(text));
    listener.listen('weir_two', (text) => void heard.push(text));
    expect(listener.isHearing).toBe(false);
    await until(() => listener.isHearing);
    await breakListeners();
    await until(() => changes.length === 3);
    await pool.query(`SELECT pg_notify('weir_two', 'again')`);
    await until(() => heard.includes('again'));
    await listener.close();
    expect(changes).toEqual([true, false, true, false]);
    expect(heard).toEqual([undefined, undefined, undefined, undefined, 'again']);
  });

  it('arrive on one connection after a connection was lost during LISTEN, and the pool can be closed', async () => {
    const own = new pg.Pool({ connectionString: databaseUrl, max: 4 });
    own.on('error', () => undefined);
    let connections = 0;
    const breaking = {
      connect: async () => {
        const client = await own.connect();
        connections += 1;
        if (connections > 1) return client;
        const query = client.query.bind(client) as (text: string) => Promise<unknown>;
        client.query = ((text: string) => {
          const answered = query(text);
          (client as unknown as { connection: { stream: Socket } }).connection.stream.destroy();
          return answered;
        }) as typeof client.query;
        return client;
      },
      query: (...asked: [string, unknown[]]) => own.query(...asked),
    } as unknown as pg.Pool;
    const heard: (string | undefined)[] = [];
    const listener = new PostgresListener(breaking, { retryAfterMs: 1 });
    listener.listen('weir_one', (text) => void heard.push(text));
    await until(() => listener.isHearing);
    await pool.query(`SELECT pg_notify('weir_one', 'once')`);
    await until(() => heard.includes('once'));
    await listener.close();
    await own.end();
    expect(heard).toEqual([undefined, 'once']);
    expect(connections).toBe(2);
  });

  it('are known not to arrive if a pooler drops them on an open connection', async () => {
    const connections: pg.PoolClient[] = [];
    const deaf = {
      connect: async () => {
        const client = await pool.connect();
        connections.push(client);
        // Simulates a pooler with shared connections: LISTEN succeeds, but no notice ever arrives.
        const query = client.query.bind(client) as (text: string) => Promise<unknown>;
        client.query = ((text: string) => query(text.startsWith('LISTEN') ? 'SELECT 1' : text)) as typeof client.query;
        return client;
      },
      query: (...asked: [string, unknown[]]) => pool.query(...asked),
    } as unknown as pg.Pool;
    const options: Partial<ListenerOptions> = { retryAfterMs: 1, probeEveryMs: 20 };
    const listener = new PostgresListener(deaf, options);
    listener.listen('weir_one', () => undefined);
    await until(() => connections.length > 1);
    expect(listener.isHearing).toBe(false);
    await listener.close();
  });
});
