/** The rules of a policy with their places; the answer for a digest never changes. */
import { useQuery } from '@tanstack/react-query';
import { get, type Schemas } from '../api/client.ts';
import { useFeature } from '../api/queries.ts';

export type Rules = Schemas['Rules'];
export type Rule = Schemas['Rule'];

export function useRules(environment: string, digest?: string) {
  const isThere = useFeature('policies.rules');
  return useQuery({
    queryKey: ['rules', environment, digest],
    queryFn: ({ signal }) => get<Rules>(`/v1/policies/${environment}/rules`, { digest }, { signal }),
    enabled: isThere,
    staleTime: digest === undefined ? 15_000 : Infinity,
    // The library's name for what is shown until an answer is there: rules of the same environment, answered before.
    // Once it is known which digest is in force, what was shown without one stays until then.
    placeholderData: (before, query) => (query?.queryKey[1] === environment ? before : undefined),
  });
}
