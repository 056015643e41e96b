/** Connections to PostgreSQL whose packets are lost: from the first connection on, and until the service has stopped. */
import { openDatabase, POSTGRES_DEFAULTS, type Database } from '../../src/database/index.js';
import { describeOnPostgres } from '../support/describe-on-postgres.js';
import { TestPostgres } from '../support/postgres.js';
import { FreezingProxy } from '../support/freezing-proxy.js';

/** Longer than the tests may take: a statement with this limit never ends by itself. */
const LONG_MS = 600_000;

describeOnPostgres('A connection to PostgreSQL whose packets are lost', (binaries) => {
  let postgres: TestPostgres;
  let proxy: FreezingProxy;
  beforeAll(async () => {
    postgres = await TestPostgres.start(binaries);
  }, 60_000);
  afterEach(() => proxy.stop());
  afterAll(() => postgres.stop());

  async function open(limits: Partial<Record<keyof typeof POSTGRES_DEFAULTS, number>>): Promise<Database> {
    const url = new URL(await postgres.newDatabase());
    proxy = await FreezingProxy.start(Number(url.port));
    url.port = String(proxy.port);
    return openDatabase({ kind: 'postgres', postgres: { ...POSTGRES_DEFAULTS, ...limits, databaseUrl: url.href } });
  }

  it('fails its statement, even if it is the one with which the database was opened', async () => {
    const database = await open({});
    try {
      proxy.freezeOpen();
      await expect(database.sql.query('SELECT 1 AS one')).rejects.toMatchObject({ code: 'NO_ANSWER' });
    } finally {
      await database.close();
    }
  }, 60_000);

  it('does not keep the service from stopping', async () => {
    const database = await open({ callTimeoutMs: LONG_MS, statementTimeoutMs: LONG_MS });
    const frozen = Promise.withResolvers<void>();
    const held = database.sql.transaction(async (transaction) => {
      await transaction.query('SELECT 1 AS one');
      proxy.freezeOpen();
      frozen.resolve();
      await transaction.query('SELECT 1 AS one');
    });
    const failed = expect(held).rejects.toMatchObject({ code: 'NO_ANSWER' });
    await frozen.promise;
    await database.close();
    await failed;
  }, 60_000);
});
