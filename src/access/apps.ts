import { randomUUID } from 'node:crypto';
import { Account, App, DatabaseError, toDatabaseError, type Database } from '../database/index.js';

export interface AppView {
  readonly id: string;
  readonly name: string;
  readonly createdAt: Date;
}

/** What is shown of an account to whoever manages it. */
export interface AccountView {
  readonly id: string;
  readonly email: string;
  readonly emailVerified: boolean;
  readonly subscription: string;
}

/** The account behind a token, and its apps. Checks no rights: the caller has done that. */
export class Apps {
  constructor(
    private readonly database: Database,
    private readonly now: () => Date = () => new Date(),
  ) {}

  /** @throws DatabaseError | DatabaseUnavailable */
  async account(accountId: string): Promise<AccountView | null> {
    try {
      const account = await this.database.entities().findOne(Account, { id: accountId });
      return account === null
        ? null
        : {
            id: account.id,
            email: account.email,
            emailVerified: account.emailVerifiedAt !== null,
            subscription: account.subscriptionState,
          };
    } catch (error) {
      throw toDatabaseError(error);
    }
  }

  /** Oldest first. @throws DatabaseError | DatabaseUnavailable */
  async list(accountId: string): Promise<AppView[]> {
    try {
      const apps = await this.database
        .entities()
        .find(App, { accountId, deletedAt: null }, { orderBy: { createdAt: 'asc', id: 'asc' } });
      return apps.map(view);
    } catch (error) {
      throw toDatabaseError(error);
    }
  }

  /** @returns null when the account has an app of this name. @throws DatabaseError | DatabaseUnavailable */
  async create(accountId: string, name: string): Promise<AppView | null> {
    const app = new App({ accountId, id: randomUUID(), name, createdAt: this.now() });
    try {
      await this.database.entities().persist(app).flush();
      return view(app);
    } catch (error) {
      const known = toDatabaseError(error);
      if (known instanceof DatabaseError && known.sqlState === UNIQUE_VIOLATION) return null;
      throw known;
    }
  }
}

/** SQLSTATE of a row that is already there. */
const UNIQUE_VIOLATION = '23505';

function view({ id, name, createdAt }: App): AppView {
  return { id, name, createdAt };
}
