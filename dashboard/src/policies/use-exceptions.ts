import { useQuery } from '@tanstack/react-query';
import { get, type Schemas } from '../api/client.ts';
import { useFeature } from '../api/queries.ts';
import type { Environment } from '../api/types.ts';

export type Exception = Schemas['Exceptions']['data'][number];

export function useExceptions(environment: Environment) {
  const isThere = useFeature('policies.exceptions');
  return useQuery({
    queryKey: ['exceptions', environment],
    queryFn: async () => (await get<Schemas['Exceptions']>(`/v1/policies/${environment}/exceptions`)).data,
    enabled: isThere,
  });
}
