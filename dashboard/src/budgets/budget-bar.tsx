import { useCallback, type ReactNode } from 'react';
import type { BudgetState } from '../api/types.ts';
import { ratio } from '../parts/format.ts';

const NEAR = 0.8;

interface BarProps {
  readonly budget: BudgetState;
  /** What will be used when the window ends, as the service foretells it. */
  readonly atEnd?: string | undefined;
}

/** What is used, hatched what running calls have reserved, and a mark where it will end. */
export function BudgetBar({ budget, atEnd }: BarProps): ReactNode {
  const limit = Number(budget.limit);
  const used = Math.min(1, budget.used_ratio);
  const withReserved = limit === 0 ? used : Math.min(1, used + Number(budget.reserved) / limit);
  const kind = budget.used_ratio >= 1 ? ' over' : budget.used_ratio >= NEAR ? ' near' : '';
  return (
    <div className={`bar${kind}`} role="img" aria-label={`${ratio(budget.used_ratio)} used`}>
      <Part share={withReserved} kind="reserved" />
      <Part share={used} kind="" />
      {atEnd !== undefined && limit > 0 && <End share={Math.min(1, Number(atEnd) / limit)} />}
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

function End({ share }: { readonly share: number }): ReactNode {
  const place = useCallback(
    (element: HTMLElement | null) => element?.style.setProperty('inset-inline-start', `calc(${share * 100}% - 2px)`),
    [share],
  );
  return <b ref={place} />;
}
