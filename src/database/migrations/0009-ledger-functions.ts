import { Migration } from '@mikro-orm/migrations';
import { BUDGET_FUNCTIONS } from './budget-functions.js';

/**
 * The functions of the ledger were changed after databases had been created with an earlier text: the rows of periods are written by a
 * function of their own (`budget_write`). The names and parameters are the same, so servers of the previous version use the new functions.
 */
export class LedgerFunctions extends Migration {
  override up(): void {
    for (const text of BUDGET_FUNCTIONS) this.addSql(text);
  }

  override down(): void {
    // The functions have the same effect as before, and their earlier text is not known.
  }
}
