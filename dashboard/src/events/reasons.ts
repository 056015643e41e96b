/** Why a call went as it did where no rule decided. */
import { visible } from '../parts/text.tsx';
import type { CallEvent } from '../api/types.ts';

const OF_BUDGETS: Readonly<Record<string, string>> = {
  budget_exceeded: 'A budget is used up, or has less left than the call may need.',
  budget_reserved: 'What is left of a budget is held by calls that are running.',
  unknown_price: 'A budget limits dollars, and the price of the model is not known.',
};

/** A budget refused it, whatever the rules did before. */
export const isOfBudget = ({ reason, decision }: Pick<CallEvent, 'reason' | 'decision'>): boolean =>
  decision === 'block' && reason !== null && Object.hasOwn(OF_BUDGETS, reason);

export function reasonWords({ reason, upstream_status: status, type }: CallEvent): string {
  if (reason === 'guardrail_unavailable')
    return 'What the rules need to know could not be found out. No rule was broken.';
  if (type === 'ai.error')
    return `The provider answered ${status ?? 'nothing'}${reason === null ? '' : `: ${visible(reason)}`}.`;
  if (reason === null) return '';
  return Object.hasOwn(OF_BUDGETS, reason) ? OF_BUDGETS[reason]! : visible(reason);
}
