import { PrimaryKeyProp } from '@mikro-orm/core';
import { Entity, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import type { Environment } from '../../core/index.js';

/** An API key as it is kept: everything but the key. It decides app and environment of a call. */
@Entity({ tableName: 'api_keys' })
export class ApiKey {
  declare [PrimaryKeyProp]?: ['accountId', 'id'];

  @PrimaryKey({ type: 'uuid' })
  accountId: string;

  @PrimaryKey({ type: 'uuid' })
  id: string;

  /** The public part of the key, 12 base62 characters; may be logged. */
  @Property({ type: 'character(12)' })
  keyId: string;

  @Property({ type: 'uuid' })
  appId: string;

  @Property({ type: 'text' })
  name: string;

  @Property({ type: 'text' })
  environment: Environment;

  /** SHA-256 of the whole key. */
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

  constructor(values: {
    accountId: string;
    id: string;
    keyId: string;
    appId: string;
    name: string;
    environment: Environment;
    secretSha256: Buffer;
    createdAt: Date;
    expiresAt?: Date;
  }) {
    this.accountId = values.accountId;
    this.id = values.id;
    this.keyId = values.keyId;
    this.appId = values.appId;
    this.name = values.name;
    this.environment = values.environment;
    this.secretSha256 = values.secretSha256;
    this.createdAt = values.createdAt;
    this.expiresAt = values.expiresAt ?? null;
  }
}
