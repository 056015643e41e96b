/**
 * Requests for budgets and their output, shared by commands. Amounts come from the ledger of the service and are never computed here.
 */
import {
  BUDGET_AUDIT,
  BUDGET_ENTRIES,
  BUDGET_SERIES,
  BUDGET_STATE,
  BUDGETS,
  type BudgetAudit,
  type BudgetEntries,
  type BudgetSeries,
  type BudgetState,
} from '../../src/core/index.js';
import { apiClient, readAnswer, whereUnknown, type ApiClient, type ServerFlags } from '../api/index.js';
import type { Io } from '../io.js';
import { environmentOf } from '../vocabulary.js';
import { NO_SCOPE } from './budget-table.js';
import { chosenWindow, type WindowFlags } from './select-window.js';

interface StatesAsked {
  readonly env: string | undefined;
  readonly past: boolean;
  readonly event?: string | undefined;
}

export interface BudgetFlags extends ServerFlags {
  readonly env: string | undefined;
}

/** The routes for budgets; every response is validated. */
export class BudgetClient {
  private constructor(private readonly client: ApiClient) {}

  static async of(flags: ServerFlags, io: Io): Promise<BudgetClient> {
    return new BudgetClient(await apiClient(flags, io));
  }

  /** @throws CliError (exit 2) if there is no such budget */
  async states({ env, past, event }: StatesAsked, budget?: string): Promise<BudgetState[]> {
    const query = stateQuery(env, past);
    if (event !== undefined) query.set('event', event);
    const path = budget === undefined ? '/v1/budgets' : `/v1/budgets/${encodeURIComponent(budget)}`;
    return this.statesAt(`${path}?${query.toString()}`, 'there is no such budget. See: weir budgets list');
  }

  /** The window that the flags select, of all windows of the budget. @throws CliError (exit 2) if they match no window, or several */
  async window(flags: WindowFlags, budget: string): Promise<BudgetState> {
    const { env, scope, window } = flags;
    const query = stateQuery(env, window !== undefined);
    if (scope !== undefined && scope !== NO_SCOPE) query.set('scope', scope);
    if (window !== undefined) query.set('period_id', window);
    const path = `/v1/budgets/${encodeURIComponent(budget)}?${query.toString()}`;
    return chosenWindow(await this.statesAt(path, 'there is no such budget or window. See: weir budgets list'), flags);
  }

  private async statesAt(path: string, whenUnknown: string): Promise<BudgetState[]> {
    return readAnswer(BUDGETS, await this.client.get(path).catch(whereUnknown(whenUnknown))).data;
  }

  async adjust(budget: string, body: object): Promise<BudgetState> {
    const path = `/v1/budgets/${encodeURIComponent(budget)}/adjustments`;
    const check = `weir budgets entries ${budget}`;
    return readAnswer(BUDGET_STATE, await this.client.post(path, body, check), check);
  }

  async series(budget: string, period: string): Promise<BudgetSeries> {
    const path = `/v1/budgets/${encodeURIComponent(budget)}/series?period_id=${encodeURIComponent(period)}`;
    return readAnswer(BUDGET_SERIES, await this.client.get(path));
  }

  async entries(budget: string, query: URLSearchParams): Promise<BudgetEntries> {
    return readAnswer(
      BUDGET_ENTRIES,
      await this.client.get(`/v1/budgets/${encodeURIComponent(budget)}/entries?${query.toString()}`),
    );
  }

  async audit(): Promise<BudgetAudit> {
    return readAnswer(BUDGET_AUDIT, await this.client.get('/v1/budget-audit'));
  }
}

function stateQuery(env: string | undefined, past: boolean): URLSearchParams {
  const query = new URLSearchParams(past ? { past: 'true' } : {});
  if (env !== undefined) query.set('environment', environmentOf(env));
  return query;
}
