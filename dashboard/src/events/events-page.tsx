/** Which calls there were, and what happened to them. */
import { Link } from '@tanstack/react-router';
import { useMemo, useState, type FormEvent, type ReactNode } from 'react';
import { useApps, useFeature } from '../api/queries.ts';
import { searchOf } from '../api/client.ts';
import { Empty, Failed, Skeleton } from '../parts/block.tsx';
import { count } from '../parts/format.ts';
import { Icon } from '../parts/icons.tsx';
import { Page } from '../shell/page.tsx';
import { usePageKeys } from '../shell/keys.ts';
import { useSearchParams, useSetSearch, useView } from '../shell/view.ts';
import { ColumnPicker } from './column-picker.tsx';
import { EventGrid } from './event-grid.tsx';
import { FilterMenu } from './filter-menu.tsx';
import { filtersOf, queryOf, typedFilters } from './filters.ts';
import { Histogram } from './histogram.tsx';
import { useEventCount } from './use-count.ts';
import { Time } from '../parts/small.tsx';
import { useEvents, useLive, type ListedEvent } from './use-events.ts';
import { Views } from './views.tsx';

const BUILT_IN: readonly (readonly [label: string, change: Record<string, string | undefined>])[] = [
  ['All', {}],
  ['Blocked', { decision: 'block' }],
  ['Redacted', { decision: 'redact' }],
  ['Errors', { type: 'ai.error' }],
];
/** The same where the service tells what came of a call. */
const BY_OUTCOME: typeof BUILT_IN = [
  ['All', {}],
  ['Blocked', { outcome: 'blocked' }],
  ['Redacted', { outcome: 'redacted' }],
  ['Would block', { outcome: 'would_block' }],
  ['Errors', { outcome: 'error,unavailable' }],
];

/** Where the service keeps marks: what a person has not said anything of yet. */
const TO_JUDGE: typeof BUILT_IN = [['To judge', { outcome: 'blocked,redacted', mark: 'none' }]];

const ENDS = new Set(['ai.response', 'ai.error']);

export function EventsPage(): ReactNode {
  const view = useView();
  const search = useSearchParams();
  const setSearch = useSetSearch();
  const { known, unknown } = filtersOf(search);
  const isLive = search['live'] === '1';
  const isByCall = useFeature('events.calls');
  const hasOutcomes = useFeature('events.outcome');
  const canMark = useFeature('marks');
  const filters = queryOf(known);
  const query = {
    ...filters,
    environment: view.environmentParam,
    from: view.from,
    to: view.to,
    ...(isByCall ? { view: 'calls', fields: 'summary' } : {}),
  };
  const { list, rows: all } = useEvents(query);
  // What a rule did stands in the row of its call; its own record would be the same once more.
  const rows = useMemo(
    () => (isByCall || filters['type'] !== undefined ? all : all.filter(({ type }) => type !== 'policy.violation')),
    [all, isByCall, filters['type']],
  );
  const { q: _text, ...tailable } = filters;
  const tail = useLive(isLive, { ...tailable, environment: view.environmentParam });
  const live = useMemo(
    () => ({
      state: tail.state,
      rows: filters['type'] !== undefined ? tail.rows : rowsOfCalls(tail.rows, isByCall ? rows : []),
    }),
    [tail, filters['type'], isByCall, rows],
  );
  const seen = useMemo(() => new Set(live.rows.map(({ id }) => id)), [live.rows]);
  const shown = useMemo(
    () => (live.rows.length === 0 ? rows : [...live.rows, ...rows.filter(({ id }) => !seen.has(id))]),
    [live.rows, rows, seen],
  );
  const { total } = useEventCount({
    ...filters,
    environment: view.environmentParam,
    from: view.from,
    to: view.to,
    ...(isByCall ? { view: 'calls' } : {}),
  });
  const toggleLive = (): void => setSearch({ live: isLive ? undefined : '1' }, true);
  const clear = (): void =>
    setSearch(
      Object.fromEntries([...known.map(({ name }) => [name, undefined]), ...unknown.map((name) => [name, undefined])]),
    );
  usePageKeys({ t: toggleLive, f: () => document.querySelector<HTMLElement>('[data-add-filter]')?.click() });
  return (
    <Page title="Events" full>
      <div className="toolbar">
        <SearchBox />
        <Chips />
        <FilterMenu />
        <span className="push line nowrap">
          <button type="button" className="button" aria-pressed={isLive} onClick={toggleLive}>
            <Icon name="live" />
            {live.state === 'connecting' ? 'Connecting…' : live.state === 'lost' ? 'Live, reconnecting…' : 'Live'}
          </button>
          <a
            className="button"
            href={`/exports${searchOf({ ...filters, env: search['env'], from: search['from'], to: search['to'], range: search['range'] })}`}
          >
            Export
          </a>
        </span>
      </div>
      <div className="toolbar thin">
        <Views builtIn={hasOutcomes ? (canMark ? [...BY_OUTCOME, ...TO_JUDGE] : BY_OUTCOME) : BUILT_IN} />
        <span className="push meta tab-nums" role="status">
          {total ?? `${count(shown.length)}${list.hasNextPage ? '+' : ''}`} {isByCall ? 'calls' : 'events'} · newest
          first · last {view.rangeWords}
        </span>
        <ColumnPicker />
      </div>
      {unknown.map((name) => (
        <p key={name} className="notice amber">
          This link has a filter that this version does not know: <code className="mono">{name}</code>.{' '}
          <button type="button" className="button quiet" onClick={() => setSearch({ [name]: undefined })}>
            Remove
          </button>
        </p>
      ))}
      <Histogram filters={filters} />
      {list.error !== null && (
        <div className="inset">
          <Failed what="events" error={list.error} again={() => void list.refetch()} />
        </div>
      )}
      {list.data === undefined && list.error === null && (
        <div className="inset">
          <Skeleton height={480} />
        </div>
      )}
      {list.data !== undefined && shown.length === 0 && list.hasNextPage && (
        <FurtherBack
          searchedTo={list.data.pages.at(-1)?.searched_to ?? null}
          isLooking={list.isFetchingNextPage}
          look={() => void list.fetchNextPage()}
        />
      )}
      {list.data !== undefined && shown.length === 0 && !list.hasNextPage && (
        <NoEvents isFiltered={known.length > 0} clear={clear} />
      )}
      {shown.length > 0 && (
        <EventGrid
          rows={shown}
          fresh={seen}
          isStale={list.isPlaceholderData}
          hasMore={list.hasNextPage}
          more={() => {
            if (!list.isFetchingNextPage) void list.fetchNextPage();
          }}
          showEnvironment={view.environment === 'all'}
        />
      )}
    </Page>
  );
}

