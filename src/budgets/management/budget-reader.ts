import {
  ENVIRONMENTS,
  limitAmount,
  type BudgetAudit,
  type BudgetAuditLine,
  type BudgetState,
  type Environment,
} from '../../core/index.js';
import type { DatabaseClock, SqlRow, TenantSql } from '../../database/index.js';
import type { PolicyStore } from '../../policy-store/index.js';
import { amountText } from '../amounts.js';
import { instant } from '../budget-events.js';
import { periodState } from '../ledger/ledger-rows.js';
import type { BudgetUnit, PeriodState } from '../ledger/ledger-types.js';
import { windowAt } from '../window.js';
import { AUDIT_QUERY, UNSETTLED_QUERY } from './audit-query.js';
import { stateOf, stateRow } from './budget-states.js';

/** All sums are read from one snapshot, because calls continue meanwhile. */
const ONE_SNAPSHOT = { reads: 'one snapshot' } as const;

/**
 * The amount that each window counts for the given events (`$7`): the settled amount, or the reserved one while the call is in progress.
 */
const CHARGED = `WITH charged AS MATERIALIZED (
  SELECT c.period_id, sum(c.settled_n + c.reserved_n) AS charged
  FROM budget_entries c WHERE c.account_id = $1::uuid AND c.source_id = ANY ($7::text[]::uuid[]) GROUP BY 1)`;

/** The maximum number of windows in one answer. */
const MOST = 1_000;

/** The scope of a window (`p`) as the command line and the dashboard show it, in the order in which the budget names its parts. */
const SCOPE_TEXT = `(SELECT string_agg(l.part || '=' || coalesce(l.word, '(none)'), ' ' ORDER BY l.place)
  FROM json_each_text(p.scope_label) WITH ORDINALITY l (part, word, place))`;

/** Of each budget, the latest and most used windows first. */
const IN_ORDER = 'p.period_start DESC, p.settled_n / p.limit_n DESC, p.id';

export interface BudgetFilter {
  readonly accountId: string;
  readonly environment?: Environment;
  readonly budget?: string;
  /** Whether past windows are included. */
  readonly past: boolean;
  /** Only windows with this scope, such as `metadata.team=payments`. */
  readonly scope?: string;
  /** Only the window with this id. */
  readonly periodId?: string;
  /**
   * Only windows in which one of these events counts: a request with a current or past reservation, or an end without a reservation.
   */
  readonly events?: readonly string[];
}

/** Reads the used amounts of budgets, and checks that the log, the ledger and the budgets agree. */
export class BudgetReader {
  constructor(
    private readonly sql: TenantSql,
    private readonly policies: PolicyStore,
    private readonly clock: DatabaseClock,
  ) {}

  /**
   * Windows by environment and budget, the most used ones first; unused budgets of the policy are included, unless events, a scope or a
   * window are given. If there are too many windows, every budget keeps its first ones.
   */
  async list(filter: BudgetFilter): Promise<BudgetState[]> {
    const { accountId, environment, budget, past, scope, periodId, events } = filter;
    const rows = await this.sql.forAccounts(accountId).query<{ row: string }>(
      `${events === undefined ? '' : CHARGED}
       SELECT (${stateRow('b')}
         ${events === undefined ? '' : `|| jsonb_build_object('charged', q.charged::text)`})::text AS row
       FROM (
         SELECT p.account_id, p.id, ${events === undefined ? '' : 'n.charged,'} row_number() OVER of_budget AS place
         FROM budget_periods p ${events === undefined ? '' : 'JOIN charged n ON n.period_id = p.id'}
         WHERE p.account_id = $1::uuid AND ($2::text IS NULL OR p.environment = $2)
           AND ($3::text IS NULL OR p.budget_id = $3)
           AND ($4::boolean OR p.period_end IS NULL OR p.period_end > clock_timestamp())
           AND ($5::text IS NULL OR ${SCOPE_TEXT} = $5) AND ($6::text IS NULL OR p.id = $6::uuid)
         WINDOW of_budget AS (PARTITION BY p.environment, p.budget_id ORDER BY ${IN_ORDER})
         ORDER BY place, p.environment, p.budget_id LIMIT ${MOST}) q
       JOIN budget_periods b ON b.account_id = q.account_id AND b.id = q.id
       ORDER BY b.environment, b.budget_id, q.place`,
      [
        ...[accountId, environment ?? null, budget ?? null, past, scope ?? null, periodId ?? null],
        ...(events === undefined ? [] : [[...events]]),
      ],
    );
    const states = rows.map(({ row }) => this.withThresholds(accountId, stateOf(row)));
    if ([events, scope, periodId].some((wanted) => wanted !== undefined)) return states;
    return [...states, ...this.untouched(filter, states)];
  }

