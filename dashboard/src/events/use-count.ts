import { useQuery } from '@tanstack/react-query';
import { get, type Query } from '../api/client.ts';
import { useFeature } from '../api/queries.ts';
import { count } from '../parts/format.ts';

/** How many there are, where the service counts them, or that it could not be asked. */
export function useEventCount(query: Query): { readonly total: string | undefined; readonly hasFailed: boolean } {
  const isCounted = useFeature('events.count');
  const { data, error } = useQuery({
    queryKey: ['events', 'count', query],
    queryFn: ({ signal }) =>
      get<{ readonly count: number; readonly capped: boolean }>('/v1/events/count', query, { signal }),
    enabled: isCounted,
    placeholderData: (before) => before,
  });
  const total = data === undefined ? undefined : `${count(data.count)}${data.capped ? '+' : ''}`;
  return { total, hasFailed: total === undefined && error !== null };
}
