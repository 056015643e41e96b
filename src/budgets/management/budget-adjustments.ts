import type { ActingManager } from '../../access/index.js';
import type { AdminAudit } from '../../admin-audit/index.js';
import type { BudgetState } from '../../core/index.js';
import type { DatabaseClock, TenantSql } from '../../database/index.js';
import { storable } from '../../events/index.js';
import { invalidRequest, uuidV7, WeirError } from '../../http/index.js';
import { amountOfText } from '../amounts.js';
import type { BudgetMetrics } from '../budget-metrics.js';
import { ledgerEventOf } from '../ledger/ledger-rows.js';
import { readPeriods } from '../ledger/ledger.js';
import { stateOf, stateRow } from './budget-states.js';

export interface WantedAdjustment {
  readonly accountId: string;
  readonly budget: string;
  readonly periodId: string;
  /** Decimal text in the budget's unit. */
  readonly amount: string;
  readonly because: string;
}

/**
 * Corrects the used amount of budgets with an entry in the ledger, which includes a reason, and an entry in the admin audit log.
 */
export class BudgetAdjustments {
  constructor(
    private readonly sql: TenantSql,
    private readonly audit: AdminAudit,
    private readonly metrics: BudgetMetrics,
    private readonly freed: () => void,
    private readonly clock: DatabaseClock,
  ) {}

  /**
   * @returns the window after the correction, as it was committed
   * @throws WeirError 403 for an environment outside of the manager's scope, 404 if the window does not exist, 422 for an invalid
   * amount
   */
  async adjust(wanted: WantedAdjustment, manager: ActingManager): Promise<BudgetState> {
    const { accountId, budget, periodId, amount } = wanted;
    const because = storable(wanted.because);
    const period = (await readPeriods(this.sql.forAccounts(accountId), accountId, [periodId])).get(periodId);
    if (period === undefined || period.budget !== budget) throw new WeirError('not_found');
    const { environment, unit } = period;
    if (manager.environment !== undefined && manager.environment !== environment) {
      throw new WeirError('forbidden', { message: `The management token is for ${manager.environment} only` });
    }
    const exact = amountOfText(unit, amount);
    if (exact === undefined) throw invalidRequest([{ path: 'amount', message: 'must be a whole number of tokens' }]);
    const { rows, state } = await this.sql.forAccounts(accountId).transaction(async (transaction) => {
      const entry = { account: accountId, period: periodId, id: uuidV7(this.clock.nowMs()), amount: exact.toString() };
      const actor = `${manager.actor.kind} ${manager.actor.id ?? ''}`.trim();
      const adjusted = await transaction.query<{ row: string }>(
        'SELECT r::text AS row FROM budget_adjust($1::jsonb) r',
        [JSON.stringify({ ...entry, because, actor })],
      );
      await this.audit.record(transaction, {
        ...{ accountId, actor: manager.actor, action: 'budget.adjusted', subject: periodId },
        details: { budget, environment, amount, unit, because },
      });
      // Read in the same transaction: after the commit, an error would make the operator repeat the correction.
      const [window] = await transaction.query<{ row: string }>(
        `SELECT (${stateRow('p')})::text AS row FROM budget_periods p WHERE p.account_id = $1::uuid AND p.id = $2::uuid`,
        [accountId, periodId],
      );
      if (window === undefined) throw new WeirError('not_found');
      return { rows: adjusted, state: stateOf(window.row) };
    });
    this.metrics.ledgerEvents(rows.flatMap(({ row }) => ledgerEventOf(JSON.parse(row)) ?? []));
    this.freed();
    return state;
  }
}
