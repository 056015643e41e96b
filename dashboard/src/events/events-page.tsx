/** The page of calls and their outcomes. */
import { Link } from '@tanstack/react-router';
import { useState, type FormEvent, type ReactNode } from 'react';
import { useApps, useFeature } from '../api/queries.ts';
import { lostPart } from '../api/pages.ts';
import { Failed, Skeleton } from '../parts/block.tsx';
import { FurtherBack } from '../parts/further-back.tsx';
import { count, plural } from '../parts/format.ts';
import { Icon } from '../parts/icons.tsx';
import { Page } from '../shell/page.tsx';
import { usePageKeys } from '../shell/keys.ts';
import { useSearchParams, useSetSearch, useView } from '../shell/view.ts';
import { Chips } from './chips.tsx';
import { ColumnPicker } from './column-picker.tsx';
import { EventGrid } from './event-grid.tsx';
import { FilterMenu } from './filter-menu.tsx';
import { filtersOf } from './filters.ts';
import { Histogram } from './histogram.tsx';
import { useEventCount } from './use-count.ts';
import { NoEvents } from './nothing-found.tsx';
import type { LiveState } from './follow.ts';
import { LiveRefused } from './live.tsx';
import { SelectionBar, usePicked } from './selection.tsx';
import { typedFilters } from './typed-filters.ts';
import { UnknownFilters } from './unknown-filters.tsx';
import { useRows, type Rows } from './use-rows.ts';
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

export function EventsPage(): ReactNode {
  const search = useSearchParams();
  const setSearch = useSetSearch();
  const { known, unknown } = filtersOf(search);
  const [isScrolled, setScrolled] = useState(false);
  const found = useRows(isScrolled);
  const { filters, isByCall, live, hasGap, hindrance } = found;
  const isLive = search['live'] === '1' && hindrance === undefined;
  const canTellCalls = useFeature('events.calls');
  const hasOutcomes = useFeature('events.outcome');
  const canMark = useFeature('marks');
  const toggleLive = (): void => {
    if (hindrance === undefined) setSearch({ live: isLive ? undefined : '1' }, true);
  };
  const clear = (): void => {
    // The button leaves the page with the empty list.
    document.querySelector<HTMLElement>('[data-add-filter]')?.focus();
    setSearch(Object.fromEntries([...known.map(({ name }) => name), ...unknown].map((name) => [name, undefined])));
  };
  usePageKeys({ t: toggleLive, f: () => document.querySelector<HTMLElement>('[data-add-filter]')?.click() });
  return (
    <Page title="Events" full>
      <div className="toolbar strip">
        <SearchBox />
        <Chips />
        <FilterMenu />
        <LiveAndExport state={live.state} isLive={isLive} hindrance={hindrance} toggle={toggleLive} filters={filters} />
      </div>
      <div className="toolbar thin">
        <Views builtIn={hasOutcomes ? (canMark ? [...BY_OUTCOME, ...TO_JUDGE] : BY_OUTCOME) : BUILT_IN} />
        <Total found={found} />
        {canTellCalls && <EveryEvent isOn={!isByCall} />}
        <ColumnPicker />
      </div>
      <UnknownFilters names={unknown} />
      {live.refusal !== null && <LiveRefused refusal={live.refusal} />}
      {isLive && hasGap && (
        <p className="notice amber" role="status">
          Some of the new events are not shown.{' '}
          <button type="button" className="button quiet" onClick={live.catchUp}>
            Load the newest events
          </button>
        </p>
      )}
      {search['live'] === '1' && hindrance !== undefined && <p className="notice">{hindrance}</p>}
      <Histogram filters={filters} />
      <List found={found} scrolled={setScrolled} clear={clear} />
    </Page>
  );
}

interface ListProps {
  readonly found: Rows;
  readonly scrolled: (isScrolled: boolean) => void;
  readonly clear: () => void;
}

