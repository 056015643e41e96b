import type { BudgetState } from '../../core/index.js';
import { amountText } from '../amounts.js';
import { instant } from '../budget-events.js';
import { periodState } from '../ledger/ledger-rows.js';

/** An SQL expression: the row of a window, in the form that `stateOf` reads. @param period an expression for the row */
export const stateRow = (period: string): string =>
  `budget_shown(${period}) || jsonb_build_object('warned', (${period}).warned,
    'exceeded_ms', (extract(epoch FROM (${period}).exceeded_at) * 1000)::bigint)`;

interface StateRow {
  readonly exceeded_ms: number | null;
  readonly warned: readonly { readonly at: number; readonly when: string }[];
  readonly charged?: string;
}

/** The window as the API shows it, without the thresholds of the policy. @param text the row as JSON */
export function stateOf(text: string): BudgetState {
  const row = JSON.parse(text) as StateRow;
  const { budget, environment, id, scope, per, timezone, startMs, endMs, onExceed, ...counted } = periodState(row);
  const { unit, limit, settled, reserved } = counted;
  const amount = (value: bigint): string => amountText(unit, value);
  return {
    ...{ budget, environment, period_id: id, scope, on_exceed: onExceed, unit },
    window: { per, timezone, start: instant(startMs), end: endMs === undefined ? null : instant(endMs) },
    ...{ limit: amount(limit), used: amount(settled), reserved: amount(reserved), remaining: amount(limit - settled) },
    used_ratio: Number((Number(settled) / Number(limit)).toPrecision(12)),
    ...(row.charged === undefined ? {} : { charged: amount(BigInt(row.charged)) }),
    exceeded_at: row.exceeded_ms === null ? null : instant(row.exceeded_ms),
    warn_at: [],
    warned: row.warned.map(({ at, when }) => ({ ratio: at, at: new Date(when).toISOString() })),
  };
}
