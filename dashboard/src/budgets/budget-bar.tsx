import { useCallback, type ReactNode } from 'react';
import type { BudgetState } from '../api/types.ts';
import { ratio } from '../parts/format.ts';

const NEAR = 0.8;

/** What is used, and hatched what running calls have reserved. */
export function BudgetBar({ budget }: { readonly budget: BudgetState }): ReactNode {
  const limit = Number(budget.limit);
  const used = Math.min(1, budget.used_ratio);
  const withReserved = limit === 0 ? used : Math.min(1, used + Number(budget.reserved) / limit);
  const kind = budget.used_ratio >= 1 ? ' over' : budget.used_ratio >= NEAR ? ' near' : '';
  return (
    <div className={`bar${kind}`} role="img" aria-label={`${ratio(budget.used_ratio)} used`}>
      <Part share={withReserved} kind="reserved" />
      <Part share={used} kind="" />
    </div>
  );
}

function Part({ share, kind }: { readonly share: number; readonly kind: string }): ReactNode {
  const size = useCallback(
    (element: HTMLElement | null) => element?.style.setProperty('width', `${share * 100}%`),
    [share],
  );
  return <i className={kind} ref={size} />;
}