function List({ found: { list, rows, fresh, query }, scrolled, clear }: ListProps): ReactNode {
  const { environment } = useView();
  const { known } = filtersOf(useSearchParams());
  const lost = lostPart(list);
  const selection = usePicked(rows);
  const { picked } = selection;
  return (
    <>
      {list.error !== null && lost !== null && (
        <div className="inset">
          <Failed
            what={lost === 'list' ? 'events' : 'older events'}
            error={list.error}
            again={() => void (lost === 'list' ? list.refetch() : list.fetchNextPage())}
          />
        </div>
      )}
      {list.data === undefined && list.error === null && (
        <div className="inset">
          <Skeleton height={480} />
        </div>
      )}
      {picked.size > 0 && <SelectionBar picked={rows.filter(({ id }) => picked.has(id))} clear={selection.clear} />}
      {list.data !== undefined && rows.length === 0 && list.hasNextPage && (
        <div className="inset">
          <FurtherBack
            at={list.data.pages.at(-1)?.searched_to ?? null}
            isEmpty
            isLooking={list.isFetchingNextPage}
            look={() => void list.fetchNextPage()}
          />
        </div>
      )}
      {list.data !== undefined && rows.length === 0 && !list.hasNextPage && (
        <NoEvents filters={known} query={query} clear={clear} />
      )}
      {rows.length > 0 && (
        <EventGrid
          rows={rows}
          fresh={fresh}
          isStale={list.isPlaceholderData}
          isBusy={list.isFetching && !list.isFetchingNextPage}
          hasMore={list.hasNextPage}
          more={() => {
            // After a failure, the request is only repeated when the user asks for it.
            if (!list.isFetchingNextPage && !list.isFetchNextPageError) void list.fetchNextPage();
          }}
          showEnvironment={environment === 'all'}
          selection={selection}
          scrolled={scrolled}
        />
      )}
    </>
  );
}

/** The number of calls or events that match. */
function Total({ found: { list, rows, filters, isByCall } }: { readonly found: Rows }): ReactNode {
  const view = useView();
  const query = { ...filters, environment: view.environmentParam, ...(isByCall ? { view: 'calls' } : {}) };
  const { total, hasFailed, isOutdated } = useEventCount(query, view.span);
  const shown = total ?? (list.data === undefined ? '…' : `${count(rows.length)}${list.hasNextPage ? '+' : ''}`);
  const times = view.range === null ? view.rangeWords : `last ${view.rangeWords}`;
  return (
    <span className={`push meta tab-nums${isOutdated ? ' outdated' : ''}`} role="status">
      {shown} {plural(shown, isByCall ? 'call' : 'event')} ·{' '}
      {hasFailed ? 'the count could not be loaded' : `newest first · ${times}`}
    </span>
  );
}

interface LiveAndExportProps {
  readonly state: LiveState;
  readonly isLive: boolean;
  /** Why new events cannot be shown. */
  readonly hindrance: string | undefined;
  readonly toggle: () => void;
  readonly filters: Readonly<Record<string, string>>;
}

function LiveAndExport({ state, isLive, hindrance, toggle, filters }: LiveAndExportProps): ReactNode {
  return (
    <span className="push line nowrap">
      <button
        type="button"
        className="button"
        aria-pressed={isLive}
        disabled={hindrance !== undefined}
        title={hindrance}
        onClick={toggle}
      >
        <Icon name="live" />
        {state === 'connecting' ? 'Connecting…' : state === 'lost' ? 'Live, reconnecting…' : 'Live'}
      </button>
      <Link to="/exports" search={filters as never} className="button">
        Export
      </Link>
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

const EXAMPLES = 'Search text, or rule: app: model: cost>0.05 weir>10ms -app:';

function SearchBox(): ReactNode {
  const search = useSearchParams();
  const setSearch = useSetSearch();
  const apps = useApps().data;
  const [text, setText] = useState('');
  const [problem, setProblem] = useState<string>();
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (text.trim() === '') return;
    const typed = typedFilters(text, apps ?? [], search);
    setProblem(typed.problem);
    if (typed.problem !== undefined) return;
    setSearch(typed.change);
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
