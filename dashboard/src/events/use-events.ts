/** The list page by page, and what is added to it while somebody watches. */
import { useInfiniteQuery } from '@tanstack/react-query';
import { useEffect, useMemo, useRef, useState } from 'react';
import { get, searchOf, type Query } from '../api/client.ts';
import type { CallEvent, Page } from '../api/types.ts';

export type ListedEvent = CallEvent & {
  readonly outcome?: string | null;
  readonly excerpt?: string | null;
  readonly mark?: string | null;
};

const PAGE_SIZE = 100;
const LIVE_ROWS = 2_000;

export function useEvents(query: Query) {
  const list = useInfiniteQuery({
    queryKey: ['events', query],
    queryFn: ({ pageParam, signal }) =>
      get<Page<ListedEvent>>('/v1/events', { ...query, limit: PAGE_SIZE, cursor: pageParam }, { signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (last) => last.next_cursor ?? undefined,
    placeholderData: (before) => before,
  });
  const rows = useMemo(() => list.data?.pages.flatMap(({ data }) => data) ?? [], [list.data]);
  return { list, rows };
}

export type LiveState = 'off' | 'connecting' | 'live' | 'lost';
const FLUSH_MS = 250;

/** New events as the service sends them, newest first; a quarter of a second of them at once, so that nothing flickers. */
export function useLive(
  isOn: boolean,
  query: Query,
): { readonly rows: readonly ListedEvent[]; readonly state: LiveState } {
  const [rows, setRows] = useState<readonly ListedEvent[]>([]);
  const [state, setState] = useState<LiveState>('off');
  const waiting = useRef<ListedEvent[]>([]);
  const search = searchOf(query);
  useEffect(() => {
    setRows([]);
    if (!isOn) {
      setState('off');
      return undefined;
    }
    setState('connecting');
    const source = new EventSource(`/v1/events/tail${search}`);
    const take = (event: MessageEvent<string>): void =>
      void waiting.current.push(JSON.parse(event.data) as ListedEvent);
    source.onopen = () => setState('live');
    source.onerror = () => setState('lost');
    for (const type of [
      'ai.request',
      'ai.response',
      'ai.error',
      'agent.tool_call',
      'policy.violation',
      'budget.exceeded',
    ])
      source.addEventListener(type, take);
    const timer = window.setInterval(() => {
      // Nobody looks: what comes in waits, the newest of it.
      if (document.hidden) {
        waiting.current = waiting.current.slice(-LIVE_ROWS);
        return;
      }
      const added = waiting.current.splice(0);
      if (added.length > 0) setRows((before) => [...added.reverse(), ...before].slice(0, LIVE_ROWS));
    }, FLUSH_MS);
    return () => {
      source.close();
      window.clearInterval(timer);
      waiting.current = [];
    };
  }, [isOn, search]);
  return { rows, state };
}
