import { randomBytes, randomUUID } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { ENVIRONMENTS, type Environment } from '../core/index.js';
import { Account, ApiKey, App, ManagementToken, toDatabaseError, type Database } from '../database/index.js';
import { bootstrapPath, writeBootstrapFile, type BootstrapFile } from './bootstrap-file.js';
import { keyPrefix, newCredential } from './credential.js';
import { hashPassword } from './password-hash.js';
import { TOKEN_SCOPES } from './token-authenticator.js';

const EMAIL = 'admin@localhost';
const APP_NAME = 'default';
const PASSWORD_BYTES = 18;

/** One number for everybody who bootstraps: of several servers on an empty database one does it. */
const BOOTSTRAP_LOCK = 7_365_412_002;

interface FirstAccount {
  readonly account: Account;
  readonly app: App;
  readonly credentials: readonly (ApiKey | ManagementToken)[];
  readonly file: BootstrapFile;
}

/** Makes a new instance usable at once: the first account with an app, a key per environment and a management token. */
export class Bootstrap {
  constructor(
    private readonly database: Database,
    private readonly dataDir: string,
    private readonly now: () => Date = () => new Date(),
  ) {}

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
    let fileFailure: unknown;
    try {
      return await this.database.entities().transactional(async (entities) => {
        await entities
          .getConnection()
          .execute(`SELECT pg_advisory_xact_lock(${BOOTSTRAP_LOCK})`, [], 'run', entities.getTransactionContext());
        if ((await entities.count(Account)) > 0) {
          return null;
        }
        const { account, app, credentials, file } = await this.firstAccount(baseUrl);
        await entities.persist(account).flush();
        await entities.persist(app).flush();
        await entities.persist([...credentials]).flush();
        try {
          await mkdir(dirname(path), { recursive: true, mode: 0o700 });
          await writeBootstrapFile(path, file);
        } catch (error) {
          fileFailure = error;
          throw error;
        }
        return path;
      });
    } catch (error) {
      throw fileFailure ?? toDatabaseError(error);
    }
  }

  private async firstAccount(baseUrl: string): Promise<FirstAccount> {
    const createdAt = this.now();
    const password = randomBytes(PASSWORD_BYTES).toString('base64url');
    const account = new Account({ id: randomUUID(), email: EMAIL, createdAt });
    account.passwordHash = await hashPassword(password);
    account.emailVerifiedAt = createdAt;
    account.subscriptionState = 'active';
    const accountId = account.id;
    const app = new App({ accountId, id: randomUUID(), name: APP_NAME, createdAt });
    const keys = ENVIRONMENTS.map((environment) => {
      const credential = newCredential(keyPrefix(environment));
      const row = new ApiKey({
        accountId,
        id: randomUUID(),
        keyId: credential.id,
        appId: app.id,
        name: `${environment} (first start)`,
        environment,
        secretSha256: credential.sha256,
        createdAt,
      });
      return { environment, row, text: credential.text };
    });
    const token = newCredential('wt_live_');
    const tokenRow = new ManagementToken({
      accountId,
      id: randomUUID(),
      tokenId: token.id,
      name: 'first start',
      scopes: [...TOKEN_SCOPES],
      secretSha256: token.sha256,
      createdAt,
    });
    return {
      account,
      app,
      credentials: [...keys.map(({ row }) => row), tokenRow],
      file: {
        base_url: baseUrl,
        account: { email: EMAIL, password },
        app: { id: app.id, name: app.name },
        keys: Object.fromEntries(keys.map(({ environment, text }) => [environment, text])) as Record<
          Environment,
          string
        >,
        token: token.text,
      },
    };
  }
}
