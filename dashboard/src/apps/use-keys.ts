import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { MINUTE_MS, polled } from '../api/queries.ts';
import type { Data, Key } from '../api/types.ts';

/** The keys of an app; their last uses are kept up to date. */
export function useAppKeys(app: string, everyMs = MINUTE_MS): UseQueryResult<readonly Key[], Error> {
  return useQuery({
    ...polled<Data<Key>>(['keys', app], `/v1/apps/${app}/keys`),
    select: keysOf,
    refetchInterval: everyMs,
  });
}

const keysOf = ({ data }: Data<Key>): readonly Key[] => data;

/** The beginning of a key as it appears in programs: enough to find it, without its secret part. */
export function shownKey({ id, environment }: Key): string {
  return `sk_${environment === 'production' ? 'live' : 'test'}_wr1_${id}…`;
}
