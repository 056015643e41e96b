/** The answer of `GET /v1/stats`, from the sums. */
import type { z } from 'zod';
import { OUTCOMES, type Outcome } from '../events/index.js';
import type { METRICS, StatsRange } from './stats-query.js';
import type { Grouping, LatencyCell, StatsCell, StatsFilter, StatsReader } from './stats-reader.js';
import { percentilesOf } from './stats-reader.js';
import type { STATS, STATS_GROUP, STATS_TOTALS } from './stats-schema.js';

type Metric = (typeof METRICS)[number];

export interface StatsRequest {
  readonly filter: StatsFilter;
  readonly range: StatsRange;
  readonly by: Grouping;
  readonly top: number;
  readonly metrics: readonly Metric[];
}

const OTHER = 'other';
const OUTCOME_LABELS: Readonly<Record<Outcome, string>> = {
  allowed: 'Allowed',
  flagged: 'Flagged',
  would_block: 'Would block',
  redacted: 'Redacted',
  error: 'Error',
  unavailable: 'Unavailable',
  blocked: 'Blocked',
};

/** @throws DatabaseError | DatabaseUnavailable */
export async function stats(reader: StatsReader, request: StatsRequest, nowMs: number): Promise<z.infer<typeof STATS>> {
  const { filter, range, by } = request;
  const { fromMs, toMs, stepSeconds } = range;
  const stepMs = stepSeconds * 1000;
  const before = { ...range, fromMs: fromMs - (toMs - fromMs), toMs: fromMs };
  const [cells, latencies, previous, previousLatencies, deployments] = await Promise.all([
    reader.cells(filter, range, by === 'outcome' ? undefined : by),
    reader.totalLatencies(filter, range),
    reader.totals(filter, before),
    reader.totalLatencies(filter, before),
    reader.deployments(filter, range),
  ]);
  return {
    from: instant(fromMs),
    to: instant(toMs),
    step_seconds: stepSeconds,
    complete_until: instant(Math.min(nowMs, toMs)),
    buckets: Array.from({ length: (toMs - fromMs) / stepMs }, (_, index) => instant(fromMs + index * stepMs)),
    groups: by === 'outcome' ? byOutcome(cells, request) : await byName(reader, cells, request, by),
    totals: totalsOf(cells, latencies),
    previous: totalsOf(previous, previousLatencies),
    deployments,
  };
}

function byOutcome(cells: readonly StatsCell[], { range, metrics }: StatsRequest): z.infer<typeof STATS_GROUP>[] {
  return OUTCOMES.map((outcome) => ({
    key: outcome,
    label: OUTCOME_LABELS[outcome],
    ...(metrics.includes('calls') ? { calls: series(cells, range, ({ outcomes }) => outcomes[outcome]) } : {}),
  }));
}

async function byName(
  reader: StatsReader,
  cells: readonly StatsCell[],
  { filter, range, top, metrics }: StatsRequest,
  by: Exclude<Grouping, 'outcome'>,
): Promise<z.infer<typeof STATS_GROUP>[]> {
  const hasTimes = metrics.includes('weir_ms') && (by === 'environment' || by === 'app');
  const times = hasTimes ? await reader.latencies(filter, range, by) : [];
  const names =
    by === 'app' || by === 'key' ? await reader.labels(filter.manager.accountId, by) : new Map<string, string>();
  const ranked = [...Map.groupBy(cells, ({ group }) => group)]
    .map(([group, own]) => ({ group, own, calls: own.reduce((sum, { calls }) => sum + calls, 0) }))
    .sort((a, b) => b.calls - a.calls || (a.group < b.group ? -1 : 1));
  const rest = ranked.slice(top);
  const shown = ranked.slice(0, top).map(({ group, own }) => ({
    ...{ key: group, label: names.get(group) ?? group, own, times: times.filter((each) => each.group === group) },
  }));
  if (rest.length > 0) {
    const others = new Set(rest.map(({ group }) => group));
    shown.push({
      ...{ key: OTHER, label: `${rest.length} others`, own: rest.flatMap(({ own }) => own) },
      times: times.filter(({ group }) => others.has(group)),
    });
  }
  return shown.map(({ key, label, own, times: ownTimes }) => ({
    key,
    label,
    ...(metrics.includes('calls') ? { calls: series(own, range, ({ calls }) => calls) } : {}),
    ...(metrics.includes('cost') ? { cost_nano_usd: costs(own, range) } : {}),
    ...(metrics.includes('tokens')
      ? { tokens: series(own, range, ({ promptTokens, completionTokens }) => promptTokens + completionTokens) }
      : {}),
    ...(hasTimes ? { weir_ms: timeSeries(ownTimes, range) } : {}),
  }));
}

function bucketsOf({ fromMs, toMs, stepSeconds }: StatsRange): number {
  return (toMs - fromMs) / (stepSeconds * 1000);
}

function series(cells: readonly StatsCell[], range: StatsRange, value: (cell: StatsCell) => number): number[] {
  const sums = new Array<number>(bucketsOf(range)).fill(0);
  for (const cell of cells) sums[cell.at] = (sums[cell.at] ?? 0) + value(cell);
  return sums;
}

function costs(cells: readonly StatsCell[], range: StatsRange): string[] {
  const sums = new Array<bigint>(bucketsOf(range)).fill(0n);
  for (const cell of cells) sums[cell.at] = (sums[cell.at] ?? 0n) + cell.costNanoUsd;
  return sums.map(String);
}

function timeSeries(cells: readonly LatencyCell[], range: StatsRange) {
  const each = Array.from({ length: bucketsOf(range) }, (_, at) =>
    percentilesOf(cells.filter((cell) => cell.at === at)),
  );
  return { p50: each.map(({ p50 }) => p50), p95: each.map(({ p95 }) => p95), p99: each.map(({ p99 }) => p99) };
}

function totalsOf(cells: readonly StatsCell[], latencies: readonly LatencyCell[]): z.infer<typeof STATS_TOTALS> {
  const sum = (value: (cell: StatsCell) => number): number => cells.reduce((total, cell) => total + value(cell), 0);
  const outcome = (name: Outcome): number => sum(({ outcomes }) => outcomes[name]);
  return {
    calls: sum(({ calls }) => calls),
    allowed: outcome('allowed'),
    flagged: outcome('flagged'),
    would_block: outcome('would_block'),
    redacted: outcome('redacted'),
    blocked: outcome('blocked'),
    unavailable: outcome('unavailable'),
    errors: outcome('error'),
    cost_nano_usd: String(cells.reduce((total, { costNanoUsd }) => total + costNanoUsd, 0n)),
    prompt_tokens: sum(({ promptTokens }) => promptTokens),
    completion_tokens: sum(({ completionTokens }) => completionTokens),
    weir_ms: percentilesOf(latencies),
  };
}

function instant(ms: number): string {
  return new Date(ms).toISOString();
}
