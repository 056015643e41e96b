import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import { ApiError } from '../api/client.ts';
import { polled } from '../api/queries.ts';
import type { BudgetState, Data } from '../api/types.ts';
import { Empty, Part } from '../parts/block.tsx';
import { Page, Trail } from '../shell/page.tsx';
import { useSearchParams, useSetSearch } from '../shell/view.ts';
import { AdjustDialog } from './adjust-dialog.tsx';
import { Agreement } from './agreement.tsx';
import { BudgetSeries } from './budget-series.tsx';
import { Ledger } from './ledger.tsx';
import { Scopes } from './scopes.tsx';

export function BudgetPage(): ReactNode {
  const { env, id } = useParams({ strict: false }) as { env: string; id: string };
  const { isPast, chosen, setSearch } = useChosenWindow();
  const [adjusted, setAdjusted] = useState<BudgetState | null>(null);
  const budget = useWindows(env, id, isPast);
  const isUnknown = budget.data === undefined && budget.error instanceof ApiError && budget.error.status === 404;
  const current = budget.data?.find(({ period_id: period }) => period === chosen) ?? budget.data?.[0];
  const adjustedNow = budget.data?.find(({ period_id: period }) => period === adjusted?.period_id);
  return (
    <Page
      title={`Budget ${id}`}
      heading={
        <Trail to="/budgets" above="Budgets">
          {id}
        </Trail>
      }
    >
      <div className="line">
        <span>{env}</span>
        <PastSwitch isPast={isPast} change={(on) => setSearch({ past: on ? '1' : undefined }, true)} />
      </div>
      {isUnknown && <NoBudget env={env} />}
      {!isUnknown && (
        <Part what="the budget" query={budget} height={420}>
          {(list) => (
            <div className="stack wide">
              {chosen !== undefined && current?.period_id !== chosen && !budget.isPlaceholderData && (
                <NotListed isPast={isPast} />
              )}
              {current !== undefined && <BudgetSeries budget={current} />}
              <section className="block">
                <h2>Scopes</h2>
                <Scopes
                  list={list}
                  chosen={current?.period_id}
                  choose={(period) => setSearch({ window: period ?? undefined }, true)}
                  adjust={setAdjusted}
                />
                <Agreement budget={id} environment={env} />
              </section>
              {typeof current?.period_id === 'string' && (
                <Ledger id={id} period={current.period_id} unit={current.unit} />
              )}
            </div>
          )}
        </Part>
      )}
      {adjusted !== null && (
        <AdjustDialog
          budget={adjustedNow ?? adjusted}
          isCurrent={adjustedNow !== undefined && budget.error === null && !budget.isFetching}
          close={() => setAdjusted(null)}
        />
      )}
    </Page>
  );
}

/** The windows of a budget with their figures. */
function useWindows(env: string, id: string, isPast: boolean) {
  const path = `/v1/budgets/${encodeURIComponent(id)}`;
  return useQuery({
    ...polled<Data<BudgetState>>(['budget', env, id, isPast], path, { environment: env, past: isPast }),
    select: ({ data }) => data,
    // React Query's name for what is shown until the past windows arrive: real figures, and only those of this environment and budget.
    // The figures of the window shown before stay until those of the chosen one have arrived, but never those of another budget.
    placeholderData: (before, query) => (query?.queryKey[1] === env && query.queryKey[2] === id ? before : undefined),
  });
}

interface PastSwitchProps {
  readonly isPast: boolean;
  readonly change: (isPast: boolean) => void;
}

function PastSwitch({ isPast, change }: PastSwitchProps): ReactNode {
  return (
    <label className="line tight push">
      <input type="checkbox" checked={isPast} onChange={({ target }) => change(target.checked)} />
      Past windows
    </label>
  );
}

function NoBudget({ env }: { readonly env: string }): ReactNode {
  return (
    <Empty>
      There is no budget with this name in force in {env}.{' '}
      <Link to="/budgets" className="link">
        All budgets
      </Link>
    </Empty>
  );
}

/** The window whose spending and ledger are shown, and whether past windows are listed: in the address, so that a link shows the same. */
function useChosenWindow() {
  const { window: chosen, past } = useSearchParams();
  return { chosen, isPast: past === '1', setSearch: useSetSearch() };
}

/** The address names a window that is not in the list: the page shows another one. */
function NotListed({ isPast }: { readonly isPast: boolean }): ReactNode {
  const setSearch = useSetSearch();
  if (isPast) return <p className="notice amber">This budget has no window with the id of this link.</p>;
  return (
    <p className="notice">
      The window of this link has ended.{' '}
      <button type="button" className="button quiet" onClick={() => setSearch({ past: '1' }, true)}>
        Show past windows
      </button>
    </p>
  );
}
