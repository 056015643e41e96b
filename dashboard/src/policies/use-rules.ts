/** The rules of a policy with their places; the answer for a digest never changes. */
import { useQuery } from '@tanstack/react-query';
import { get } from '../api/client.ts';
import { useFeature } from '../api/queries.ts';

export interface Rule {
  readonly id: string;
  readonly title: string | null;
  readonly prose: string;
  readonly stage: string;
  readonly severity: string;
  readonly action: string;
  readonly mode: string;
  readonly owner: string | null;
  readonly review_by: string | null;
  readonly tags: readonly string[];
  readonly path: string;
  readonly line: number;
  readonly end_line: number;
  /** Null: nobody knows the tests, as of the policies folder. */
  readonly tests: number | null;
}
export interface Rules {
  readonly digest: string;
  readonly deployment: number | null;
  readonly rules: readonly Rule[];
}

export function useRules(environment: string, digest?: string) {
  const isThere = useFeature('policies.rules');
  return useQuery({
    queryKey: ['rules', environment, digest],
    queryFn: ({ signal }) => get<Rules>(`/v1/policies/${environment}/rules`, { digest }, { signal }),
    enabled: isThere,
    staleTime: digest === undefined ? 15_000 : Infinity,
  });
}
