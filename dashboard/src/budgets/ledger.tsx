/** The entries of one window of a budget: what calls spent, and adjustments with their reasons. */
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { get } from '../api/client.ts';
import { isRepeated, MINUTE_MS, useFeature } from '../api/queries.ts';
import type { BudgetEntries, BudgetState } from '../api/types.ts';
import { Block, Empty } from '../parts/block.tsx';
import { columnAmount } from '../parts/format.ts';
import { HistoryLink } from '../parts/history-link.tsx';
import { OlderButton } from '../parts/older-button.tsx';
import { Time } from '../parts/small.tsx';
import { UserText } from '../parts/text.tsx';

type Unit = BudgetState['unit'];

interface LedgerProps {
  /** The name of the budget. */
  readonly id: string;
  /** The id of the window. */
  readonly period: string;
  readonly unit: Unit;
}

export function Ledger({ id, period, unit }: LedgerProps): ReactNode {
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
              <Entry key={index} entry={entry} unit={unit} />
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

interface EntryProps {
  readonly entry: BudgetEntries['data'][number];
  readonly unit: Unit;
}

function Entry({ entry, unit }: EntryProps): ReactNode {
  return (
    <li>
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
  );
}
