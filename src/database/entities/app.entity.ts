import { Entity, Property } from '@mikro-orm/decorators/legacy';
import { AccountItem } from './account-item.entity.js';

/**
 * One application of an account. Keys belong to an app; rate limits and idempotency ids count per app. Its name is unique
 * within the account among the apps that are not deleted.
 */
@Entity({ tableName: 'apps' })
export class App extends AccountItem {
  /** The app's own limits, stricter than those of the operator; null if there are none. */
  @Property({ type: 'json', nullable: true })
  limits: unknown = null;
}
