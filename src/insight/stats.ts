/** The answer of `GET /v1/stats`, from the sums. */
import type { z } from 'zod';
import { OUTCOMES, type Outcome } from '../events/index.js';
import type { RuleCell, RuleHitsReader } from './rule-hits-reader.js';
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

interface Readers {
  readonly figures: StatsReader;
  readonly rules: RuleHitsReader;
}

/** @throws DatabaseError | DatabaseUnavailable */
export async function stats(readers: Readers, request: StatsRequest, nowMs: number): Promise<z.infer<typeof STATS>> {
  const { filter, range, by } = request;
  const { fromMs, toMs, stepSeconds } = range;
  const stepMs = stepSeconds * 1000;
  const { figures } = readers;
  const before = { ...range, fromMs: fromMs - (toMs - fromMs), toMs: fromMs };
  const summedBy = by === 'outcome' || by === 'rule' ? undefined : by;
  const [cells, latencies, previous, previousLatencies, deployments] = await Promise.all([
    figures.cells(filter, range, summedBy),
    figures.totalLatencies(filter, range),
    figures.totals(filter, before, summedBy),
    figures.totalLatencies(filter, before),
    figures.deployments(filter, range),
  ]);
  return {
    from: instant(fromMs),
    to: instant(toMs),
    step_seconds: stepSeconds,
    complete_until: instant(Math.min(nowMs, toMs)),
    buckets: Array.from({ length: (toMs - fromMs) / stepMs }, (_, index) => instant(fromMs + index * stepMs)),
    groups:
      by === 'outcome'
        ? byOutcome(cells, request)
        : by === 'rule'
          ? byRule(await readers.rules.cells(filter, range), await readers.rules.cells(filter, before), request)
          : await byName(figures, cells, previous, request, by),
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
  before: readonly StatsCell[],
  { filter, range, top, metrics }: StatsRequest,
  by: Exclude<Grouping, 'outcome' | 'rule'>,
): Promise<z.infer<typeof STATS_GROUP>[]> {
  const hasTimes = metrics.includes('weir_ms') && (by === 'environment' || by === 'app');
  const times = hasTimes ? await reader.latencies(filter, range, by) : [];
  const names =
    by === 'app' || by === 'key' ? await reader.labels(filter.manager.accountId, by) : new Map<string, string>();
  return rankedGroups(cells, before, top).map(({ key, others, own, earlier }) => ({
    key,
    label: others ?? names.get(key) ?? key,
    ...(metrics.includes('calls')
      ? {
          calls: series(own, range, ({ calls }) => calls),
          blocked: series(own, range, ({ outcomes }) => outcomes.blocked),
        }
      : {}),
    ...(metrics.includes('cost') ? { cost_nano_usd: costs(own, range) } : {}),
    ...(metrics.includes('tokens')
      ? { tokens: series(own, range, ({ promptTokens, completionTokens }) => promptTokens + completionTokens) }
      : {}),
    ...(hasTimes ? { weir_ms: timeSeries(ofGroup(times, key, own), range) } : {}),
    previous: { calls: callsOf(earlier), cost_nano_usd: costOf(earlier) },
  }));
}

function byRule(
  cells: readonly RuleCell[],
  before: readonly RuleCell[],
  { range, top, metrics }: StatsRequest,
): z.infer<typeof STATS_GROUP>[] {
  return rankedGroups(cells, before, top).map(({ key, others, own, earlier }) => ({
    key,
    label: others ?? key,
    ...(metrics.includes('calls') ? { calls: series(own, range, ({ calls }) => calls) } : {}),
    previous: { calls: callsOf(earlier) },
  }));
}

interface Counted {
  readonly group: string;
  readonly calls: number;
}

interface Group<Cell> {
  readonly key: string;
  /** The label of the group that merges all further groups. */
  readonly others?: string;
  readonly own: readonly Cell[];
  readonly earlier: readonly Cell[];
}

/**
 * Groups in descending order of calls, including those with calls only in the previous period. All groups beyond `top` are merged into
 * one.
 */
function rankedGroups<Cell extends Counted>(
  cells: readonly Cell[],
  before: readonly Cell[],
  top: number,
): readonly Group<Cell>[] {
  const [now, earlier] = [Map.groupBy(cells, groupOf), Map.groupBy(before, groupOf)];
  const ranked = [...new Set([...now.keys(), ...earlier.keys()])]
    .map((key) => ({ key, own: now.get(key) ?? [], earlier: earlier.get(key) ?? [] }))
    .sort((a, b) => callsOf(b.own) - callsOf(a.own) || (a.key < b.key ? -1 : 1));
  const rest = ranked.slice(top);
  if (rest.length === 0) return ranked;
  return [
    ...ranked.slice(0, top),
    {
      key: OTHER,
      others: `${rest.length} others`,
      own: rest.flatMap(({ own }) => own),
      earlier: rest.flatMap((each) => each.earlier),
    },
  ];
}

const groupOf = ({ group }: Counted): string => group;
const callsOf = (cells: readonly Counted[]): number => cells.reduce((sum, { calls }) => sum + calls, 0);
const costOf = (cells: readonly StatsCell[]): string =>
  String(cells.reduce((total, { costNanoUsd }) => total + costNanoUsd, 0n));

/** Latencies of a group; for the merged group, those of all its groups. */
function ofGroup(times: readonly LatencyCell[], key: string, own: readonly StatsCell[]): readonly LatencyCell[] {
  const groups = new Set(key === OTHER ? own.map(groupOf) : [key]);
  return times.filter(({ group }) => groups.has(group));
}

function bucketsOf({ fromMs, toMs, stepSeconds }: StatsRange): number {
  return (toMs - fromMs) / (stepSeconds * 1000);
}

function series<Cell extends { readonly at: number }>(
  cells: readonly Cell[],
  range: StatsRange,
  value: (cell: Cell) => number,
): number[] {
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
    cost_nano_usd: costOf(cells),
    prompt_tokens: sum(({ promptTokens }) => promptTokens),
    completion_tokens: sum(({ completionTokens }) => completionTokens),
    weir_ms: percentilesOf(latencies),
  };
}

function instant(ms: number): string {
  return new Date(ms).toISOString();
}
