/** The outcome of a call in one word, independently of the rules and entry points involved. */
import type { DecisionAction } from '../core/index.js';
import type { NewEvent } from './event.js';

/** From the weakest to the strongest; a call with several events has their strongest outcome. */
export const OUTCOMES = ['allowed', 'flagged', 'would_block', 'redacted', 'error', 'unavailable', 'blocked'] as const;
export type Outcome = (typeof OUTCOMES)[number];

/** The fields that `outcomeOf` reads, both from events to be stored and from stored ones. */
export interface Judged {
  readonly type: string;
  readonly decision: string | null | undefined;
  readonly reason: string | null | undefined;
  readonly violations: readonly { readonly action: string; readonly enforced: boolean }[];
}

/** Types of events that are calls or belong to a call; events of other types only report about another event. */
const OF_CALLS: ReadonlySet<string> = new Set(['ai.request', 'ai.response', 'ai.error', 'agent.tool_call']);

/** The outcome that follows from a decision alone. */
const OF_DECISION: Readonly<Record<DecisionAction, Outcome | undefined>> = {
  allow: undefined,
  redact: 'redacted',
  block: 'blocked',
};

/** The outcome of one event; null for events that only report about another one. */
export function outcomeOf({ type, decision, reason, violations }: Judged): Outcome | null {
  if (!OF_CALLS.has(type)) return null;
  const decided = OF_DECISION[decision as DecisionAction];
  if (decided === 'blocked') return reason === 'guardrail_unavailable' ? 'unavailable' : decided;
  if (type === 'ai.error') return 'error';
  if (decided !== undefined) return decided;
  if (violations.some(({ action, enforced }) => action === 'block' && !enforced)) return 'would_block';
  return violations.length > 0 ? 'flagged' : 'allowed';
}

/** The outcome of an event that is about to be stored. */
export function outcomeOfNew({ type, decision, reason, violations }: NewEvent): Outcome | null {
  return outcomeOf({ type, decision, reason, violations });
}

export function strongerOf(one: Outcome, other: Outcome): Outcome {
  return OUTCOMES.indexOf(one) >= OUTCOMES.indexOf(other) ? one : other;
}
