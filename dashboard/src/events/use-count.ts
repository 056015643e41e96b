import { useQuery } from '@tanstack/react-query';
import { get, type Query } from '../api/client.ts';
import { useFeature } from '../api/queries.ts';
import { count } from '../parts/format.ts';

/** How many there are, where the service counts them. */
export function useEventCount(query: Query): string | undefined {
  const isCounted = useFeature('events.count');
  const { data } = useQuery({
    queryKey: ['events', 'count', query],
    queryFn: ({ signal }) =>
      get<{ readonly count: number; readonly capped: boolean }>('/v1/events/count', query, { signal }),
    enabled: isCounted,
    placeholderData: (before) => before,
  });
  return data === undefined ? undefined : `${count(data.count)}${data.capped ? '+' : ''}`;
}
