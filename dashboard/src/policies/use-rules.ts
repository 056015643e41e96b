/** The rules of a policy with their positions; the answer for a digest never changes. */
import { useQuery } from '@tanstack/react-query';
import { get, type Schemas } from '../api/client.ts';
import { useFeature } from '../api/queries.ts';
import type { CallEvent, Environment } from '../api/types.ts';

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

/** The rules by which an event was judged, and as which deployment they were in force; null: none, or not known. */
export function useJudged({ environment, policy }: Pick<CallEvent, 'environment' | 'policy'>) {
  const { data } = useRules(environment, policy?.digest ?? undefined);
  return { rules: data?.rules, deployment: data?.digest === policy?.digest ? (data?.deployment ?? null) : null };
}

const HOUR_MS = 3_600_000;
const DAYS_MS = 30 * 24 * HOUR_MS;

/** Hits and marks of each rule; of the last thirty days, where no time is asked for. Counted by the hour. */
export function useRuleStats(environment: Environment, time: TimeOfHits = {}) {
  return useRuleFigures(environment, rowsOf, time);
}

const rowsOf = ({ data }: Schemas['RuleStats']) => data;

export interface RuleCourse {
  readonly from: string;
  readonly stepSeconds: number;
  readonly hits: readonly number[];
}

/** How often one rule fired over the last thirty days; null where it is not in force. */
export function useRuleCourse(environment: Environment, rule: string) {
  return useRuleFigures(environment, ({ from, to, data }): RuleCourse | null => {
    const spark = data.find((each) => each.rule === rule)?.spark;
    if (spark === undefined) return null;
    return { from, stepSeconds: (Date.parse(to) - Date.parse(from)) / 1000 / spark.length, hits: spark };
  });
}

interface TimeOfHits {
  readonly from?: string;
  readonly to?: string;
}

function useRuleFigures<T>(
  environment: Environment,
  select: (stats: Schemas['RuleStats']) => T,
  time: TimeOfHits = {},
) {
  const isKept = useFeature('policies.rule_stats');
  const from = time.from ?? new Date(Math.floor((Date.now() - DAYS_MS) / HOUR_MS) * HOUR_MS).toISOString();
  return useQuery({
    queryKey: ['rule-stats', environment, from, time.to],
    queryFn: () => get<Schemas['RuleStats']>(`/v1/policies/${environment}/rules/stats`, { from, to: time.to }),
    select,
    enabled: isKept,
    // As above: until figures of the new range are there, those of the same environment stay.
    placeholderData: (before, query) => (query?.queryKey[1] === environment ? before : undefined),
  });
}
