/** The rules of a policy with their positions; the answer for a digest never changes. */
import { useQuery } from '@tanstack/react-query';
import { get, type Schemas } from '../api/client.ts';
import { useFeature } from '../api/queries.ts';
import type { CallEvent, Environment } from '../api/types.ts';
import { lastSeconds, type Span } from '../shell/span.ts';
import type { Search } from '../shell/view.ts';

export type Rules = Schemas['Rules'];
export type Rule = Schemas['Rule'];

export function useRules(environment: string, digest?: string) {
  const isThere = useFeature('policies.rules');
  return useQuery({
    queryKey: ['rules', environment, digest],
    queryFn: ({ signal }) => get<Rules>(`/v1/policies/${environment}/rules`, { digest }, { signal }),
    enabled: isThere,
    staleTime: digest === undefined ? 15_000 : Infinity,
    // Shown until the response arrives: the previous rules of the same environment. Rules requested without a digest stay visible until
    // those of the active digest arrive.
    placeholderData: (before, query) => (query?.queryKey[1] === environment ? before : undefined),
  });
}

/** The rules by which an event was judged, and their deployment; null: none, or unknown. */
export function useJudged({ environment, policy }: Pick<CallEvent, 'environment' | 'policy'>) {
  const { data } = useRules(environment, policy?.digest ?? undefined);
  return { rules: data?.rules, deployment: data?.digest === policy?.digest ? (data?.deployment ?? null) : null };
}

const HOUR_MS = 3_600_000;
const DAY_S = 86_400;

/** Hits are counted by the hour, so their ranges begin at full hours. */
export const lastDays = (days: number): Span => lastSeconds(days * DAY_S, HOUR_MS);
const MONTH = lastDays(30);

/** Parameters of a link to what was counted over thirty days: the first full hour begins up to an hour before the range `30d`. */
export const countedMonth = (): Search => ({ range: undefined, to: undefined, ...MONTH.times() });

/** Hits and marks of each rule; of the last thirty days if no time range is given. */
export function useRuleStats(environment: Environment, span: Span = MONTH) {
  return useRuleFigures(environment, rowsOf, span);
}

/** The hits of each rule, with the range that they cover: it begins at a full hour before the selected one. */
export function useRuleHits(environment: Environment, span: Span) {
  return useRuleFigures(environment, hitsOf, span);
}

const hitsOf = ({ data, from, to }: Schemas['RuleStats']) => ({ data, from, to });
const rowsOf = ({ data }: Schemas['RuleStats']) => data;

export interface RuleCourse {
  readonly from: string;
  readonly stepSeconds: number;
  readonly hits: readonly number[];
}

/** The hits of one rule over the last thirty days; null if the rule is not active. */
export function useRuleCourse(environment: Environment, rule: string) {
  return useRuleFigures(environment, ({ from, to, data }): RuleCourse | null => {
    const spark = data.find((each) => each.rule === rule)?.spark;
    if (spark === undefined) return null;
    return { from, stepSeconds: (Date.parse(to) - Date.parse(from)) / 1000 / spark.length, hits: spark };
  });
}

function useRuleFigures<T>(environment: Environment, select: (stats: Schemas['RuleStats']) => T, span: Span = MONTH) {
  const isKept = useFeature('policies.rule_stats');
  return useQuery({
    queryKey: ['rule-stats', environment, span.key],
    queryFn: ({ signal }) =>
      get<Schemas['RuleStats']>(`/v1/policies/${environment}/rules/stats`, { ...span.times() }, { signal }),
    select,
    enabled: isKept,
    refetchInterval: span.everyMs,
    // As above: previous figures of the same environment stay visible until those of the new range arrive.
    placeholderData: (before, query) => (query?.queryKey[1] === environment ? before : undefined),
  });
}
