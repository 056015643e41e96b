import { randomBytes, randomUUID } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { actorWithoutRequest, AdminAudit } from '../admin-audit/index.js';
import { ENVIRONMENTS, TOKEN_SCOPES, type Environment } from '../core/index.js';
import { ADVISORY_LOCKS, type Database, type SqlTransaction } from '../database/index.js';
import { openAccount } from './accounts.js';
import { insertKey } from './api-keys.js';
import { insertApp } from './apps.js';
import { bootstrapPath, writeBootstrapFile, type BootstrapFile } from './bootstrap-file.js';
import { insertToken } from './management-tokens.js';
import { hashPassword } from './password-hash.js';

const EMAIL = 'admin@localhost';
const APP_NAME = 'default';
const PASSWORD_BYTES = 18;

/** Makes a new instance usable at once: the first account with an app, a key per environment and a management token. */
export class Bootstrap {
  private readonly audit: AdminAudit;

  constructor(
    private readonly database: Database,
    private readonly dataDir: string,
    private readonly now: () => Date = () => database.clock.now(),
  ) {
    this.audit = new AdminAudit(database.sql);
  }

  /**
   * On a database without accounts: makes the first one, verified and active, and writes its secrets to
   * `bootstrap.json` in the data directory. Does nothing on any other database.
   *
   * The file is on disk before the rows are committed, so no crash leaves an account that nobody can use: after a
   * crash in between, the next start finds an empty database and writes a new file.
   *
   * @returns the file's path when it was written, else null
   * @throws DatabaseError | DatabaseUnavailable, or the file system's error
   */
  async ensure(baseUrl: string): Promise<string | null> {
    const path = bootstrapPath(this.dataDir);
    return this.database.unhurried(() => this.ensureFirst(path, baseUrl));
  }

  private ensureFirst(path: string, baseUrl: string): Promise<string | null> {
    return this.database.sql.forDuty('identify').transaction(async (transaction) => {
      // Several servers that start at the same time wait without a timeout until the first one has written its file.
      await transaction.query(
        `SELECT set_config('lock_timeout', '0', true), set_config('statement_timeout', '0', true)`,
      );
      await transaction.query(`SELECT pg_advisory_xact_lock(${ADVISORY_LOCKS.bootstrap})`);
      const accounts = await transaction.query('SELECT 1 AS one FROM accounts LIMIT 1');
      if (accounts.length > 0) return null;
      const file = await this.firstAccount(transaction, baseUrl);
      await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      await writeBootstrapFile(path, file);
      return path;
    });
  }

  private async firstAccount(transaction: SqlTransaction, baseUrl: string): Promise<BootstrapFile> {
    const now = this.now();
    const password = randomBytes(PASSWORD_BYTES).toString('base64url');
    const person = {
      id: randomUUID(),
      email: EMAIL,
      emailKey: EMAIL,
      passwordHash: await hashPassword(password),
      emailVerifiedAt: now,
    };
    const accountId = await openAccount(transaction, person, 'active', now);
    if (accountId === null) throw new Error('the first account could not be created');
    const actor = actorWithoutRequest('system');
    await this.audit.record(transaction, { accountId, actor, action: 'account.created', subject: accountId });
    await transaction.enter({ accounts: [accountId] });
    const app = await insertApp(transaction, accountId, APP_NAME, now);
    const keys: [Environment, string][] = [];
    for (const environment of ENVIRONMENTS) {
      const name = `${environment} (first start)`;
      const made = await insertKey(transaction, { accountId, appId: app.id, name, environment }, now);
      if (made === null) throw new Error('the first app could not be created');
      keys.push([environment, made.secret]);
    }
    const token = await insertToken(transaction, { accountId, name: 'first start', scopes: TOKEN_SCOPES }, now);
    return {
      base_url: baseUrl,
      account: { email: EMAIL, password },
      app: { id: app.id, name: app.name },
      keys: Object.fromEntries(keys) as Record<Environment, string>,
      token: token.secret,
    };
  }
}
