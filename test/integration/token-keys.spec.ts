import { AccessUnavailable } from '../../src/access/access-errors.js';
import { TokenKeys } from '../../src/access/token-keys.js';
import { Account } from '../../src/database/index.js';
import { eachDatabase } from '../support/each-database.js';
import { goneSql } from '../support/sql.js';

const SECRET = 'a secret of the operator, long enough';
const hex = (digest: Uint8Array): string => Buffer.from(digest).toString('hex');

eachDatabase('keys of redaction tokens', (current) => {
  const account = async (): Promise<string> => {
    const id = crypto.randomUUID();
    const entities = current().database.orm.em.fork();
    await entities.persist(new Account({ id, createdAt: new Date() })).flush();
    return id;
  };

  it('are different for each account, and the same in every process, even on first use', async () => {
    const [first, second] = [await account(), await account()];
    const databases = [current().database, ...(await Promise.all([1, 2].map(() => current().openAnother())))];
    const hashes = await Promise.all(
      databases.map(async ({ sql }) => hex((await new TokenKeys(sql).of(first))('value'))),
    );
    expect(new Set(hashes).size).toBe(1);
    expect(hex((await new TokenKeys(current().database.sql).of(second))('value'))).not.toBe(hashes[0]);
  });

  it('are derived from the secret of the operator if it is set', async () => {
    const id = await account();
    const broken = goneSql();
    const one = hex((await new TokenKeys(broken, SECRET).of(id))('value'));
    expect(hex((await new TokenKeys(current().database.sql, SECRET).of(id))('value'))).toBe(one);
    expect(hex((await new TokenKeys(broken, `${SECRET}!`).of(id))('value'))).not.toBe(one);
  });

  it('cause an outage instead of a different key while the database is unavailable', async () => {
    const broken = goneSql();
    await expect(new TokenKeys(broken).of(crypto.randomUUID())).rejects.toThrow(AccessUnavailable);
  });
});
