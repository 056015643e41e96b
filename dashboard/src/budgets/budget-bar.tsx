import { useCallback, type ReactNode } from 'react';
import type { BudgetState } from '../api/types.ts';
import { ratio } from '../parts/format.ts';

/** The warning threshold of a budget that defines none. */
const NEAR = 0.8;

interface BarProps {
  readonly budget: BudgetState;
  /** The service's forecast of the amount used at the end of the window. */
  readonly atEnd?: string | undefined;
}

/**
 * The used share, the share reserved by running calls (hatched), ticks at warning thresholds, and a mark at the
 * forecast.
 */
export function BudgetBar({ budget, atEnd }: BarProps): ReactNode {
  const limit = Number(budget.limit);
  const used = Math.min(1, budget.used_ratio);
  const withReserved = limit === 0 ? used : Math.min(1, used + Number(budget.reserved) / limit);
  const near = Math.min(...(budget.warn_at.length === 0 ? [NEAR] : budget.warn_at));
  const kind = budget.used_ratio >= 1 ? ' over' : budget.used_ratio >= near ? ' near' : '';
  const warns = budget.warn_at.length === 0 ? '' : `, warns at ${budget.warn_at.map(ratio).join(' and ')}`;
  return (
    <div className={`bar${kind}`} role="img" aria-label={`${ratio(budget.used_ratio)} used${warns}`}>
      <Part share={withReserved} kind="reserved" />
      <Part share={used} kind="" />
      {budget.warn_at.map((share) => (
        <Tick key={share} share={share} />
      ))}
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

function Tick({ share }: { readonly share: number }): ReactNode {
  const place = useCallback(
    (element: HTMLElement | null) => element?.style.setProperty('inset-inline-start', `${share * 100}%`),
    [share],
  );
  return <em ref={place} />;
}

function End({ share }: { readonly share: number }): ReactNode {
  const place = useCallback(
    (element: HTMLElement | null) => element?.style.setProperty('inset-inline-start', `calc(${share * 100}% - 2px)`),
    [share],
  );
  return <b ref={place} />;
}
