/** The page of calls and their outcomes. */
import { useMemo, useState, type FormEvent, type ReactNode } from 'react';
import { useApps, useFeature } from '../api/queries.ts';
import { searchOf } from '../api/client.ts';
import { Failed, Skeleton } from '../parts/block.tsx';
import { count, plural } from '../parts/format.ts';
import { Icon } from '../parts/icons.tsx';
import { Page } from '../shell/page.tsx';
import { usePageKeys } from '../shell/keys.ts';
import { useSearchParams, useSetSearch, useView } from '../shell/view.ts';
import { Chips } from './chips.tsx';
import { ColumnPicker } from './column-picker.tsx';
import { EventGrid } from './event-grid.tsx';
import { FilterMenu } from './filter-menu.tsx';
import { filtersOf, queryOf, typedFilters } from './filters.ts';
import { Histogram } from './histogram.tsx';
import { useEventCount } from './use-count.ts';
import { FurtherBack, NoEvents } from './nothing-found.tsx';
import { LiveRefused, useLive, type LiveState } from './live.tsx';
import { useEvents, type ListedEvent } from './use-events.ts';
import { Views } from './views.tsx';

const BUILT_IN: readonly (readonly [label: string, change: Record<string, string | undefined>])[] = [
  ['All', {}],
  ['Blocked', { decision: 'block' }],
  ['Redacted', { decision: 'redact' }],
  ['Errors', { type: 'ai.error' }],
];
/** The built-in views for services that report outcomes of calls. */
const BY_OUTCOME: typeof BUILT_IN = [
  ['All', {}],
  ['Blocked', { outcome: 'blocked' }],
  ['Redacted', { outcome: 'redacted' }],
  ['Would block', { outcome: 'would_block' }],
  ['Errors', { outcome: 'error,unavailable' }],
  ['Expensive', { min_cost_usd: '0.05' }],
];

/** For services that store marks: blocked and redacted calls without a mark. */
const TO_JUDGE: typeof BUILT_IN = [['To judge', { outcome: 'blocked,redacted', mark: 'none' }]];

const ENDS = new Set(['ai.response', 'ai.error']);

export function EventsPage(): ReactNode {
  const view = useView();
  const search = useSearchParams();
  const setSearch = useSetSearch();
  const { known, unknown } = filtersOf(search);
  const isLive = search['live'] === '1';
  const canTellCalls = useFeature('events.calls');
  const isByCall = canTellCalls && search['view'] !== 'events';
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
  // The row of a call shows the rules that fired; separate rows of violations would repeat them.
  const rows = useMemo(
    () => (canTellCalls || filters['type'] !== undefined ? all : all.filter(({ type }) => type !== 'policy.violation')),
    [all, canTellCalls, filters['type']],
  );
  const { q: _text, ...tailable } = filters;
  const tail = useLive(isLive, { ...tailable, environment: view.environmentParam }, () => void list.refetch());
  const live = useMemo(
    () => ({
      state: tail.state,
      rows:
        filters['type'] !== undefined || (canTellCalls && !isByCall)
          ? tail.rows
          : rowsOfCalls(tail.rows, isByCall ? rows : []),
    }),
    [tail, filters['type'], canTellCalls, isByCall, rows],
  );
  const seen = useMemo(() => new Set(live.rows.map(({ id }) => id)), [live.rows]);
  const shown = useMemo(
    () => (live.rows.length === 0 ? rows : [...live.rows, ...rows.filter(({ id }) => !seen.has(id))]),
    [live.rows, rows, seen],
  );
  const { total, hasFailed: isUncounted } = useEventCount({
    ...filters,
    environment: view.environmentParam,
    from: view.from,
    to: view.to,
    ...(isByCall ? { view: 'calls' } : {}),
  });
  const times = view.range === null ? view.rangeWords : `last ${view.rangeWords}`;
  const toggleLive = (): void => setSearch({ live: isLive ? undefined : '1' }, true);
  const clear = (): void =>
    setSearch(
      Object.fromEntries([...known.map(({ name }) => [name, undefined]), ...unknown.map((name) => [name, undefined])]),
    );
  usePageKeys({ t: toggleLive, f: () => document.querySelector<HTMLElement>('[data-add-filter]')?.click() });
  const found = total ?? (list.data === undefined ? '…' : `${count(shown.length)}${list.hasNextPage ? '+' : ''}`);
  return (
    <Page title="Events" full>
      <div className="toolbar">
        <SearchBox />
        <Chips />
        <FilterMenu />
        <LiveAndExport state={live.state} isLive={isLive} toggle={toggleLive} filters={filters} />
      </div>
      <div className="toolbar thin">
        <Views builtIn={hasOutcomes ? (canMark ? [...BY_OUTCOME, ...TO_JUDGE] : BY_OUTCOME) : BUILT_IN} />
        <span className="push meta tab-nums" role="status">
          {found} {plural(found, isByCall ? 'call' : 'event')} ·{' '}
          {isUncounted ? 'the count could not be loaded' : `newest first · ${times}`}
        </span>
        {canTellCalls && <EveryEvent isOn={!isByCall} />}
        <ColumnPicker />
      </div>
      {unknown.map((name) => (
        <p key={name} className="notice amber">
          This link has a filter that this version does not support: <code className="mono">{name}</code>.{' '}
          <button type="button" className="button quiet" onClick={() => setSearch({ [name]: undefined })}>
            Remove
          </button>
        </p>
      ))}
      {tail.refusal !== null && <LiveRefused refusal={tail.refusal} />}
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
        <NoEvents filters={known} query={query} clear={clear} />
      )}
      {shown.length > 0 && (
        <EventGrid
          rows={shown}
          fresh={seen}
          isStale={list.isPlaceholderData}
          hasMore={list.hasNextPage}
          more={() => {
            // After a failure, the request is only repeated when the user asks for it.
            if (!list.isFetchingNextPage && !list.isFetchNextPageError) void list.fetchNextPage();
          }}
          showEnvironment={view.environment === 'all'}
        />
      )}
    </Page>
  );
}

