/** Reasons for the outcome of a call that no rule decided. */
import { visible } from '../parts/text.tsx';
import type { CallEvent } from '../api/types.ts';

const OF_BUDGETS: Readonly<Record<string, string>> = {
  budget_exceeded: 'A budget is used up, or its remaining amount is smaller than the possible cost of the call.',
  budget_reserved: 'The remaining amount of a budget is reserved by running calls.',
  unknown_price: 'A budget limits dollars, but the price of the model is unknown.',
};

/** Whether a budget refused the call, whatever the rules decided before. */
export const isOfBudget = ({ reason, decision }: Pick<CallEvent, 'reason' | 'decision'>): boolean =>
  decision === 'block' && reason !== null && Object.hasOwn(OF_BUDGETS, reason);

/** The answer of a provider that failed, as a sentence without its full stop. @param status null: there was no answer */
export function answerWords(status: number | null): string {
  return status === null ? 'The provider gave no answer' : `The provider answered ${status}`;
}

export function reasonWords({ reason, upstream_status: status, type }: CallEvent): string {
  if (reason === 'guardrail_unavailable')
    return 'Facts that the rules need could not be determined. No rule was violated.';
  if (type === 'ai.error') return `${answerWords(status)}${reason === null ? '' : `: ${visible(reason)}`}.`;
  if (reason === null) return '';
  return Object.hasOwn(OF_BUDGETS, reason) ? OF_BUDGETS[reason]! : visible(reason);
}
