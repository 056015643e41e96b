import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AccessUnavailable } from '../../src/access/access-errors.js';
import { actorWithoutRequest, AdminAudit } from '../../src/admin-audit/index.js';
import { ApiKeys } from '../../src/access/api-keys.js';
import { Bootstrap } from '../../src/access/bootstrap.js';
import { bootstrapPath, type BootstrapFile } from '../../src/access/bootstrap-file.js';
import { newCredential } from '../../src/access/credential.js';
import { KeyAuthenticator } from '../../src/access/key-authenticator.js';
import { verifyPassword } from '../../src/access/password-hash.js';
import { Revocations } from '../../src/access/revocations.js';
import { TokenAuthenticator } from '../../src/access/token-authenticator.js';
import { TOKEN_SCOPES } from '../../src/core/index.js';
import { Account, Membership, Person, type SqlRow, type SqlRunner, type SqlSession } from '../../src/database/index.js';
import { eachDatabase } from '../support/each-database.js';
import { eachSession, everyScope, goneSql } from '../support/sql.js';

/** Counts the statements that reach the database. */
function counting(inner: SqlRunner): SqlRunner & { readonly statements: number } {
  let statements = 0;
  const counted = eachSession(inner, (session) => ({
    query(...parameters) {
      statements += 1;
      return session.query(...parameters);
    },
    transaction: (work) => session.transaction(work),
  }));
  return {
    ...counted,
    get statements() {
      return statements;
    },
  };
}

eachDatabase('a first start', (current) => {
  let dataDir: string;
  beforeAll(() => {
    dataDir = mkdtempSync(join(tmpdir(), 'weir-bootstrap-'));
  });
  afterAll(() => rmSync(dataDir, { recursive: true, force: true }));
  const file = (): BootstrapFile => JSON.parse(readFileSync(bootstrapPath(dataDir), 'utf8')) as BootstrapFile;

  it('of several servers at once creates one account, and all credentials in its file are valid', async () => {
    const others = await Promise.all([1, 2].map(() => current().openAnother()));
    const written = await Promise.all(
      [current().database, ...others].map((database) =>
        new Bootstrap(database, dataDir).ensure('http://localhost:8080'),
      ),
    );
    expect(written.filter((path) => path !== null)).toEqual([bootstrapPath(dataDir)]);
    expect(await current().database.orm.em.fork().count(Account)).toBe(1);

    const { sql } = current().database;
    for (const environment of ['development', 'staging', 'production'] as const) {
      const caller = await new KeyAuthenticator(sql).authenticate(file().keys[environment]);
      expect(caller).toMatchObject({ environment, appId: file().app.id, appName: 'default' });
    }
    const manager = await new TokenAuthenticator(sql).authenticate(file().token);
    expect(manager?.scopes).toEqual(TOKEN_SCOPES);
    expect(manager?.environment).toBeUndefined();
  });

  it('writes a file of the documented shape that only its owner can read', () => {
    expect(statSync(bootstrapPath(dataDir)).mode & 0o777).toBe(0o600);
    expect(file()).toEqual({
      base_url: 'http://localhost:8080',
      account: { email: expect.any(String), password: expect.any(String) },
      app: { id: expect.any(String), name: 'default' },
      keys: {
        development: expect.stringMatching(/^sk_test_wr1_/),
        staging: expect.stringMatching(/^sk_test_wr1_/),
        production: expect.stringMatching(/^sk_live_wr1_/),
      },
      token: expect.stringMatching(/^wt_live_wr1_/),
    });
  });

  it('creates an active account whose owner is verified and has the password of the file', async () => {
    const entities = current().database.orm.em.fork();
    const account = await entities.findOneOrFail(Account, { status: 'active' });
    const [subscription] = await current().database.sql.query(
      'SELECT state FROM subscriptions WHERE account_id = $1::uuid',
      [account.id],
    );
    expect(subscription).toEqual({ state: 'active' });
    const { personId, role } = await entities.findOneOrFail(Membership, { accountId: account.id });
    expect(role).toBe('owner');
    const person = await entities.findOneOrFail(Person, { id: personId, email: file().account.email });
    expect(person.emailVerifiedAt).toBeInstanceOf(Date);
    expect(await verifyPassword(file().account.password, person.passwordHash ?? '')).toBe(true);
  });

  it('stores no secret in the clear', async () => {
    const secrets = [...Object.values(file().keys), file().token, file().account.password];
    for (const table of ['accounts', 'people', 'admin_actions', 'apps', 'api_keys', 'management_tokens']) {
      const rows = await current().database.sql.query<{ text: string }>(
        `SELECT row_to_json(t)::text AS text FROM ${table} t`,
      );
      for (const secret of secrets) {
        expect(rows.some(({ text }) => text.includes(secret.slice(-32)))).toBe(false);
      }
    }
  });

  it('is not repeated: a second start changes nothing', async () => {
    const before = file();
    expect(await new Bootstrap(current().database, dataDir).ensure('http://elsewhere')).toBeNull();
    expect(file()).toEqual(before);
  });
});

