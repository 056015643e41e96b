import { Entity, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';

export type AccountStatus = 'active' | 'suspended' | 'closed';
export type SubscriptionState = 'trialing' | 'active' | 'inactive' | 'lapsed';

/** Whoever owns apps, keys, policies and events. Its id is the first column of every key. */
@Entity({ tableName: 'accounts' })
export class Account {
  @PrimaryKey({ type: 'uuid' })
  id: string;

  /** As typed; unique without regard to case. */
  @Property({ type: 'text' })
  email: string;

  @Property({ type: 'text' })
  status: AccountStatus = 'active';

  /** PHC string; null while the account has no password. */
  @Property({ type: 'text', nullable: true })
  passwordHash: string | null = null;

  @Property({ type: 'timestamptz', nullable: true })
  emailVerifiedAt: Date | null = null;

  @Property({ type: 'text' })
  subscriptionState: SubscriptionState = 'trialing';

  @Property({ type: 'timestamptz', nullable: true })
  trialEndsAt: Date | null = null;

  @Property({ type: 'timestamptz' })
  createdAt: Date;

  constructor(values: { id: string; email: string; createdAt: Date }) {
    this.id = values.id;
    this.email = values.email;
    this.createdAt = values.createdAt;
  }
}
