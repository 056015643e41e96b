/** Alternates statements of every kind for two accounts on few connections. */
import { App, type Database, type SqlSession } from '../../src/database/index.js';

/** Enough that each kind of statement follows each other one on a connection, and still fast. */
const ROUNDS = 3_000;

/** Fails if a statement sees a row of the other account, or a connection keeps any part of a scope. */
export async function interleave(database: Database): Promise<void> {
  const { sql } = database;
  const accounts = [crypto.randomUUID(), crypto.randomUUID()];
  for (const id of accounts) await addAccount(database, id);
  const ids = async (session: Pick<SqlSession, 'query'>, options = {}): Promise<unknown[]> =>
    (await session.query('SELECT account_id::text AS id FROM apps', [], options)).map(({ id }) => id);
  const kinds: ((id: string) => Promise<unknown[]>)[] = [
    (id) => ids(sql.forAccounts(id)),
    (id) => ids(sql.forAccounts(id), { prepareAs: 'interleaved' }),
    (id) => sql.forAccounts(id).transaction((transaction) => ids(transaction)),
    (id) =>
      sql
        .forAccounts(id)
        .transaction(async (transaction) => {
          await ids(transaction);
          throw new Error('rolled back');
        })
        .catch(() => ids(sql.forAccounts(id))),
    (id) =>
      addApp(
        sql.forAccounts(id),
        accounts.find((other) => other !== id)!,
        'x',
      ).catch(() => ids(sql.forAccounts(id))),
    async (id) =>
      (await sql
        .forAccounts(id)
        .query('SELECT 1 / 0 AS fails')
        .catch(() => ids(sql.forAccounts(id)))) as unknown[],
    async (id) => (await database.entities(id).findAll(App)).map(({ accountId }) => accountId),
    async (id) => [...(await ids(sql.forAccounts())), id],
  ];
  const foreign: unknown[] = [];
  let next = 0;
  const worker = async (): Promise<void> => {
    for (let round = (next += 1); round <= ROUNDS; round = next += 1) {
      const id = accounts[round % 2]!;
      const rows = await kinds[Math.floor(round / 2) % kinds.length]!(id);
      if (rows.length !== 1 || rows[0] !== id) foreign.push(rows);
    }
  };
  await Promise.all(Array.from({ length: 16 }, worker));
  expect(foreign).toEqual([]);
  for (let look = 0; look < 4; look += 1) {
    const [left] = await sql.query(
      `SELECT current_user = session_user AS own_role, coalesce(current_setting('weir.accounts', true), '') AS accounts`,
    );
    expect(left).toEqual({ own_role: true, accounts: '' });
  }
}

/** Inserts an account with one app. */
export async function addAccount({ sql }: Database, id: string): Promise<void> {
  await sql.query(`INSERT INTO accounts (id, status, created_at) VALUES ($1::uuid, 'active', now())`, [id]);
  await addApp(sql, id, 'chat');
}

export function addApp(session: Pick<SqlSession, 'query'>, accountId: string, name: string): Promise<unknown[]> {
  return session.query(
    `INSERT INTO apps (account_id, id, name, created_at) VALUES ($1::uuid, gen_random_uuid(), $2, now()) RETURNING account_id::text AS id`,
    [accountId, name],
  );
}
