/** Statistics over time, which the service stores separately from the log. */
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useView } from '../shell/view.ts';
import { get } from './client.ts';
import { useFeature } from './queries.ts';

export interface Percentiles {
  readonly p50: number | null;
  readonly p95: number | null;
  readonly p99: number | null;
}
export interface StatsGroup {
  readonly key: string;
  readonly label: string | null;
  readonly calls: readonly number[];
  /** Absent if grouped by outcome. */
  readonly blocked?: readonly number[];
  /** Absent if grouped by outcome. */
  readonly cost_nano_usd?: readonly string[];
  /** Per bucket, the calls that the cost leaves out; absent in older services. */
  readonly without_price?: readonly number[];
  readonly tokens?: readonly number[];
  /** Of the preceding period, up to the same elapsed time; absent if grouped by outcome. */
  readonly previous?: { readonly calls: number; readonly cost_nano_usd?: string };
  /** Only present if grouped by environment or by app. */
  readonly weir_ms?: {
    readonly p50: readonly (number | null)[];
    readonly p95: readonly (number | null)[];
    readonly p99: readonly (number | null)[];
  };
}
export interface Totals {
  readonly calls: number;
  readonly allowed: number;
  readonly flagged: number;
  readonly would_block: number;
  readonly redacted: number;
  readonly blocked: number;
  readonly unavailable: number;
  readonly errors: number;
  readonly cost_nano_usd: string;
  /** The calls that the cost leaves out, because their price is unknown; absent in older services. */
  readonly without_price?: number;
  readonly prompt_tokens: string | number;
  readonly completion_tokens: string | number;
  readonly weir_ms: Percentiles;
}
export interface Stats {
  readonly from: string;
  readonly to: string;
  readonly step_seconds: number;
  readonly complete_until: string;
  readonly buckets: readonly string[];
  readonly groups: readonly StatsGroup[];
  readonly totals: Totals;
  readonly previous: Totals | null;
  readonly deployments: readonly StatsDeployment[];
}

export interface StatsDeployment {
  readonly environment: string;
  readonly number: number;
  readonly at: string;
  readonly by: { readonly kind: string; readonly name: string | null } | null;
  readonly because: string | null;
}

export type GroupBy = 'outcome' | 'environment' | 'app' | 'model' | 'key' | 'rule';
/** The number of groups that rankings and lists of changes request: equal, so that they share one response. */
export const RANKED = 20;

/** The statistics for the selected environment and time range; requested again every minute if the range is relative. */
export function useStats(groupBy: GroupBy, filters: Readonly<Record<string, string>> = {}, top = 5) {
  const view = useView();
  const isKept = useFeature('stats');
  const query = {
    ...filters,
    environment: view.environmentParam,
    group_by: groupBy,
    top,
  };
  const { span } = view;
  return useQuery({
    queryKey: ['stats', query, span.key],
    queryFn: ({ signal }) => get<Stats>('/v1/stats', { ...query, ...span.times() }, { signal }),
    enabled: isKept,
    refetchInterval: span.everyMs,
    // A user who returns to a page sees the calls received in the meantime.
    staleTime: 0,
    placeholderData: keepPreviousData,
  });
}

export const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
export const sumBig = (values: readonly (string | number)[]): bigint =>
  values.reduce<bigint>((total, value) => total + BigInt(value), 0n);
