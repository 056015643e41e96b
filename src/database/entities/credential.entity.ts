import { Property } from '@mikro-orm/decorators/legacy';
import { AccountItem, type AccountItemValues } from './account-item.entity.js';

/** The initial values of every credential. */
export interface CredentialValues extends AccountItemValues {
  secretSha256: Buffer;
  expiresAt?: Date;
}

/** The common columns of all credentials, without the secret. */
export abstract class Credential extends AccountItem {
  /** SHA-256 of the complete credential. */
  @Property({ type: 'blob', columnType: 'bytea', hidden: true })
  secretSha256: Buffer;

  @Property({ type: 'timestamptz', nullable: true })
  expiresAt: Date | null;

  /** The time of the last use, written at most once a minute. */
  @Property({ type: 'timestamptz', nullable: true })
  lastUsedAt: Date | null = null;

  constructor(values: CredentialValues) {
    super(values);
    this.secretSha256 = values.secretSha256;
    this.expiresAt = values.expiresAt ?? null;
  }
}