/** What comes in live, without what belongs to a call that has its row. */
function rowsOfCalls(live: readonly ListedEvent[], listed: readonly ListedEvent[]): readonly ListedEvent[] {
  const begun = new Set([...live, ...listed].flatMap((row) => (row.type === 'ai.request' ? [row.request_id] : [])));
  return live.filter(
    ({ type, request_id: id }) =>
      type !== 'policy.violation' && (listed.length === 0 || !ENDS.has(type) || id === null || !begun.has(id)),
  );
}

function SearchBox(): ReactNode {
  const setSearch = useSetSearch();
  const [text, setText] = useState('');
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (text.trim() === '') return;
    setSearch(typedFilters(text));
    setText('');
  };
  return (
    <form className="searchbox" role="search" onSubmit={submit}>
      <Icon name="search" />
      <input
        className="input"
        type="search"
        aria-label="Search text, or rule: app: model: session:"
        placeholder="Search text, or rule: app: model: session:"
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
    </form>
  );
}

function Chips(): ReactNode {
  const search = useSearchParams();
  const setSearch = useSetSearch();
  const apps = useApps().data;
  const { known } = filtersOf(search);
  return (
    <>
      {known.map(({ name, label, value }) => {
        const text =
          name === 'app' ? (apps?.find(({ id }) => id === value)?.name ?? value) : value.replaceAll(',', ', ');
        return (
          <span key={name} className="filter">
            <b>{label}</b>
            <bdi className="cut" title={text}>
              {text}
            </bdi>
            <button type="button" aria-label={`Remove ${label}`} onClick={() => setSearch({ [name]: undefined })}>
              <Icon name="close" />
            </button>
          </span>
        );
      })}
    </>
  );
}

/** Nothing was found so far, and the service has not looked at everything. */
function FurtherBack({
  searchedTo,
  isLooking,
  look,
}: {
  readonly searchedTo: string | null;
  readonly isLooking: boolean;
  readonly look: () => void;
}): ReactNode {
  return (
    <div className="inset">
      <Empty>
        Nothing matches so far. Searched back to{' '}
        {searchedTo === null ? 'an earlier time' : <Time at={searchedTo} as="table" />}.{' '}
        <button type="button" className="button" disabled={isLooking} onClick={look}>
          {isLooking ? 'Looking…' : 'Look further back'}
        </button>
      </Empty>
    </div>
  );
}

function NoEvents({ isFiltered, clear }: { readonly isFiltered: boolean; readonly clear: () => void }): ReactNode {
  const { rangeWords } = useView();
  const setSearch = useSetSearch();
  return (
    <div className="inset">
      <Empty>
        {isFiltered ? 'No event matches. ' : `No events in the last ${rangeWords}. `}
        {isFiltered ? (
          <button type="button" className="button" onClick={clear}>
            Clear filters
          </button>
        ) : (
          <>
            <button
              type="button"
              className="button"
              onClick={() => setSearch({ range: '90d', from: undefined, to: undefined })}
            >
              Look at 90 days
            </button>{' '}
            <Link to="/apps" className="link">
              Set an app up
            </Link>
          </>
        )}
      </Empty>
    </div>
  );
}
