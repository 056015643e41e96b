/** Lists that are loaded page by page, the newest entries first. */
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import type { Span, Times } from '../shell/span.ts';
import { get, type Query } from './client.ts';
import type { Page } from './types.ts';

interface PageStart {
  readonly cursor: string;
  /** The times of the first page: a list with several pages is one selection, although a relative range moves on. */
  readonly times: Times;
}

/** A page with the times by which it was selected. */
interface LoadedPage<T> extends Page<T> {
  readonly times: Times;
}

interface List {
  /** The first words of the list's key; the query and the range follow. */
  readonly key: readonly string[];
  readonly path: string;
  readonly query: Query;
  /** Absent: the list has no time range. */
  readonly span?: Span | undefined;
  /** The user reads further down: the list is not requested again, because entries would move or disappear. */
  readonly isHeld: boolean;
  readonly isOn?: boolean;
}

export function usePages<T>({ key, path, query, span, isHeld, isOn = true }: List) {
  return useInfiniteQuery({
    queryKey: [...key, query, span?.key],
    queryFn: async ({ pageParam: start, signal }): Promise<LoadedPage<T>> => {
      const times = start?.times ?? span?.times() ?? {};
      const page = await get<Page<T>>(path, { ...query, ...times, cursor: start?.cursor }, { signal });
      return { ...page, times };
    },
    initialPageParam: undefined as PageStart | undefined,
    getNextPageParam: ({ next_cursor: cursor, times }): PageStart | undefined =>
      cursor === null ? undefined : { cursor, times },
    refetchInterval: ({ state: { data } }) => {
      const isLong = data !== undefined && data.pages.length > 1;
      return isHeld || isLong ? false : (span?.everyMs ?? false);
    },
    enabled: isOn,
    placeholderData: keepPreviousData,
  });
}

/** What failed of a list: its beginning, or the page after those already shown. A failed update of a loaded list is not reported. */
export function lostPart({
  error,
  data,
  isFetchNextPageError,
}: Pick<ReturnType<typeof usePages>, 'error' | 'data' | 'isFetchNextPageError'>): 'list' | 'next page' | null {
  if (error === null) return null;
  if (data === undefined) return 'list';
  return isFetchNextPageError ? 'next page' : null;
}
