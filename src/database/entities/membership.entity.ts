import { PrimaryKeyProp } from '@mikro-orm/core';
import { Entity, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';

/** The role of a member; an owner may do everything. */
export type MemberRole = 'owner';

/** The membership of a person in an account. */
@Entity({ tableName: 'memberships' })
export class Membership {
  declare [PrimaryKeyProp]?: ['accountId', 'personId'];

  @PrimaryKey({ type: 'uuid' })
  accountId: string;

  @PrimaryKey({ type: 'uuid' })
  personId: string;

  @Property({ type: 'text' })
  role: MemberRole;

  @Property({ type: 'timestamptz' })
  createdAt: Date;

  constructor(values: { accountId: string; personId: string; role: MemberRole; createdAt: Date }) {
    this.accountId = values.accountId;
    this.personId = values.personId;
    this.role = values.role;
    this.createdAt = values.createdAt;
  }
}
