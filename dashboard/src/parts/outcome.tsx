/** The outcome of a call: always a word, a shape and a colour. */
import type { ReactNode } from 'react';
import type { CallEvent, Outcome, Violation } from '../api/types.ts';
import { Icon, type IconName } from './icons.tsx';

const SHOWN: Readonly<Record<Outcome, readonly [word: string, icon: IconName]>> = {
  allowed: ['Allowed', 'check'],
  flagged: ['Flagged', 'flag'],
  would_block: ['Would block', 'block'],
  redacted: ['Redacted', 'redact'],
  blocked: ['Blocked', 'block'],
  unavailable: ['Unavailable', 'alert'],
  error: ['Error', 'alert'],
};

export const OUTCOMES = Object.keys(SHOWN) as Outcome[];
export const outcomeWord = (outcome: Outcome): string => SHOWN[outcome][0];

/** A call that a monitored rule would have blocked has the colour of a blocked one, with a dashed line around it. */
export const styleOf = (outcome: Outcome): string => (outcome === 'would_block' ? 'blocked would' : outcome);

export function OutcomeBadge({
  outcome,
  would = false,
}: {
  readonly outcome: Outcome;
  readonly would?: boolean;
}): ReactNode {
  const [word, icon] = SHOWN[outcome];
  return (
    <span className={`outcome ${styleOf(outcome)}${would ? ' would' : ''}`}>
      <Icon name={icon} />
      {would ? `Would be ${word.toLowerCase()}` : word}
    </span>
  );
}

/** The outcome reported by the service; for older records without one, derived from their fields. */
export function outcomeOf(event: CallEvent & { readonly outcome?: string | null }): Outcome {
  const reported = OUTCOMES.find((each) => each === event.outcome);
  if (reported !== undefined) return reported;
  if (event.type === 'budget.exceeded' || event.decision === 'block')
    return event.reason === 'guardrail_unavailable' ? 'unavailable' : 'blocked';
  if (event.type === 'ai.error') return 'error';
  if (event.decision === 'redact') return 'redacted';
  if (event.type === 'policy.violation') return ofAction(event.violations[0]);
  if (event.violations.some(({ action, enforced }) => action === 'block' && !enforced)) return 'would_block';
  return event.violations.some(({ enforced }) => enforced) ? 'flagged' : 'allowed';
}

/** The outcome as which an action is displayed, strongest first. */
const OF_ACTION = { block: 'blocked', redact: 'redacted', flag: 'flagged' } as const satisfies Readonly<
  Record<Violation['action'], Outcome>
>;
const STRENGTH: readonly string[] = Object.keys(OF_ACTION);

/** The outcome that corresponds to an action of a rule. */
export const outcomeOfAction = (action: Violation['action']): Outcome => OF_ACTION[action];

/** Sorts violations: enforced before monitored, then by the strongest action. */
export function strongestFirst(violations: CallEvent['violations']): CallEvent['violations'] {
  return [...violations].sort(
    (left, right) =>
      Number(right.enforced) - Number(left.enforced) || STRENGTH.indexOf(left.action) - STRENGTH.indexOf(right.action),
  );
}

/** The action of a rule: the word of the policy, in the style of its outcome. */
export function ActionBadge({
  action,
  would = false,
}: {
  readonly action: string;
  readonly would?: boolean;
}): ReactNode {
  const outcome = Object.hasOwn(OF_ACTION, action) ? OF_ACTION[action as keyof typeof OF_ACTION] : 'allowed';
  return (
    <span className={`outcome ${outcome}${would ? ' would' : ''}`}>
      <Icon name={SHOWN[outcome][1]} />
      {action}
    </span>
  );
}

/** The outcome of a violation event: that of the rule's action; of a rule that only monitors, `would_block` or `allowed`. */
function ofAction(violation: CallEvent['violations'][number] | undefined): Outcome {
  if (violation === undefined) return 'allowed';
  if (violation.enforced) return outcomeOfAction(violation.action);
  return violation.action === 'block' ? 'would_block' : 'allowed';
}
