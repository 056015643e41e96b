import { useParams } from '@tanstack/react-router';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { get } from '../api/client.ts';
import { ENVIRONMENTS, type ActivePolicy, type Bundle, type Deployment, type Environment } from '../api/types.ts';
import { visible } from '../parts/text.tsx';

export function useEnvironmentParam(): Environment {
  const { env } = useParams({ strict: false }) as { env?: string };
  return ENVIRONMENTS.find((each) => each === env) ?? 'production';
}

export function useActive(environment: Environment) {
  return useQuery({
    queryKey: ['policy', environment],
    queryFn: () => get<ActivePolicy>(`/v1/policies/${environment}`),
  });
}

interface Deployments {
  readonly data: readonly Deployment[];
  readonly next_before: number | null;
}

/** The newest deployments of an environment. */
export const deploymentsOf = (environment: Environment) => ({
  queryKey: ['deployments', environment],
  queryFn: () => get<Deployments>(`/v1/policies/${environment}/deployments`, { limit: 100 }),
});

export function useDeployments(environment: Environment) {
  return useQuery(deploymentsOf(environment));
}

/** All deployments, newest first: the older ones are loaded page by page. */
export function useHistory(environment: Environment) {
  return useInfiniteQuery({
    queryKey: ['deployments', environment, 'pages'],
    queryFn: ({ pageParam }) =>
      get<Deployments>(`/v1/policies/${environment}/deployments`, { limit: 100, before: pageParam }),
    initialPageParam: undefined as number | undefined,
    getNextPageParam: (last) => last.next_before ?? undefined,
    select: ({ pages }) => pages.flatMap(({ data }) => data),
  });
}

/** The content of a deployment never changes; the active policy does. */
export function useBundle(environment: Environment, number?: number | null, enabled = true) {
  return useQuery({
    queryKey: ['bundle', environment, number ?? 'in force'],
    queryFn: () =>
      get<Bundle>(
        typeof number !== 'number'
          ? `/v1/policies/${environment}/bundle`
          : `/v1/policies/${environment}/deployments/${number}/bundle`,
      ),
    enabled,
    staleTime: typeof number !== 'number' ? 15_000 : Infinity,
  });
}

/** The name of the author, or a description if the author was deleted. */
export function whoOf(deployment: Pick<Deployment, 'person_id' | 'token_id' | 'by_name'> | null): string {
  if (deployment === null) return '';
  if (deployment.by_name !== null)
    return `${visible(deployment.by_name)}${deployment.token_id === null ? '' : ' (token)'}`;
  if (deployment.person_id === null) return deployment.token_id === null ? 'the service' : 'a deleted token';
  return 'a deleted user';
}
