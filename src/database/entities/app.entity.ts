import { Entity, Property } from '@mikro-orm/decorators/legacy';
import { AccountItem } from './account-item.entity.js';

/**
 * One application of an account. Keys belong to an app; rate limits and idempotency ids count per app. Its name is unique
 * within the account among the apps that are not deleted.
 */
@Entity({ tableName: 'apps' })
export class App extends AccountItem {
  /** What the account allows this app, stricter than what the operator allows; null without a limit of its own. */
  @Property({ type: 'json', nullable: true })
  limits: unknown = null;
}
