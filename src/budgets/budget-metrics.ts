import type { NewEvent } from '../events/index.js';
import type { Metrics } from '../metrics/index.js';
import type { LedgerEvent, PeriodState } from './ledger/ledger-types.js';

type Denial = 'budget_exceeded' | 'budget_reserved' | 'unknown_price';

/** Metrics of budgets for Prometheus. Ids of budgets come from policies; the owners of budgets are never used as labels. */
export class BudgetMetrics {
  private readonly denials;
  private readonly warnings;
  private readonly crossings;
  private readonly overruns;
  private readonly overrunAmount;
  private readonly lapsed;
  private readonly unpricedCalls;
  private readonly sweepFailures;

  constructor(metrics: Metrics) {
    const budget = ['environment', 'budget'] as const;
    this.denials = metrics.countOfAccounts('weir_budget_denials_total', 'Calls that a budget refused.', [
      ...budget,
      'reason',
    ]);
    this.warnings = metrics.countOfAccounts(
      'weir_budget_warnings_total',
      'Number of times that a budget reached a threshold in `warn_at`.',
      [...budget, 'ratio'],
    );
    this.crossings = metrics.countOfAccounts('weir_budget_exceeded_total', 'Windows whose limit was exceeded.', budget);
    this.overruns = metrics.count('weir_budget_overruns_total', 'Calls that cost more than they had reserved.', [
      'unit',
    ]);
    this.overrunAmount = metrics.count(
      'weir_budget_overrun_amount_total',
      'Amount by which calls exceeded their reservation, in nano-dollars or tokens. Alert on any increase.',
      ['unit'],
    );
    this.lapsed = metrics.count('weir_budget_lapsed_total', 'Reservations whose lease ended before their call ended.', [
      'outcome',
    ]);
    this.unpricedCalls = metrics.count('weir_unpriced_calls_total', 'Calls with an unknown cost.', ['source']);
    this.sweepFailures = metrics.count(
      'weir_budget_sweep_failures_total',
      'Failed runs of the task that renews and ends reservations in the database.',
      [],
    );
  }

  denied({ accountId, environment, budget }: PeriodState, reason: Denial): void {
    this.denials(accountId, { environment, budget, reason });
  }

  unpriced({ source }: NewEvent): void {
    this.unpricedCalls({ source });
  }

  swept(expired: number, estimated: number): void {
    if (expired > 0) this.lapsed({ outcome: 'released' }, expired);
    if (estimated > 0) this.lapsed({ outcome: 'estimated' }, estimated);
  }

  sweepFailed(): void {
    this.sweepFailures({});
  }

  ledgerEvents(events: readonly LedgerEvent[]): void {
    for (const each of events) {
      switch (each.what) {
        case 'crossed': {
          const { accountId, environment, budget } = each.period;
          this.crossings(accountId, { environment, budget });
          break;
        }
        case 'warned': {
          const { accountId, environment, budget } = each.period;
          this.warnings(accountId, { environment, budget, ratio: String(each.ratio) });
          break;
        }
        case 'overrun':
          this.overruns({ unit: each.unit });
          this.overrunAmount({ unit: each.unit }, Number(each.by));
          break;
        case 'lost':
        case 'counted_before':
          break;
      }
    }
  }
}
