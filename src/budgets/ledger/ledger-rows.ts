import type { Environment, LedgerStep } from '../../core/index.js';
import type { WindowLength } from '../window.js';
import type { BudgetUnit, LedgerEvent, PeriodRequest, PeriodState, ReserveCall } from './ledger-types.js';

/** The parameters and results of the ledger's functions: JSON, with amounts as decimal text. */
interface PeriodRow {
  readonly account: string;
  readonly period: string;
  readonly environment: Environment;
  readonly budget: string;
  readonly unit: BudgetUnit;
  readonly per: WindowLength;
  readonly timezone: string;
  readonly scope: Readonly<Record<string, string | null>>;
  readonly start_ms: number;
  readonly end_ms: number | null;
  readonly on_exceed: 'record' | 'block';
  readonly limit: string;
  readonly settled: string;
  readonly reserved: string;
}

export function periodState(row: unknown): PeriodState {
  const period = row as PeriodRow;
  return {
    accountId: period.account,
    id: period.period,
    environment: period.environment,
    budget: period.budget,
    unit: period.unit,
    per: period.per,
    timezone: period.timezone,
    scope: period.scope,
    startMs: period.start_ms,
    ...(period.end_ms === null ? {} : { endMs: period.end_ms }),
    onExceed: period.on_exceed,
    limit: BigInt(period.limit),
    settled: BigInt(period.settled),
    reserved: BigInt(period.reserved),
  };
}

/** @param isEnd whether the row is for the end of a call: an existing row is then not updated */
export function periodArgument(request: PeriodRequest, isEnd = false): string {
  return JSON.stringify({
    account: request.accountId,
    environment: request.environment,
    budget: request.budget,
    unit: request.unit,
    per: request.per,
    timezone: request.timezone,
    scope: request.scope,
    scope_label: request.scopeLabel,
    now_ms: request.nowMs,
    start_ms: request.startMs,
    end_ms: request.endMs ?? null,
    limit: request.limit.toString(),
    warn_at: request.warnAt.map(String),
    on_exceed: request.onExceed,
    ...(isEnd ? { is_end: true } : {}),
  });
}

export function reserveArgument(calls: readonly ReserveCall[]): string {
  return JSON.stringify(
    calls.map((call) => ({
      account: call.accountId,
      id: call.id,
      environment: call.environment,
      app: call.appId,
      request_id: call.requestId ?? null,
      source: call.source,
      lease_ms: call.leaseMs,
      charges: call.charges.map(({ periodId, amount, limit, blocks }) => ({
        period: periodId,
        amount: amount.toString(),
        limit: limit.toString(),
        blocks,
      })),
    })),
  );
}

export function stepsArgument(steps: readonly LedgerStep[]): string {
  return JSON.stringify(steps.map(stepRow));
}

function stepRow(step: LedgerStep): object {
  if (step.do !== 'settle' && 'reservationId' in step) {
    return { do: step.do, account: step.accountId, reservation: step.reservationId };
  }
  const { accountId, eventId, usd, tokens } = step;
  const amounts = { usd: usd?.toString() ?? null, tokens: tokens?.toString() ?? null };
  const common = { do: step.do, account: accountId, event: eventId, ...amounts };
  if ('reservationId' in step) return { ...common, reservation: step.reservationId };
  return {
    ...common,
    app: step.appId,
    environment: step.environment,
    request_id: step.requestId ?? null,
    charges: step.charges.map(({ periodId, actual }) => ({ period: periodId, actual: actual.toString() })),
  };
}

/** Result of a function of the ledger: see `functions/*.sql`. */
interface NewsRow {
  readonly nr?: number;
  readonly what: string;
  readonly in?: unknown;
  /** Set for `warned`. */
  readonly ratio: number;
  /** Set for `overrun`. */
  readonly unit: BudgetUnit;
  /** Set for `overrun`: a whole number. */
  readonly by: string;
}

/** @returns undefined for a row that is not the event of a step */
export function ledgerEventOf(row: unknown): LedgerEvent | undefined {
  const { nr: step = 0, what, in: period, ratio, unit, by } = row as NewsRow;
  switch (what) {
    case 'crossed':
      return { what, step, period: periodState(period) };
    case 'warned':
      return { what, step, period: periodState(period), ratio };
    case 'overrun':
      return { what, step, unit, by: BigInt(by) };
    case 'lost':
    case 'counted_before':
      return { what, step };
    default:
      return undefined;
  }
}