interface LiveAndExportProps {
  readonly state: LiveState;
  readonly isLive: boolean;
  readonly toggle: () => void;
  readonly filters: Readonly<Record<string, string>>;
}

function LiveAndExport({ state, isLive, toggle, filters }: LiveAndExportProps): ReactNode {
  const search = useSearchParams();
  return (
    <span className="push line nowrap">
      <button type="button" className="button" aria-pressed={isLive} onClick={toggle}>
        <Icon name="live" />
        {state === 'connecting' ? 'Connecting…' : state === 'lost' ? 'Live, reconnecting…' : 'Live'}
      </button>
      <a
        className="button"
        href={`/exports${searchOf({ ...filters, env: search['env'], from: search['from'], to: search['to'], range: search['range'] })}`}
      >
        Export
      </a>
    </span>
  );
}

function EveryEvent({ isOn }: { readonly isOn: boolean }): ReactNode {
  const setSearch = useSetSearch();
  return (
    <button
      type="button"
      className="button quiet columns-button"
      aria-pressed={isOn}
      title="Single events: requests, answers, violations, budgets"
      onClick={() => setSearch({ view: isOn ? undefined : 'events' })}
    >
      Every event
    </button>
  );
}

/** The live events to show as rows: no violations and, once the list has rows, no answers or errors of calls that already have a row. */
function rowsOfCalls(live: readonly ListedEvent[], listed: readonly ListedEvent[]): readonly ListedEvent[] {
  const begun = new Set([...live, ...listed].flatMap((row) => (row.type === 'ai.request' ? [row.request_id] : [])));
  return live.filter(
    ({ type, request_id: id }) =>
      type !== 'policy.violation' && (listed.length === 0 || !ENDS.has(type) || id === null || !begun.has(id)),
  );
}

const EXAMPLES = 'Search text, or rule: app: model: cost>0.05 weir>10ms -app:';

function SearchBox(): ReactNode {
  const setSearch = useSetSearch();
  const apps = useApps().data;
  const [text, setText] = useState('');
  const [problem, setProblem] = useState<string>();
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (text.trim() === '') return;
    const typed = typedFilters(text, apps ?? []);
    setProblem(typed.problem);
    if (typed.problem !== undefined) return;
    setSearch(typed.filters);
    setText('');
  };
  return (
    <form className="searchbox" role="search" onSubmit={submit}>
      <Icon name="search" />
      <input
        className="input"
        type="search"
        aria-label="Search text, or rule: app: model: session:"
        aria-invalid={problem !== undefined}
        aria-describedby={problem === undefined ? undefined : 'search-problem'}
        title={EXAMPLES}
        placeholder="Search text, or rule: app: model: session:"
        value={text}
        onChange={(event) => {
          setText(event.target.value);
          setProblem(undefined);
        }}
      />
      {problem !== undefined && (
        <small id="search-problem" className="problem" role="alert">
          {problem}
        </small>
      )}
    </form>
  );
}
