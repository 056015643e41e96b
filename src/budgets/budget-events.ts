import { newEventId, type NewEvent } from '../events/index.js';
import { amountText } from './amounts.js';
import type { PeriodState } from './ledger/ledger-types.js';

/** The reason for a `budget.exceeded` event. */
type Occasion =
  /** The limit of this window was crossed for the first time. */
  | 'crossed'
  /** A call was refused. */
  | 'budget_exceeded'
  | 'budget_reserved'
  | 'unknown_price';

/**
 * A `budget.exceeded` event about a period, caused by another event.
 *
 * @param needed the maximum possible cost of a refused call, in the period's unit, if it is known
 */
export function budgetEvent(source: NewEvent, occasion: Occasion, period: PeriodState, needed?: bigint): NewEvent {
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
    payload: JSON.stringify(payloadOf(occasion, period, needed)),
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

function payloadOf(occasion: Occasion, period: PeriodState, needed: bigint | undefined): object {
  const { budget, unit, scope, per, timezone, startMs, endMs, onExceed, limit, settled, reserved } = period;
  return {
    budget,
    occasion,
    on_exceed: onExceed,
    scope,
    window: { per, timezone, start: instant(startMs), end: endMs === undefined ? null : instant(endMs) },
    unit,
    limit: amountText(unit, limit),
    used: amountText(unit, settled),
    reserved: amountText(unit, reserved),
    ...(needed === undefined ? {} : { needed: amountText(unit, needed) }),
  };
}

/** RFC 3339, UTC. */
export function instant(ms: number): string {
  return new Date(ms).toISOString();
}
