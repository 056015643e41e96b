import { PrimaryKeyProp } from '@mikro-orm/core';
import { Entity, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import type { Environment } from '../../core/index.js';

/** A management token as it is kept: what a CLI or a CI job may do with an account. */
@Entity({ tableName: 'management_tokens' })
export class ManagementToken {
  declare [PrimaryKeyProp]?: ['accountId', 'id'];

  @PrimaryKey({ type: 'uuid' })
  accountId: string;

  @PrimaryKey({ type: 'uuid' })
  id: string;

  /** The public part of the token, 12 base62 characters; may be logged. */
  @Property({ type: 'character(12)' })
  tokenId: string;

  @Property({ type: 'text' })
  name: string;

  @Property({ type: 'text[]', columnType: 'text[]' })
  scopes: string[];

  /** Set when the token works for one environment only. */
  @Property({ type: 'text', nullable: true })
  environment: Environment | null;

  /** SHA-256 of the whole token. */
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
    tokenId: string;
    name: string;
    scopes: string[];
    environment?: Environment;
    secretSha256: Buffer;
    createdAt: Date;
    expiresAt?: Date;
  }) {
    this.accountId = values.accountId;
    this.id = values.id;
    this.tokenId = values.tokenId;
    this.name = values.name;
    this.scopes = values.scopes;
    this.environment = values.environment ?? null;
    this.secretSha256 = values.secretSha256;
    this.createdAt = values.createdAt;
    this.expiresAt = values.expiresAt ?? null;
  }
}
