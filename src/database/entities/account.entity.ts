import { Entity, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';

export type AccountStatus = 'active' | 'suspended' | 'closed';
export type SubscriptionState = 'trialing' | 'active' | 'inactive' | 'lapsed';

/** The owner of apps, keys, policies and events. Its id is the first column of every key. People are its members. */
@Entity({ tableName: 'accounts' })
export class Account {
  @PrimaryKey({ type: 'uuid' })
  id: string;

  @Property({ type: 'text' })
  status: AccountStatus = 'active';

  @Property({ type: 'timestamptz' })
  createdAt: Date;

  constructor(values: { id: string; createdAt: Date }) {
    this.id = values.id;
    this.createdAt = values.createdAt;
  }
}
