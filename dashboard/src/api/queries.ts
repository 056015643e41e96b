/** Queries shared by several pages, and how often they are repeated. */
import { keepPreviousData, QueryClient, useQuery, type UseQueryResult } from '@tanstack/react-query';
import { ApiError, get } from './client.ts';
import { keepTrying } from './reconnect.ts';
import type { App, Data, Me } from './types.ts';

const MINUTE_MS = 60_000;

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 15_000,
      refetchOnWindowFocus: false,
      // A browser that believes to be offline would not even ask, and nobody would be told.
      networkMode: 'always',
      // Once more, for what may have passed by then; a 4xx stays one.
      retry: (count, error) => count < 1 && (!(error instanceof ApiError) || error.status === 0 || error.status >= 500),
      retryDelay: 800,
    },
  },
});

keepTrying(queryClient);

/** Whether it is known what comes, or that nothing comes: what stands on it would move otherwise. */
export function isSettled({ data, error }: { readonly data: unknown; readonly error: unknown }): boolean {
  return data !== undefined || error !== null;
}

export function useMe(): UseQueryResult<Me, Error> {
  return useQuery({ queryKey: ['me'], queryFn: () => get<Me>('/v1/me'), staleTime: MINUTE_MS });
}

/** Whether this version of the service can do it. */
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

/** Asked again every minute while somebody looks; such a question does not keep the session alive. */
export function usePolled<T>(
  key: readonly unknown[],
  path: string,
  query: Record<string, string | undefined>,
): UseQueryResult<T, Error> {
  return useQuery<T, Error, T>({
    queryKey: key,
    queryFn: ({ signal }) => {
      const seen = queryClient.getQueryState([...key]);
      return get<T>(path, query, { signal, background: (seen?.dataUpdateCount ?? 0) > 0 });
    },
    refetchInterval: MINUTE_MS,
    // For a type that is not known yet the library allows no function here: the answer itself could be one. JSON is none.
    placeholderData: keepPreviousData as never,
  });
}
