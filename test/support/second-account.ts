import { AdminAudit, actorWithoutRequest } from '../../src/admin-audit/index.js';
import { openAccount } from '../../src/access/accounts.js';
import { insertKey } from '../../src/access/api-keys.js';
import { insertApp } from '../../src/access/apps.js';
import { insertToken } from '../../src/access/management-tokens.js';
import { TOKEN_SCOPES } from '../../src/core/index.js';
import { Database } from '../../src/database/index.js';
import type { TestApp } from './test-app.js';

/** The ids and credentials of an account. */
export interface TestAccount {
  readonly id: string;
  readonly appId: string;
  readonly key: string;
  readonly token: string;
}

/** Creates another account with one app, key and token. */
export function secondAccount({ weir }: TestApp, name: string): Promise<TestAccount> {
  const { sql } = weir.app.get(Database);
  const now = new Date();
  return sql.forDuty('identify').transaction(async (transaction) => {
    const email = `${name}@example.com`;
    const person = { id: crypto.randomUUID(), email, emailKey: email, passwordHash: '', emailVerifiedAt: now };
    const id = await openAccount(transaction, person, 'active', now);
    if (id === null) throw new Error('there is such an account');
    const actor = actorWithoutRequest('system');
    await new AdminAudit(sql).record(transaction, { accountId: id, actor, action: 'account.created', subject: id });
    await transaction.enter({ accounts: [id] });
    const app = await insertApp(transaction, id, name, now);
    const key = { accountId: id, appId: app.id, name, environment: 'production' } as const;
    const made = await insertKey(transaction, key, now);
    if (made === null) throw new Error('the app is gone');
    const token = await insertToken(transaction, { accountId: id, name, scopes: TOKEN_SCOPES }, now);
    return { id, appId: app.id, key: made.secret, token: token.secret };
  });
}
