/** An empty list, with suggestions for the user. */
import { useQueries } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Query } from '../api/client.ts';
import { useApps, useFeature } from '../api/queries.ts';
import { Empty } from '../parts/block.tsx';
import { count } from '../parts/format.ts';
import { visible } from '../parts/text.tsx';
import { useSetSearch, useView } from '../shell/view.ts';
import { shownValue, type Filter } from './filters.ts';
import { countOf } from './use-count.ts';

interface NoEventsProps {
  readonly filters: readonly Filter[];
  /** The query of the list, including the filters but not the time range. */
  readonly query: Query;
  readonly clear: () => void;
}

export function NoEvents({ filters, query, clear }: NoEventsProps): ReactNode {
  const { during, range } = useView();
  const setSearch = useSetSearch();
  if (filters.length > 0) {
    return (
      <div className="inset">
        <Empty>
          No event matches. <Nearest filters={filters} query={query} />
          <button type="button" className="button" onClick={clear}>
            Clear filters
          </button>
        </Empty>
      </div>
    );
  }
  return (
    <div className="inset">
      <Empty>
        No events {during}.{' '}
        {range !== '90d' && (
          <>
            <button
              type="button"
              className="button"
              onClick={() => setSearch({ range: '90d', from: undefined, to: undefined })}
            >
              Look at 90 days
            </button>{' '}
          </>
        )}
        <Link to="/apps" className="link">
          Set an app up
        </Link>
      </Empty>
    </div>
  );
}

/** The maximum number of filters that are removed one by one as a trial. */
const MOST_TRIED = 6;

/** Suggests removing the filter whose removal finds the fewest events: closest to the original query. */
function Nearest({ filters, query }: Omit<NoEventsProps, 'clear'>): ReactNode {
  const setSearch = useSetSearch();
  const { span } = useView();
  const apps = useApps().data ?? [];
  const isCounted = useFeature('events.count') && filters.length > 1;
  const tried = filters.slice(0, isCounted ? MOST_TRIED : 0);
  const counts = useQueries({
    queries: tried.map(({ name }) => {
      const { [name]: _left, fields: _fields, ...rest } = query;
      return countOf(rest, span);
    }),
  });
  const [best] = tried
    .flatMap((filter, index) => {
      const found = counts[index]?.data;
      return found === undefined || found.count === 0 ? [] : [{ filter, ...found }];
    })
    .sort((left, right) => left.count - right.count);
  if (best === undefined) return null;
  const { name, label } = best.filter;
  const shown = shownValue(best.filter, apps);
  return (
    <>
      The smallest change that finds events:{' '}
      <button type="button" className="button" onClick={() => setSearch({ [name]: undefined })}>
        Remove {visible(label)} {visible(shown)} ({count(best.count)}
        {best.capped && '+'})
      </button>{' '}
    </>
  );
}
