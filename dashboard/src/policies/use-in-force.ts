/** The deployment since which a rule has been active without interruption. */
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { get } from '../api/client.ts';
import { useFeature } from '../api/queries.ts';
import type { ActivePolicy, Deployment, Environment } from '../api/types.ts';
import { useDeployments } from './use-policy.ts';
import type { Rule, Rules } from './use-rules.ts';

/** The maximum number of different policies to look back. */
const MOST = 20;

interface InForce {
  readonly number: number;
  readonly since: string;
  /** The rule may have been active before that deployment: this was not checked, or is unknown. */
  readonly orLonger: boolean;
}

/** @param active the active policy; if it or its deployment is missing, no query runs */
export function useInForceSince(env: Environment, active: ActivePolicy | undefined, rule: Rule) {
  const client = useQueryClient();
  const isThere = useFeature('policies.rules');
  const history = useDeployments(env).data;
  const now = active?.deployment?.number;
  return useQuery({
    queryKey: ['in-force-since', env, now, rule.id],
    queryFn: ({ signal }) => {
      const hasRule = async (digest: string): Promise<boolean> => {
        const { rules } = await client.fetchQuery({
          queryKey: ['rules', env, digest],
          queryFn: () => get<Rules>(`/v1/policies/${env}/rules`, { digest }, { signal }),
          staleTime: Infinity,
        });
        return rules.some(({ id }) => id === rule.id || rule.formerly.includes(id));
      };
      return lookBack(
        history!.data.filter(({ number }) => number <= now!),
        hasRule,
      );
    },
    // The list of deployments may be older than the active policy.
    enabled: isThere && history?.data.some(({ number }) => number === now) === true,
    staleTime: Infinity,
  });
}

/** @param deployments newest first, beginning with the active one; the result is null if that one is missing */
async function lookBack(
  deployments: readonly Deployment[],
  hasRule: (digest: string) => Promise<boolean>,
): Promise<InForce | null> {
  const seen = new Map<string, boolean>();
  let first: Deployment | undefined;
  for (const each of deployments) {
    // Without a digest, the policies folder was active again, and its content is unknown.
    const digest = each.digest;
    if (digest === null || (!seen.has(digest) && seen.size === MOST)) return inForce(first, true);
    if (!seen.has(digest)) seen.set(digest, await hasRule(digest));
    if (seen.get(digest) !== true) return inForce(first, false);
    first = each;
  }
  return inForce(first, true);
}

const inForce = (first: Deployment | undefined, orLonger: boolean): InForce | null =>
  first === undefined ? null : { number: first.number, since: first.created_at, orLonger };
