import { PrimaryKeyProp } from '@mikro-orm/core';
import { Entity, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';

/** One application of an account. Keys belong to an app; rate limits and idempotency ids count per app. */
@Entity({ tableName: 'apps' })
export class App {
  declare [PrimaryKeyProp]?: ['accountId', 'id'];

  @PrimaryKey({ type: 'uuid' })
  accountId: string;

  @PrimaryKey({ type: 'uuid' })
  id: string;

  /** Unique within the account among the apps that are not deleted. */
  @Property({ type: 'text' })
  name: string;

  @Property({ type: 'timestamptz' })
  createdAt: Date;

  @Property({ type: 'timestamptz', nullable: true })
  deletedAt: Date | null = null;

  /** What the account allows this app, stricter than what the operator allows; null without a limit of its own. */
  @Property({ type: 'json', nullable: true })
  limits: unknown = null;

  constructor(values: { accountId: string; id: string; name: string; createdAt: Date }) {
    this.accountId = values.accountId;
    this.id = values.id;
    this.name = values.name;
    this.createdAt = values.createdAt;
  }
}
