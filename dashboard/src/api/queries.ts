/** Queries shared by several pages, and how often they are repeated. */
import { keepPreviousData, QueryClient, useQuery, type UseQueryResult } from '@tanstack/react-query';
import { ApiError, get, type Query } from './client.ts';
import { keepTrying } from './reconnect.ts';
import type { App, Data, Me } from './types.ts';

const MINUTE_MS = 60_000;

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

export function useMe(): UseQueryResult<Me, Error> {
  return useQuery({ queryKey: ['me'], queryFn: () => get<Me>('/v1/me'), staleTime: MINUTE_MS });
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

/**
 * Repeats the request every minute while the page is visible; repeated requests do not extend the session.
 *
 * @param query a function if it depends on the time of the request
 */
export function usePolled<T>(
  key: readonly unknown[],
  path: string,
  query: Query | (() => Query),
): UseQueryResult<T, Error> {
  return useQuery<T, Error, T>({
    queryKey: key,
    queryFn: ({ signal }) => {
      const seen = queryClient.getQueryState([...key]);
      const asked = typeof query === 'function' ? query() : query;
      return get<T>(path, asked, { signal, background: (seen?.dataUpdateCount ?? 0) > 0 });
    },
    refetchInterval: MINUTE_MS,
    // The library does not accept a function for a generic type, because the data itself could be a function. JSON never is.
    placeholderData: keepPreviousData as never,
  });
}
