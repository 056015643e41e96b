/** Queries shared by several pages, and how often they are repeated. */
import { keepPreviousData, QueryClient, useQuery, type UseQueryResult } from '@tanstack/react-query';
import { ApiError, get, type Query } from './client.ts';
import { keepTrying } from './reconnect.ts';
import type { App, Data, Me } from './types.ts';

export const MINUTE_MS = 60_000;

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 15_000,
      refetchOnWindowFocus: false,
      // By default no request is sent while the browser reports being offline, and no error would be shown.
      networkMode: 'always',
      // One retry for failures that may be temporary; a 4xx is not.
      retry: (count, error) => count < 1 && (!(error instanceof ApiError) || error.status === 0 || error.status >= 500),
      retryDelay: 800,
    },
  },
});

keepTrying(queryClient);

/** Whether the query has data or has failed. Content that is rendered only then does not move later. */
export function isSettled({ data, error }: { readonly data: unknown; readonly error: unknown }): boolean {
  return data !== undefined || error !== null;
}

/**
 * Repeated, because a trial may end, or a subscription be renewed, while a page is open for days; and when the page is shown again,
 * because somebody else may have signed in with another tab.
 */
export function useMe(): UseQueryResult<Me, Error> {
  return useQuery({ ...polled<Me>(['me'], '/v1/me'), staleTime: MINUTE_MS, refetchOnWindowFocus: 'always' });
}

/** Whether this version of the service has the feature. */
export function useFeature(name: string): boolean {
  return useMe().data?.server.features.includes(name) === true;
}

export function useApps(): UseQueryResult<readonly App[], Error> {
  return useQuery({
    queryKey: ['apps'],
    queryFn: async () => (await get<Data<App>>('/v1/apps')).data,
    staleTime: MINUTE_MS,
  });
}

/** Whether a query repeats its request: nobody waits for the answer, so the request must not extend the session. */
export const isRepeated = (key: readonly unknown[]): boolean =>
  (queryClient.getQueryState([...key])?.dataUpdateCount ?? 0) > 0;

/**
 * The options of a query that repeats its request every minute while the page is visible; repeated requests do not extend the session.
 *
 * @param query a function if it depends on the time of the request
 */
export function polled<T>(queryKey: readonly unknown[], path: string, query: Query | (() => Query) = {}) {
  return {
    queryKey,
    queryFn: ({ signal }: { readonly signal: AbortSignal }) => {
      const asked = typeof query === 'function' ? query() : query;
      return get<T>(path, asked, { signal, background: isRepeated(queryKey) });
    },
    refetchInterval: MINUTE_MS,
  };
}

/** Like `polled`; the answer to an earlier question is shown until the new one is answered. */
export function usePolled<T>(
  key: readonly unknown[],
  path: string,
  query: Query | (() => Query),
): UseQueryResult<T, Error> {
  return useQuery<T, Error, T>({
    ...polled<T>(key, path, query),
    // The library does not accept a function for a generic type, because the data itself could be a function. JSON never is.
    placeholderData: keepPreviousData as never,
  });
}