eachDatabase('a first start whose file cannot be written', (current) => {
  it('leaves the database empty, so that the next start can create the account', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'weir-bootstrap-'));
    const blocked = join(dataDir, 'file');
    try {
      writeFileSync(blocked, '');
      await expect(new Bootstrap(current().database, join(blocked, 'data')).ensure('http://x')).rejects.toMatchObject({
        code: 'ENOTDIR',
      });
      expect(await current().database.orm.em.fork().count(Account)).toBe(0);
      expect(await new Bootstrap(current().database, dataDir).ensure('http://x')).toBe(bootstrapPath(dataDir));
    } finally {
      rmSync(dataDir, { recursive: true, force: true });
    }
  });
});

eachDatabase('an API key', (current) => {
  let accountId: string;
  let appId: string;
  let dataDir: string;
  const operator = actorWithoutRequest('operator');
  let keys: ApiKeys;
  beforeAll(async () => {
    dataDir = mkdtempSync(join(tmpdir(), 'weir-keys-'));
    await new Bootstrap(current().database, dataDir).ensure('http://localhost:8080');
    const [app] = await current().database.sql.query<{ account: string; id: string }>(
      'SELECT account_id::text AS account, id::text AS id FROM apps',
    );
    accountId = app?.account ?? '';
    appId = app?.id ?? '';
    keys = new ApiKeys(current().database, new AdminAudit(current().database.sql), new Revocations(current().database));
  });
  afterAll(() => rmSync(dataDir, { recursive: true, force: true }));
  const create = async (changes: { expiresAt?: Date } = {}) => {
    const made = await keys.create({ accountId, appId, name: 'ci', environment: 'staging', ...changes }, operator);
    if (made === null) throw new Error('no key');
    return made;
  };

  it('identifies its app and environment, and is listed without its secret', async () => {
    const { key, secret } = await create();
    expect(await new KeyAuthenticator(current().database.sql).authenticate(secret)).toEqual({
      accountId,
      appId,
      appName: 'default',
      keyId: key.id,
      keyName: 'ci',
      environment: 'staging',
    });
    const listed = await keys.list(accountId, appId);
    expect(listed.map(({ id }) => id)).toContain(key.id);
    expect(JSON.stringify(listed)).not.toContain(secret.slice(-20));
  });

  it('cannot be created for the app of another account', async () => {
    const request = { appId, name: 'x', environment: 'staging' as const };
    expect(await keys.create({ ...request, accountId: randomUUID() }, operator)).toBeNull();
  });

  it('that is missing, malformed or mistyped is refused without a query', async () => {
    const sql = counting(current().database.sql);
    const authenticator = new KeyAuthenticator(sql);
    const { secret } = await create();
    const mistyped = secret.slice(0, -1) + (secret.endsWith('0') ? '1' : '0');
    for (const presented of [undefined, '', 'Bearer', mistyped, secret.slice(1), newCredential('wt_live_').text]) {
      expect(await authenticator.authenticate(presented)).toBeNull();
    }
    expect(sql.statements).toBe(0);
  });

  it('that is unknown, or has a known id and another secret, is refused', async () => {
    const authenticator = new KeyAuthenticator(current().database.sql);
    expect(await authenticator.authenticate(newCredential('sk_test_').text)).toBeNull();
    const { key } = await create();
    const forged = newCredential('sk_test_');
    await current().database.sql.query('UPDATE api_keys SET key_id = $1 WHERE key_id = $2', [forged.id, key.id]);
    expect(await authenticator.authenticate(forged.text)).toBeNull();
  });

  it('needs the same lookup whether its id is known or not, and is never confused with the key next to it in the index', async () => {
    const { key, secret } = await create();
    const wrong = newCredential('sk_test_');
    await current().database.sql.query('UPDATE api_keys SET key_id = $1 WHERE key_id = $2', [wrong.id, key.id]);
    const answers: SqlRow[][] = [];
    const watched = eachSession(current().database.sql, (session) => ({
      ...session,
      async query<Row extends SqlRow>(...request: Parameters<SqlSession['query']>): Promise<Row[]> {
        const rows = await session.query<Row>(...request);
        answers.push(rows);
        return rows;
      },
    }));
    const authenticator = new KeyAuthenticator(watched);
    const unknown = Array.from({ length: 40 }, () => newCredential('sk_test_'));
    for (const { text } of [wrong, ...unknown]) expect(await authenticator.authenticate(text)).toBeNull();
    expect(await authenticator.authenticate(secret)).toBeNull();
    const shape = (row: SqlRow): unknown =>
      Object.entries(row).map(([name, value]) => [name, name === 'expires_at_ms' ? 'number' : typeof value]);
    for (const rows of answers) expect(rows.map(shape)).toEqual([shape(answers[0]![0]!)]);
    // The unknown ids sort before, between and after the stored ids: a digest belongs to the requested id, or is all
    // zeros.
    const digests = answers.map(([row]) => row!['secret_sha256'] as string);
    expect(digests.map((digest) => digest === '0'.repeat(64))).toEqual([false, ...unknown.map(() => true), true]);
    expect(new Set(answers.slice(1).map(([row]) => row!['key_id'])).size).toBeGreaterThan(1);
  });

  it('is queried once while its cache entry is fresh, and is invalid within a second of its deletion', async () => {
    let nowMs = 0;
    const sql = counting(current().database.sql);
    const authenticator = new KeyAuthenticator(sql, undefined, { lifetimeMs: 900, maxEntries: 10, nowMs: () => nowMs });
    const { key, secret } = await create();
    await authenticator.authenticate(secret);
    await authenticator.settle();
    const { statements } = sql;
    await authenticator.authenticate(secret);
    expect(sql.statements).toBe(statements);
    expect(await keys.delete(accountId, appId, key.id, operator)).toBe(true);
    expect(await keys.delete(accountId, appId, key.id, operator)).toBe(false);
    nowMs = 1_000;
    expect(await authenticator.authenticate(secret)).toBeNull();
    expect((await keys.list(accountId, appId)).map(({ id }) => id)).not.toContain(key.id);
  });

  it('is refreshed ahead of its use: no call waits for the database, and the key is invalid soon after its deletion', async () => {
    let nowMs = 0;
    const sql = counting(current().database.sql);
    const ahead = { everyMs: 1, idleMs: 60_000, maxEntries: 10 };
    const cache = { lifetimeMs: 900, maxEntries: 10, nowMs: () => nowMs, ahead };
    const authenticator = new KeyAuthenticator(sql, undefined, cache);
    const others = [await create(), await create()];
    const { key, secret } = await create();
    for (const each of [...others.map((other) => other.secret), secret]) await authenticator.authenticate(each);
    nowMs = 800;
    const asked = sql.statements;
    // The second of two refresh rounds began after the clock was set.
    while (sql.statements < asked + 2) await new Promise((resolve) => setTimeout(resolve, 1));
    await authenticator.settle();
    nowMs = 1_600;
    const { statements } = sql;
    const caller = await authenticator.authenticate(secret);
    expect(sql.statements).toBe(statements);
    expect(caller).toEqual(await new KeyAuthenticator(current().database.sql).authenticate(secret));
    // This process is not notified of the deletion, and its clock stands still.
    await keys.delete(accountId, appId, key.id, operator);
    while ((await authenticator.authenticate(secret)) !== null) await new Promise((resolve) => setTimeout(resolve, 1));
    for (const other of others) expect(await authenticator.authenticate(other.secret)).not.toBeNull();
    await authenticator.settle();
  });

  it('is invalid from its expiry on, even if it is cached', async () => {
    let now = new Date('2026-01-01T00:00:00Z');
    const authenticator = new KeyAuthenticator(current().database.sql, () => now);
    const { secret } = await create({ expiresAt: new Date('2026-01-01T00:00:10Z') });
    expect(await authenticator.authenticate(secret)).not.toBeNull();
    now = new Date('2026-01-01T00:00:10Z');
    expect(await authenticator.authenticate(secret)).toBeNull();
  });

  it('of a suspended account is refused', async () => {
    const { secret } = await create();
    const { sql } = current().database;
    await sql.query(`UPDATE accounts SET status = 'suspended'`);
    expect(await new KeyAuthenticator(sql).authenticate(secret)).toBeNull();
    await sql.query(`UPDATE accounts SET status = 'active'`);
    expect(await new KeyAuthenticator(sql).authenticate(secret)).not.toBeNull();
  });

  it('stores its last use at most once a minute', async () => {
    let now = new Date('2026-01-01T00:00:00Z');
    const sql = counting(current().database.sql);
    const authenticator = new KeyAuthenticator(sql, () => now);
    const { key, secret } = await create();
    const used = async (): Promise<Date | null | undefined> => {
      await authenticator.authenticate(secret);
      await authenticator.settle();
      return (await keys.list(accountId, appId)).find(({ id }) => id === key.id)?.lastUsedAt;
    };
    expect(await used()).toEqual(new Date('2026-01-01T00:00:00Z'));
    now = new Date('2026-01-01T00:00:59Z');
    expect(await used()).toEqual(new Date('2026-01-01T00:00:00Z'));
    now = new Date('2026-01-01T00:01:01Z');
    expect(await used()).toEqual(new Date('2026-01-01T00:01:01Z'));
  });
});

