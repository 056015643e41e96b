import { Migration } from '@mikro-orm/migrations';
import { BUDGET_FUNCTIONS } from './budget-functions.js';

/**
 * Two functions of the ledger were changed. `budget_apply`: a release that arrives after the lease of its call has ended replaces the
 * estimate, as a settlement does. `budget_period`: with the new member `is_end`, an existing row is not updated; servers of the previous
 * version do not send it, so the function treats their calls as before.
 */
export class LateReleases extends Migration {
  override up(): void {
    for (const text of BUDGET_FUNCTIONS) this.addSql(text);
  }

  override down(): void {
    // Servers of the previous version use the new functions.
  }
}
