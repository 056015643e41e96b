import { PrimaryKeyProp } from '@mikro-orm/core';
import { PrimaryKey, Property } from '@mikro-orm/decorators/legacy';

/** What every credential is made with. */
export interface CredentialValues {
  accountId: string;
  id: string;
  name: string;
  secretSha256: Buffer;
  createdAt: Date;
  expiresAt?: Date;
}

/** What is kept of every credential of an account: everything but its secret. */
export abstract class Credential {
  declare [PrimaryKeyProp]?: ['accountId', 'id'];

  @PrimaryKey({ type: 'uuid' })
  accountId: string;

  @PrimaryKey({ type: 'uuid' })
  id: string;

  @Property({ type: 'text' })
  name: string;

  /** SHA-256 of the whole of it. */
  @Property({ type: 'blob', columnType: 'bytea', hidden: true })
  secretSha256: Buffer;

  @Property({ type: 'timestamptz' })
  createdAt: Date;

  @Property({ type: 'timestamptz', nullable: true })
  expiresAt: Date | null;

  /** Written at most once a minute. */
  @Property({ type: 'timestamptz', nullable: true })
  lastUsedAt: Date | null = null;

  @Property({ type: 'timestamptz', nullable: true })
  deletedAt: Date | null = null;

  constructor(values: CredentialValues) {
    this.accountId = values.accountId;
    this.id = values.id;
    this.name = values.name;
    this.secretSha256 = values.secretSha256;
    this.createdAt = values.createdAt;
    this.expiresAt = values.expiresAt ?? null;
  }
}
