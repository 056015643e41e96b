import { useQuery } from '@tanstack/react-query';
import { get, type Query } from '../api/client.ts';
import { useFeature } from '../api/queries.ts';
import { count } from '../parts/format.ts';

interface Counted {
  readonly count: number;
  /** Set if there are more than `count`. */
  readonly capped: boolean;
}

interface EventCount {
  /** Undefined while the count is unknown. */
  readonly at: Counted | undefined;
  readonly total: string | undefined;
  readonly hasFailed: boolean;
}

/** The number of matching events, if the service can count them, and whether the request failed. */
export function useEventCount(query: Query): EventCount {
  const isCounted = useFeature('events.count');
  const { data, error } = useQuery({
    queryKey: ['events', 'count', query],
    queryFn: ({ signal }) => get<Counted>('/v1/events/count', query, { signal }),
    enabled: isCounted,
    placeholderData: (before) => before,
  });
  const total = data === undefined ? undefined : `${count(data.count)}${data.capped ? '+' : ''}`;
  return { at: data, total, hasFailed: total === undefined && error !== null };
}
