import { newEventId, type NewEvent } from '../events/index.js';
import type { BudgetUnit, PeriodState } from './ledger/ledger-types.js';

/** Why there is a `budget.exceeded` event. */
type Occasion =
  /** The limit of this window was crossed for the first time. */
  | 'crossed'
  /** A call was refused. */
  | 'budget_exceeded'
  | 'budget_reserved'
  | 'unknown_price';

/** A `budget.exceeded` event about a period, caused by another event. */
export function budgetEvent(source: NewEvent, occasion: Occasion, period: PeriodState): NewEvent {
  const id = newEventId(source.receivedAt);
  return {
    id,
    eventId: id,
    type: 'budget.exceeded',
    accountId: source.accountId,
    appId: source.appId,
    keyId: source.keyId,
    environment: source.environment,
    declaredEnvironment: source.declaredEnvironment,
    source: source.source,
    parentId: source.id,
    ...copied(source),
    payload: JSON.stringify(told(occasion, period)),
    capture: source.capture,
    violations: [],
    redactions: [],
    detectors: [],
    receivedAt: source.receivedAt,
  };
}

const COPIED = [
  'requestId',
  'sessionId',
  'provider',
  'model',
  'metadata',
  'policyId',
  'policyDigest',
  'policyVersion',
] as const;

function copied(source: NewEvent): Partial<NewEvent> {
  const given = COPIED.filter((key) => source[key] !== undefined);
  return Object.fromEntries(given.map((key) => [key, source[key]]));
}

function told(occasion: Occasion, period: PeriodState): object {
  const { budget, unit, scope, per, timezone, startMs, endMs, onExceed, limit, settled, reserved } = period;
  return {
    budget,
    occasion,
    on_exceed: onExceed,
    scope,
    window: { per, timezone, start: instant(startMs), end: endMs === undefined ? null : instant(endMs) },
    unit,
    limit: amountOf(unit, limit),
    used: amountOf(unit, settled),
    reserved: amountOf(unit, reserved),
  };
}

/** Dollars as a decimal text, exact to the nano-dollar; tokens as a number. */
export function amountOf(unit: BudgetUnit, amount: bigint): string | number {
  return unit === 'tokens' ? Number(amount) : usdText(amount);
}

function usdText(nanoUsd: bigint): string {
  const digits = (nanoUsd < 0n ? -nanoUsd : nanoUsd).toString().padStart(10, '0');
  const decimals = digits.slice(-9).replace(/0+$/, '').padEnd(2, '0');
  return `${nanoUsd < 0n ? '-' : ''}${digits.slice(0, -9)}.${decimals}`;
}

export function instant(ms: number): string {
  return new Date(ms).toISOString();
}
