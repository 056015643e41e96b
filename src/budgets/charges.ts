import {
  limitAmount,
  scopeOf,
  scopeText,
  type BudgetDefinition,
  type CallContext,
  type JsonValue,
  type KeyedHash,
} from '../core/index.js';
import type { SpendingCall } from '../events/index.js';
import type { PeriodRequest } from './ledger/ledger-types.js';
import { windowAt } from './window.js';

/** Written into the hash, so that it never equals one that is made for another purpose. */
const PURPOSE = 'budget scope\n';

/**
 * The windows of the policy's budgets that a call counts for.
 *
 * @param nowMs the instant of the call by the database's clock
 * @param storedMetadata as the log has it, masked: what people are shown
 */
export function periodRequests(
  { caller, policy, context }: SpendingCall,
  hash: KeyedHash,
  nowMs: number,
  storedMetadata: string | undefined,
): PeriodRequest[] {
  const masked = maskedContext(context, storedMetadata);
  return policy.policy.budgets.map((budget) => {
    const { id, scope, window, limit, warnAt, onExceed } = budget;
    const { startMs, endMs } = windowAt(window.per, window.timezone, nowMs);
    return {
      accountId: caller.accountId,
      environment: caller.environment,
      budget: id,
      unit: limit.unit,
      per: window.per,
      timezone: window.timezone,
      scope: hashed(hash, scopeText(scopeOf(scope, context))),
      scopeLabel: Object.fromEntries(scopeOf(scope, masked).map(({ name, value }) => [name, shown(value)])),
      nowMs,
      startMs,
      ...(endMs === undefined ? {} : { endMs }),
      limit: limitAmount(limit),
      warnAt,
      onExceed,
    };
  });
}

/** What a call may cost in each unit, or cost. */
export interface Amounts {
  readonly usd: bigint | undefined;
  readonly tokens: bigint | undefined;
}

export function amountIn({ limit }: BudgetDefinition, amounts: Amounts): bigint | undefined {
  return amounts[limit.unit];
}

const LONGEST_LABEL = 200;

function shown(value: string | null): string | null {
  return value === null || value.length <= LONGEST_LABEL ? value : `${value.slice(0, LONGEST_LABEL)}…`;
}

function hashed(hash: KeyedHash, text: string): string {
  return Buffer.from(hash(PURPOSE + text)).toString('hex');
}

function maskedContext(context: CallContext, storedMetadata: string | undefined): CallContext {
  const { metadata: _unmasked, ...rest } = context;
  if (storedMetadata === undefined) return rest;
  return { ...rest, metadata: JSON.parse(storedMetadata) as { readonly [key: string]: JsonValue } };
}
