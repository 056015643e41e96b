import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { get } from '../api/client.ts';
import type { Data, Key } from '../api/types.ts';

export function useAppKeys(app: string): UseQueryResult<readonly Key[], Error> {
  return useQuery({
    queryKey: ['keys', app],
    queryFn: async () => (await get<Data<Key>>(`/v1/apps/${app}/keys`)).data,
  });
}

/** The beginning of a key as it appears in programs: enough to find it, without its secret part. */
export function shownKey({ id, environment }: Key): string {
  return `sk_${environment === 'production' ? 'live' : 'test'}_wr1_${id}…`;
}
