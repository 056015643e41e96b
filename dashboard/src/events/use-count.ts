import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { get, type Query } from '../api/client.ts';
import { useFeature } from '../api/queries.ts';
import { count } from '../parts/format.ts';
import type { Span } from '../shell/span.ts';

export interface Counted {
  readonly count: number;
  /** Set if there are more than `count`. */
  readonly capped: boolean;
}

interface EventCount {
  /** Undefined while the count is unknown. */
  readonly at: Counted | undefined;
  readonly total: string | undefined;
  readonly hasFailed: boolean;
  /** The number belongs to the filters or the range selected before. */
  readonly isOutdated: boolean;
}

/** The query of a number of events. Lists of suggestions and the page itself share its answers. */
export const countOf = (query: Query, span: Span) => ({
  queryKey: ['events', 'count', query, span.key],
  queryFn: ({ signal }: { readonly signal: AbortSignal }) =>
    get<Counted>('/v1/events/count', { ...query, ...span.times() }, { signal }),
});

/** The number of matching events, if the service can count them, and whether the request failed. */
export function useEventCount(query: Query, span: Span, isWanted = true): EventCount {
  const isCounted = useFeature('events.count');
  const { data, error, isPlaceholderData } = useQuery({
    ...countOf(query, span),
    enabled: isCounted && isWanted,
    refetchInterval: span.everyMs,
    placeholderData: keepPreviousData,
  });
  const total = data === undefined ? undefined : `${count(data.count)}${data.capped ? '+' : ''}`;
  return { at: data, total, hasFailed: total === undefined && error !== null, isOutdated: isPlaceholderData };
}
