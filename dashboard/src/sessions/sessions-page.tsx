/** The list of conversations with their outcomes. */
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Schemas } from '../api/client.ts';
import { lostPart, usePages } from '../api/pages.ts';
import { useFeature } from '../api/queries.ts';
import { searchOfSession } from '../events/neighbours.ts';
import { UnknownFilters } from '../events/unknown-filters.tsx';
import { Empty, Failed, Skeleton } from '../parts/block.tsx';
import { focusPage } from '../parts/focus.ts';
import { count } from '../parts/format.ts';
import { OUTCOMES, outcomeWord } from '../parts/outcome.tsx';
import { OlderButton } from '../parts/older-button.tsx';
import { Cost, Time } from '../parts/small.tsx';
import { UserText } from '../parts/text.tsx';
import { Page } from '../shell/page.tsx';
import { useIsScrolled } from '../shell/use-scrolled.ts';
import { useSearchParams, useSetSearch, useView } from '../shell/view.ts';
import { TableHead } from '../parts/table-head.tsx';
import { filtersOf, NO_FILTERS, SessionFilters } from './sessions-filters.tsx';

type SessionRow = Schemas['CallSession'];

const COLUMNS = [
  'Session',
  'App',
  'Started',
  { label: 'Calls', className: 'num' },
  { label: 'Tools', className: 'num' },
  'Outcomes',
  { label: 'Tokens', className: 'num' },
  { label: 'Cost', className: 'num' },
] as const;

export function SessionsPage(): ReactNode {
  const view = useView();
  const isThere = useFeature('sessions');
  const { known, unknown } = filtersOf(useSearchParams());
  const isFiltered = Object.keys(known).length > 0;
  const list = usePages<SessionRow>({
    key: ['sessions'],
    path: '/v1/sessions',
    query: { ...known, environment: view.environmentParam },
    span: view.span,
    isHeld: useIsScrolled(),
    isOn: isThere,
  });
  const lost = lostPart(list);
  const rows = list.data?.pages.flatMap(({ data }) => data) ?? [];
  return (
    <Page title="Sessions">
      {!isThere && (
        <Empty>This version of the service has no list of sessions. Events can be filtered by session.</Empty>
      )}
      <UnknownFilters names={unknown} />
      {isThere && <SessionFilters {...known} />}
      {lost === 'list' && list.error !== null && (
        <Failed what="sessions" error={list.error} again={() => void list.refetch()} />
      )}
      {isThere && list.data === undefined && list.error === null && <Skeleton height={320} />}
      {list.data !== undefined && rows.length === 0 && <NoSession isFiltered={isFiltered} during={view.during} />}
      {rows.length > 0 && (
        <table className={`table fold sessions${list.isPlaceholderData ? ' outdated' : ''}`}>
          <TableHead columns={COLUMNS} />
          <tbody>
            {rows.map((row) => (
              <Row
                key={`${row.app.id}${row.environment}${row.session_id}`}
                row={row}
                hasEnvironment={view.environment === 'all'}
              />
            ))}
          </tbody>
        </table>
      )}
      {lost === 'next page' && list.error !== null && (
        <Failed what="older sessions" error={list.error} again={() => void list.fetchNextPage()} />
      )}
      {list.hasNextPage && lost === null && (
        <div className="line">
          <OlderButton list={list} what="sessions" />
        </div>
      )}
    </Page>
  );
}

interface NoSessionProps {
  readonly isFiltered: boolean;
  /** The time range in words. */
  readonly during: string;
}

function NoSession({ isFiltered, during }: NoSessionProps): ReactNode {
  const setSearch = useSetSearch();
  if (!isFiltered)
    return (
      <Empty>
        No call had a session {during}. Send the header <code className="mono">X-Service-Session</code>.
      </Empty>
    );
  return (
    <Empty>
      No session {during} matches.{' '}
      <button
        type="button"
        className="button"
        onClick={() => {
          focusPage();
          setSearch(NO_FILTERS);
        }}
      >
        Clear filters
      </button>
    </Empty>
  );
}

interface RowProps {
  readonly row: SessionRow;
  /** Whether sessions of several environments are shown. */
  readonly hasEnvironment: boolean;
}

function Row({ row, hasEnvironment }: RowProps): ReactNode {
  return (
    <tr className="go">
      <td>
        <Link
          to="/sessions/$id"
          params={{ id: row.session_id }}
          search={searchOfSession(row.app.id, row.environment) as never}
          className="mono"
        >
          <UserText text={row.session_id} cut />
        </Link>
      </td>
      <td>
        <UserText text={row.app.name ?? row.app.id} cut />
        {hasEnvironment && <span className="dim"> · {row.environment}</span>}
      </td>
      <td className="nowrap">
        <Time at={row.first_at} />
      </td>
      <td className="num" data-label="calls">
        {count(row.calls)}
      </td>
      <td className="num" data-label="tools">
        {count(row.tool_calls)}
      </td>
      <td className="outcomes">
        {OUTCOMES.filter((outcome) => (row.outcomes[outcome] ?? 0) > 0)
          .map((outcome) => `${row.outcomes[outcome] ?? 0} ${outcomeWord(outcome).toLowerCase()}`)
          .join(', ')}
      </td>
      <td className="num" data-label="tokens">
        {count(Number(row.tokens))}
      </td>
      <td className="num" data-label="cost">
        <Cost nanoUsd={row.cost_nano_usd} withoutPrice={row.without_price} digits={5} />
      </td>
    </tr>
  );
}
