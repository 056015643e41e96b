/** The answer of `GET /v1/stats`, from the sums. */
import type { z } from 'zod';
import { MINUTES_KEPT_DAYS, OUTCOMES, type Outcome } from '../events/index.js';
import type { RuleCell, RuleHitsReader } from './rule-hits-reader.js';
import type { METRICS, StatsRange } from './stats-query.js';
import type {
  Grouping,
  LatencyCell,
  Ranking,
  StatsCell,
  StatsFilter,
  StatsReader,
  SumGrouping,
} from './stats-reader.js';
import { percentilesOf } from './stats-reader.js';
import type { STATS, STATS_GROUP, STATS_TOTALS } from './stats-schema.js';

type Metric = (typeof METRICS)[number];

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

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
  const before = periodBefore(range, nowMs, toMs - fromMs > MINUTES_KEPT_DAYS * 24 * HOUR_MS ? HOUR_MS : MINUTE_MS);
  const summedBy = by === 'outcome' || by === 'rule' ? undefined : by;
  const ranking = summedBy && (await figures.ranking(filter, { range, before, by: summedBy, top: request.top }));
  const grouped = summedBy && { by: summedBy, names: ranking?.names ?? [] };
  const [cells, latencies, previous, previousLatencies, deployments] = await Promise.all([
    figures.cells(filter, range, grouped),
    figures.totalLatencies(filter, range),
    figures.totals(filter, before, grouped),
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
          ? byRule(...(await hitsOf(readers.rules, request, nowMs)), request)
          : await byName(figures, foundGroups(cells, previous, ranking), request, by),
    totals: totalsOf(cells, latencies),
    previous: totalsOf(previous, previousLatencies),
    deployments,
  };
}

/**
 * The previous period: as long as the range, but it ends where the range has got to by now. Otherwise the same traffic would appear to
 * have decreased as long as the last bucket of the range is unfinished.
 *
 * @param grainMs length of the stored sums
 */
function periodBefore(range: StatsRange, nowMs: number, grainMs: number): StatsRange {
  const lengthMs = range.toMs - range.fromMs;
  const fromMs = range.fromMs - lengthMs;
  const elapsedMs = Math.round((Math.min(nowMs, range.toMs) - range.fromMs) / grainMs) * grainMs;
  // A range that is still to come has no calls.
  return { ...range, fromMs, toMs: fromMs + (elapsedMs > 0 ? Math.min(elapsedMs, lengthMs) : lengthMs) };
}

/** The hits of rules in the range and in the period before it. They are stored per hour. */
async function hitsOf(
  rules: RuleHitsReader,
  { filter, range }: StatsRequest,
  nowMs: number,
): Promise<[RuleCell[], RuleCell[]]> {
  return [await rules.cells(filter, range), await rules.cells(filter, periodBefore(range, nowMs, HOUR_MS))];
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
  groups: readonly Group<StatsCell>[],
  { filter, range, metrics }: StatsRequest,
  by: SumGrouping,
): Promise<z.infer<typeof STATS_GROUP>[]> {
  const names = groups.flatMap(({ key, others }) => (others === undefined ? [key] : []));
  const hasTimes = metrics.includes('weir_ms') && (by === 'environment' || by === 'app');
  const times = hasTimes ? await reader.latencies(filter, range, { by, names }) : [];
  const labels =
    by === 'app' || by === 'key' ? await reader.labels(filter.manager.accountId, by, names) : new Map<string, string>();
  return groups.map(({ key, others, own, earlier }) => ({
    key,
    label: others ?? labels.get(key) ?? key,
    ...(metrics.includes('calls')
      ? {
          calls: series(own, range, ({ calls }) => calls),
          blocked: series(own, range, ({ outcomes }) => outcomes.blocked),
        }
      : {}),
    ...(metrics.includes('cost')
      ? { cost_nano_usd: costs(own, range), without_price: series(own, range, ({ withoutPrice }) => withoutPrice) }
      : {}),
    ...(metrics.includes('tokens')
      ? { tokens: series(own, range, ({ promptTokens, completionTokens }) => promptTokens + completionTokens) }
      : {}),
    ...(hasTimes ? { weir_ms: timeSeries(ofGroup(times, others === undefined ? key : null), range) } : {}),
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
  readonly group: string | null;
  readonly calls: number;
}

interface Group<Cell> {
  readonly key: string;
  /** The label of the group that merges all further groups. */
  readonly others?: string;
  readonly own: readonly Cell[];
  readonly earlier: readonly Cell[];
}

/** The groups of a ranking in its order; all further groups are merged into one. */
function foundGroups(
  cells: readonly StatsCell[],
  before: readonly StatsCell[],
  { names, groups }: Ranking = { names: [], groups: 0 },
): readonly Group<StatsCell>[] {
  const [now, earlier] = [Map.groupBy(cells, groupOf), Map.groupBy(before, groupOf)];
  const cellsOf = (group: string | null) => ({ own: now.get(group) ?? [], earlier: earlier.get(group) ?? [] });
  const named = names.map((key) => ({ key, ...cellsOf(key) }));
  const rest = cellsOf(null);
  // The first call of a group may have been stored after the ranking was made.
  const count = Math.max(groups - names.length, rest.own.length + rest.earlier.length > 0 ? 1 : 0);
  return count === 0 ? named : [...named, { key: OTHER, others: `${count} others`, ...rest }];
}

/**
 * Groups in descending order of hits, including those with hits only in the previous period. All groups beyond `top` are merged into
 * one.
 */
function rankedGroups(
  cells: readonly RuleCell[],
  before: readonly RuleCell[],
  top: number,
): readonly Group<RuleCell>[] {
  const ruleOf = ({ group }: RuleCell): string => group;
  const [now, earlier] = [Map.groupBy(cells, ruleOf), Map.groupBy(before, ruleOf)];
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

const groupOf = ({ group }: Counted): string | null => group;
const callsOf = (cells: readonly Counted[]): number => cells.reduce((sum, { calls }) => sum + calls, 0);
const costOf = (cells: readonly StatsCell[]): string =>
  String(cells.reduce((total, { costNanoUsd }) => total + costNanoUsd, 0n));

/** Latencies of a group. @param name null for the merged group */
function ofGroup(times: readonly LatencyCell[], name: string | null): readonly LatencyCell[] {
  return times.filter(({ group }) => group === name);
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
  const byBucket = Map.groupBy(cells, ({ at }) => at);
  const each = Array.from({ length: bucketsOf(range) }, (_, at) => percentilesOf(byBucket.get(at) ?? []));
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
    without_price: sum(({ withoutPrice }) => withoutPrice),
    prompt_tokens: sum(({ promptTokens }) => promptTokens),
    completion_tokens: sum(({ completionTokens }) => completionTokens),
    weir_ms: percentilesOf(latencies),
  };
}

function instant(ms: number): string {
  return new Date(ms).toISOString();
}
