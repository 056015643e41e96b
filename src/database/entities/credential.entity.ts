import { Property } from '@mikro-orm/decorators/legacy';
import { AccountItem, type AccountItemValues } from './account-item.entity.js';

/** The initial values of every credential. */
export interface CredentialValues extends AccountItemValues {
  secretSha256: Buffer;
  expiresAt?: Date;
}

/** What is kept of every credential: everything but its secret. */
export abstract class Credential extends AccountItem {
  /** SHA-256 of the whole of it. */
  @Property({ type: 'blob', columnType: 'bytea', hidden: true })
  secretSha256: Buffer;

  @Property({ type: 'timestamptz', nullable: true })
  expiresAt: Date | null;

  /** Written at most once a minute. */
  @Property({ type: 'timestamptz', nullable: true })
  lastUsedAt: Date | null = null;

  constructor(values: CredentialValues) {
    super(values);
    this.secretSha256 = values.secretSha256;
    this.expiresAt = values.expiresAt ?? null;
  }
}
