import { Migration } from '@mikro-orm/migrations';
import { ACCESS, SUBSCRIPTIONS } from './baseline/access.js';
import { BUDGETS } from './baseline/budgets.js';
import { EVENTS } from './baseline/events.js';
import { EXPORTS } from './baseline/exports.js';
import { PAGES } from './baseline/pages.js';
import { POLICIES } from './baseline/policies.js';
import { ROW_SECURITY } from './baseline/row-security.js';
import { ROLLUPS } from './baseline/sums.js';

/** All tables of the first release. There is no earlier version, so this migration cannot be reverted. */
export class Baseline extends Migration {
  override up(): void {
    const parts = [ACCESS, SUBSCRIPTIONS, POLICIES, EVENTS, BUDGETS, ROLLUPS, EXPORTS, PAGES, ROW_SECURITY];
    for (const statement of parts.flat()) this.addSql(statement);
  }
}
