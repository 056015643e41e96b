/** Lists that are loaded page by page, the newest entries first. */
import { keepPreviousData, useInfiniteQuery, type InfiniteData, type QueryClient } from '@tanstack/react-query';
import type { Span, Times } from '../shell/span.ts';
import { withBeginning } from './list-beginning.ts';
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

export interface List {
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

const keyOf = ({ key, query, span }: List): readonly unknown[] => [...key, query, span?.key];

async function pageOf<T>(
  { path, query, span }: List,
  start: PageStart | undefined,
  signal?: AbortSignal,
): Promise<LoadedPage<T>> {
  const times = start?.times ?? span?.times() ?? {};
  const page = await get<Page<T>>(path, { ...query, ...times, cursor: start?.cursor }, signal && { signal });
  return { ...page, times };
}

export function usePages<T>(list: List) {
  const { span, isHeld, isOn = true } = list;
  return useInfiniteQuery({
    queryKey: keyOf(list),
    queryFn: ({ pageParam: start, signal }) => pageOf<T>(list, start, signal),
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

/**
 * Loads the first page of a list, for the entries that are newer than the loaded ones. The other pages stay, unless entries between them
 * and the new first page would be missing.
 *
 * @returns whether the page could be loaded
 */
export async function loadBeginning<T extends { readonly id: string }>(
  client: QueryClient,
  list: List,
): Promise<boolean> {
  const queryKey = keyOf(list);
  try {
    const page = await pageOf<T>(list, undefined);
    // A running request would replace the list with one without the new entries.
    const running = client.getQueryCache().find({ queryKey, exact: true })?.promise;
    await running?.catch(() => undefined);
    client.setQueryData<InfiniteData<LoadedPage<T>>>(queryKey, (loaded) => withBeginning(loaded, page));
    return true;
  } catch {
    return false;
  }
}

/**
 * The part of a list that could not be loaded: its beginning, or the page after those already shown. A failed update of a loaded list is
 * not reported.
 */
export function lostPart({
  error,
  data,
  isFetchNextPageError,
}: Pick<ReturnType<typeof usePages>, 'error' | 'data' | 'isFetchNextPageError'>): 'list' | 'next page' | null {
  if (error === null) return null;
  if (data === undefined) return 'list';
  return isFetchNextPageError ? 'next page' : null;
}