describe('keys without a database', () => {
  it('fail as an outage, not as a wrong key', async () => {
    const gone = goneSql();
    await expect(new KeyAuthenticator(gone).authenticate(newCredential('sk_live_').text)).rejects.toThrow(
      AccessUnavailable,
    );
    await expect(new TokenAuthenticator(gone).authenticate(newCredential('wt_live_').text)).rejects.toThrow(
      AccessUnavailable,
    );
  });

  it('still work if only storing their last use fails', async () => {
    const { text, sha256 } = newCredential('wt_live_');
    const row = {
      account_id: 'a',
      row_id: 'b',
      secret_sha256: sha256.toString('hex'),
      expires_at_ms: null,
      token_id: 't',
      scopes: 'events:read nonsense',
      environment: 'staging',
    };
    const sql = everyScope({
      query: (statement) =>
        statement.includes('UPDATE') ? Promise.reject(new Error('gone')) : Promise.resolve([row] as never),
      transaction: () => Promise.reject(new Error('gone')),
    });
    const authenticator = new TokenAuthenticator(sql);
    expect(await authenticator.authenticate(text)).toEqual({
      accountId: 'a',
      tokenId: 't',
      scopes: ['events:read'],
      environment: 'staging',
    });
    await authenticator.settle();
  });
});