  /**
   * One window of a budget, also for managers who may see one environment only.
   *
   * @param id the window's id; if absent, the window that is open now is used
   * @throws DatabaseUnavailable
   */
  async period(
    accountId: string,
    budget: string,
    id: string | undefined,
    environment: Environment | undefined,
  ): Promise<PeriodState | 'several' | undefined> {
    const rows = await this.sql.forAccounts(accountId).query<{ row: string }>(
      `SELECT budget_shown(p)::text AS row FROM budget_periods p
       WHERE p.account_id = $1::uuid AND p.budget_id = $2 AND ($3::text IS NULL OR p.environment = $3)
         AND CASE WHEN $4::uuid IS NULL THEN p.period_end IS NULL OR p.period_end > clock_timestamp() ELSE p.id = $4::uuid END
       LIMIT 2`,
      [accountId, budget, environment ?? null, id ?? null],
    );
    const [only, ...others] = rows.map(({ row }) => periodState(JSON.parse(row)));
    return others.length > 0 ? 'several' : only;
  }

  /** @param environment only the windows and calls of this environment; absent: of all @throws DatabaseUnavailable */
  async audit(accountId: string, environment?: Environment): Promise<BudgetAudit> {
    const [rows, [open]] = await this.sql.forAccounts(accountId).transaction(async (transaction) => {
      const unsettled = await transaction.query<{ count: number }>(UNSETTLED_QUERY, [
        ...[accountId, environment ?? null],
      ]);
      // Makes PostgreSQL read each row once. While it assumes that the tables are small, its plan would read all events again for each
      // entry.
      await transaction.query('SET LOCAL enable_nestloop = off');
      return [await transaction.query<AuditRow>(AUDIT_QUERY, [accountId]), unsettled] as const;
    }, ONE_SNAPSHOT);
    const data = rows.filter((row) => environment === undefined || row.environment === environment).map(auditLine);
    const unsettled = open?.count ?? 0;
    return { exact: unsettled === 0 && data.every(({ exact }) => exact), unsettled_events: unsettled, data };
  }

  /** The window with the thresholds of warnings in the active policy. */
  withThresholds(accountId: string, state: BudgetState): BudgetState {
    const { budgets } = this.policies.active(accountId, state.environment).policy;
    return { ...state, warn_at: [...(budgets.find(({ id }) => id === state.budget)?.warnAt ?? [])] };
  }

  private untouched({ accountId, environment, budget }: BudgetFilter, seen: readonly BudgetState[]): BudgetState[] {
    const wanted = environment === undefined ? ENVIRONMENTS : [environment];
    return wanted.flatMap((each) =>
      this.policies
        .active(accountId, each)
        .policy.budgets.filter(({ id }) => budget === undefined || id === budget)
        .filter(({ id }) => !seen.some((state) => state.environment === each && state.budget === id))
        .map((definition): BudgetState => {
          const { id, window, limit, onExceed } = definition;
          const { startMs, endMs } = windowAt(window.per, window.timezone, this.clock.nowMs());
          const nothing = amountText(limit.unit, 0n);
          const all = amountText(limit.unit, limitAmount(limit));
          return {
            ...{ budget: id, environment: each, period_id: null, scope: {}, on_exceed: onExceed, unit: limit.unit },
            window: { ...window, start: instant(startMs), end: endMs === undefined ? null : instant(endMs) },
            ...{ limit: all, used: nothing, reserved: nothing, remaining: all, used_ratio: 0 },
            ...{ exceeded_at: null, warn_at: [...definition.warnAt], warned: [] },
          };
        }),
    );
  }
}

interface AuditRow extends SqlRow {
  readonly budget: string;
  readonly environment: Environment;
  readonly period_id: string;
  readonly scope: string;
  readonly start_ms: number;
  readonly unit: BudgetUnit;
  readonly usage: string;
  readonly ledger: string;
  readonly events: string;
  readonly estimated: string;
  readonly adjusted: string;
  readonly reserved: string;
  readonly held: string;
  readonly missing_events: number;
}

function auditLine(row: AuditRow): BudgetAuditLine {
  const { budget, environment, period_id, unit, missing_events } = row;
  const amounts = {
    ...{ usage: BigInt(row.usage), ledger: BigInt(row.ledger), events: BigInt(row.events) },
    ...{ estimated: BigInt(row.estimated), adjusted: BigInt(row.adjusted) },
    ...{ reserved: BigInt(row.reserved), held: BigInt(row.held) },
  };
  const { usage, ledger, events, estimated, adjusted, reserved, held } = amounts;
  const texts = Object.fromEntries(Object.entries(amounts).map(([key, amount]) => [key, amountText(unit, amount)]));
  return {
    ...{ budget, environment, period_id, unit, missing_events },
    scope: JSON.parse(row.scope) as BudgetAuditLine['scope'],
    start: instant(row.start_ms),
    ...(texts as Record<keyof typeof amounts, string>),
    exact: usage === ledger && ledger === events + estimated + adjusted && reserved === held && missing_events === 0,
  };
}
