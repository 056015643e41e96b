import { useParams } from '@tanstack/react-router';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { get } from '../api/client.ts';
import { isRepeated, MINUTE_MS, polled } from '../api/queries.ts';
import type { ActivePolicy, Bundle, Deployment, Environment } from '../api/types.ts';
import { visible } from '../parts/text.tsx';
import { environmentNamed } from '../shell/page-environment.ts';

export function useEnvironmentParam(): Environment {
  const { env } = useParams({ strict: false }) as { env?: string };
  return environmentNamed(env ?? 'production');
}

/** The active policy, and the replicas that run it. */
export const activeOf = (environment: Environment) =>
  polled<ActivePolicy>(['policy', environment], `/v1/policies/${environment}`);

export function useActive(environment: Environment) {
  return useQuery(activeOf(environment));
}

interface Deployments {
  readonly data: readonly Deployment[];
  readonly next_before: number | null;
}

/** The newest deployments of an environment. */
export const deploymentsOf = (environment: Environment) =>
  polled<Deployments>(['deployments', environment], `/v1/policies/${environment}/deployments`, { limit: 100 });

export function useDeployments(environment: Environment) {
  return useQuery(deploymentsOf(environment));
}

/** All deployments, newest first: the older ones are loaded page by page. While there is one page, it is kept up to date. */
export function useHistory(environment: Environment) {
  const queryKey = ['deployments', environment, 'pages'];
  return useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam: before, signal }) => {
      const background = before === undefined && isRepeated(queryKey);
      const query = { limit: 100, before };
      return get<Deployments>(`/v1/policies/${environment}/deployments`, query, { signal, background });
    },
    refetchInterval: ({ state }) => ((state.data?.pages.length ?? 0) > 1 ? false : MINUTE_MS),
    initialPageParam: undefined as number | undefined,
    getNextPageParam: (last) => last.next_before ?? undefined,
    select: ({ pages }) => pages.flatMap(({ data }) => data),
  });
}

/** The content of a deployment never changes; that of the active policy is loaded again when another policy comes into force. */
export function useBundle(environment: Environment, number?: number | null, enabled = true) {
  const isOfActive = typeof number !== 'number';
  const bundle = useQuery({
    queryKey: ['bundle', environment, number ?? 'in force'],
    queryFn: () =>
      get<Bundle>(
        isOfActive ? `/v1/policies/${environment}/bundle` : `/v1/policies/${environment}/deployments/${number}/bundle`,
      ),
    enabled,
    staleTime: isOfActive ? 15_000 : Infinity,
  });
  // Not enabled: only what the page loads anyway is looked at.
  const active = useQuery({ ...activeOf(environment), enabled: false }).data?.digest;
  const { data, refetch } = bundle;
  const isOld = isOfActive && active !== undefined && data !== undefined && data.policy.digest !== active;
  useEffect(() => {
    if (isOld) void refetch();
  }, [isOld, active, refetch]);
  return bundle;
}

/** The name of the author, or a description if the author was deleted. */
export function whoOf(deployment: Pick<Deployment, 'person_id' | 'token_id' | 'by_name'> | null): string {
  if (deployment === null) return '';
  if (deployment.by_name !== null)
    return `${visible(deployment.by_name)}${deployment.token_id === null ? '' : ' (token)'}`;
  if (deployment.person_id === null) return deployment.token_id === null ? 'the service' : 'a deleted token';
  return 'a deleted user';
}
