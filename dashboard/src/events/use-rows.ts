/** The rows of the page of events: the list, and while it is followed the new events. */
import { useMemo } from 'react';
import { searchOf, type Query } from '../api/client.ts';
import { useFeature } from '../api/queries.ts';
import { useSearchParams, useView } from '../shell/view.ts';
import { filtersOf, queryOf } from './filters.ts';
import { useLive, type Live } from './live.tsx';
import { filtersOfStream, selectionOf } from './live-filters.ts';
import { eventsOfCalls, isGapped, liveHindrance, rowsOfCalls, rowsOfEvents } from './live-rows.ts';
import { useEvents, type ListedEvent } from './use-events.ts';

const NO_ROWS: readonly ListedEvent[] = [];

export interface Rows {
  readonly list: ReturnType<typeof useEvents>['list'];
  readonly rows: readonly ListedEvent[];
  /** Ids of the events that arrived live. */
  readonly fresh: ReadonlySet<string>;
  readonly live: Live;
  /** Events between those that arrived live and the list are missing. */
  readonly hasGap: boolean;
  /** Why new events cannot be shown. */
  readonly hindrance: string | undefined;
  /** One row per call, instead of one per event. */
  readonly isByCall: boolean;
  readonly filters: Readonly<Record<string, string>>;
  /** The query of the list without its time range. */
  readonly query: Query;
}

/** @param isHeld the user has scrolled down: the list is not loaded again */
export function useRows(isHeld: boolean): Rows {
  const { environmentParam: environment, span } = useView();
  const search = useSearchParams();
  const canTellCalls = useFeature('events.calls');
  const isByCall = canTellCalls && search['view'] !== 'events';
  const filters = queryOf(filtersOf(search).known);
  const query = { ...filters, environment, ...(isByCall ? { view: 'calls', fields: 'summary' } : {}) };
  const { list, rows: listed, loadNewest } = useEvents(query, span, isHeld);
  const hindrance = liveHindrance(search);
  const { q: _text, ...tailable } = filters;
  const key = searchOf({ ...filters, environment, view: isByCall ? 'calls' : 'events' });
  // The key contains the filters, which are another object each time.
  const isSelected = useMemo(() => selectionOf(filters), [key]);
  const live = useLive(
    search['live'] === '1' && hindrance === undefined,
    {
      query: { ...(isByCall ? filtersOfStream(tailable) : tailable), environment },
      key,
      neededOf: isByCall ? (events) => eventsOfCalls(events, listed, isSelected) : undefined,
    },
    { all: async () => (await list.refetch()).isSuccess, newest: loadNewest },
  );
  // The row of a call shows the rules that fired; separate rows of violations would repeat them.
  const hidesViolations = !canTellCalls && filters['type'] === undefined;
  // The rows that arrived stay for a moment after the stream has ended, but not under filters that it does not support.
  const arrived = hindrance === undefined ? live.rows : NO_ROWS;
  const rows = useMemo(() => {
    if (arrived.length === 0 && !hidesViolations) return listed;
    if (isByCall) return rowsOfCalls(arrived, listed, isSelected);
    const all = rowsOfEvents(arrived, listed);
    return hidesViolations ? all.filter((row) => row.type !== 'policy.violation') : all;
  }, [arrived, listed, isByCall, hidesViolations, isSelected]);
  const { isBehind, dropped } = live;
  const hasGap = useMemo(() => isBehind || isGapped({ dropped }, listed), [isBehind, dropped, listed]);
  const fresh = useMemo(() => new Set(arrived.map(({ id }) => id)), [arrived]);
  return { list, rows, fresh, live, hasGap, hindrance, isByCall, filters, query };
}
