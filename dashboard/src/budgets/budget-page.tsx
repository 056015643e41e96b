import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import { ApiError, get } from '../api/client.ts';
import { isRepeated, MINUTE_MS, polled, useFeature } from '../api/queries.ts';
import type { BudgetEntries, BudgetState, Data } from '../api/types.ts';
import { Block, Empty, Part } from '../parts/block.tsx';
import { columnAmount } from '../parts/format.ts';
import { HistoryLink } from '../parts/history-link.tsx';
import { OlderButton } from '../parts/older-button.tsx';
import { Time } from '../parts/small.tsx';
import { UserText } from '../parts/text.tsx';
import { Page, Trail } from '../shell/page.tsx';
import { useSearchParams, useSetSearch } from '../shell/view.ts';
import { AdjustDialog } from './adjust-dialog.tsx';
import { Agreement } from './agreement.tsx';
import { BudgetSeries } from './budget-series.tsx';
import { Scopes } from './scopes.tsx';

export function BudgetPage(): ReactNode {
  const { env, id } = useParams({ strict: false }) as { env: string; id: string };
  const { isPast, chosen, setSearch } = useChosenWindow();
  const [adjusted, setAdjusted] = useState<BudgetState | null>(null);
  const path = `/v1/budgets/${encodeURIComponent(id)}`;
  const budget = useQuery({
    ...polled<Data<BudgetState>>(['budget', env, id, isPast], path, { environment: env, past: isPast }),
    select: ({ data }) => data,
    // React Query's name for what is shown until the past windows arrive: real figures, and only those of this environment and budget.
    placeholderData: (before, query) => (query?.queryKey[1] === env && query.queryKey[2] === id ? before : undefined),
  });
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
        <label className="line tight push">
          <input
            type="checkbox"
            checked={isPast}
            onChange={({ target }) => setSearch({ past: target.checked ? '1' : undefined }, true)}
          />
          Past windows
        </label>
      </div>
      {isUnknown && (
        <Empty>
          There is no budget with this name in force in {env}.{' '}
          <Link to="/budgets" className="link">
            All budgets
          </Link>
        </Empty>
      )}
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

function Ledger({
  id,
  period,
  unit,
}: {
  readonly id: string;
  readonly period: string;
  readonly unit: 'usd' | 'tokens';
}): ReactNode {
  const isThere = useFeature('budgets.series');
  const queryKey = ['entries', period];
  const entries = useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam: cursor, signal }) => {
      const background = cursor === undefined && isRepeated(queryKey);
      const path = `/v1/budgets/${encodeURIComponent(id)}/entries`;
      return get<BudgetEntries>(path, { period_id: period, cursor }, { signal, background });
    },
    // While there is one page, it is kept up to date.
    refetchInterval: ({ state }) => ((state.data?.pages.length ?? 0) > 1 ? false : MINUTE_MS),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (last) => last.next_cursor ?? undefined,
    select: ({ pages }) => pages.flatMap(({ data }) => data),
    enabled: isThere,
  });
  if (!isThere) return null;
  return (
    <Block
      title="Ledger"
      aside={<HistoryLink of={[period]}>History of adjustments</HistoryLink>}
      what="the ledger"
      query={entries}
      height={160}
    >
      {(list) =>
        list.length === 0 ? (
          <Empty>No entry yet.</Empty>
        ) : (
          <ul className="rows">
            {list.map((entry, index) => (
              <li key={index}>
                <span className="meta">
                  <Time at={entry.at} as="table" />
                </span>
                <span className="cut">
                  {entry.kind}
                  {entry.event_id !== null && (
                    <>
                      {' '}
                      <Link to="/events/$id" params={{ id: entry.event_id }} className="link">
                        event
                      </Link>
                    </>
                  )}
                  {entry.because !== null && (
                    <>
                      {' '}
                      “<UserText text={entry.because} />”
                      {typeof entry.by?.name === 'string' && (
                        <span className="dim">
                          {' '}
                          <UserText text={entry.by.name} />
                        </span>
                      )}
                    </>
                  )}
                </span>
                <span className="num">{columnAmount(entry.amount, unit)}</span>
              </li>
            ))}
            {entries.hasNextPage && (
              <li>
                <OlderButton list={entries} what="entries" />
              </li>
            )}
          </ul>
        )
      }
    </Block>
  );
}
