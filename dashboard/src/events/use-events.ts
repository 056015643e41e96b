/** Loads the list page by page. */
import { useInfiniteQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { get, type Query } from '../api/client.ts';
import type { CallEvent, Page } from '../api/types.ts';

export type ListedEvent = CallEvent & {
  readonly outcome?: string | null;
  readonly excerpt?: string | null;
  readonly mark?: string | null;
};

const PAGE_SIZE = 100;

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
