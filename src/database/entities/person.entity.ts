import { Entity, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';

/** A person who signs in. Their rights come from their memberships. */
@Entity({ tableName: 'people' })
export class Person {
  @PrimaryKey({ type: 'uuid' })
  id: string;

  /** The address as typed, used for sending mail. */
  @Property({ type: 'text' })
  email: string;

  /** The normalised address for comparison, unique; null once the person has left. */
  @Property({ type: 'text', nullable: true })
  emailKey: string | null;

  /** PHC string; null while the person has no password. */
  @Property({ type: 'text', nullable: true, hidden: true })
  passwordHash: string | null = null;

  @Property({ type: 'timestamptz', nullable: true })
  emailVerifiedAt: Date | null = null;

  @Property({ type: 'timestamptz' })
  createdAt: Date;

  constructor(values: { id: string; email: string; emailKey: string; createdAt: Date }) {
    this.id = values.id;
    this.email = values.email;
    this.emailKey = values.emailKey;
    this.createdAt = values.createdAt;
  }
}
