import { PrimaryKeyProp } from '@mikro-orm/core';
import { PrimaryKey, Property } from '@mikro-orm/decorators/legacy';

/** The initial values of every row of an account. */
export interface AccountItemValues {
  accountId: string;
  id: string;
  name: string;
  createdAt: Date;
}

/** The common columns of everything that an account creates with a name. */
export abstract class AccountItem {
  declare [PrimaryKeyProp]?: ['accountId', 'id'];

  @PrimaryKey({ type: 'uuid' })
  accountId: string;

  @PrimaryKey({ type: 'uuid' })
  id: string;

  @Property({ type: 'text' })
  name: string;

  @Property({ type: 'timestamptz' })
  createdAt: Date;

  @Property({ type: 'timestamptz', nullable: true })
  deletedAt: Date | null = null;

  constructor(values: AccountItemValues) {
    this.accountId = values.accountId;
    this.id = values.id;
    this.name = values.name;
    this.createdAt = values.createdAt;
  }
}
