import { columns, minuteText } from '../output/columns.js';
import { costText, millisecondsText } from '../output/figures.js';
import type { Stats, StatsGroup, StatsTotals } from './stats-answer.js';

/** What calls can be grouped by. */
export const GROUPINGS = ['outcome', 'environment', 'app', 'model', 'key', 'rule'] as const;
export type Grouping = (typeof GROUPINGS)[number];

/** The totals of a time range beside those of the period before it, and the totals of each group. @param by undefined: no groups */
export function statsText(stats: Stats, by: Grouping | undefined): string {
  const { from, to, totals, previous, groups } = stats;
  const [now, before] = [figuresOf(totals), figuresOf(previous)];
  const table = columns(
    ['FIGURE', `${minuteText(from)} TO ${minuteText(to)} UTC`, 'PERIOD BEFORE'],
    Object.entries(now).map(([name, value]) => [name, value, before[name] ?? '']),
  );
  return by === undefined ? table : `${table}\n${groupTable(groups, by)}`;
}

function figuresOf(totals: StatsTotals): Readonly<Record<string, string>> {
  const { calls, allowed, flagged, would_block: wouldBlock, redacted, blocked, unavailable, errors } = totals;
  const { cost_nano_usd: cost, without_price: unpriced, weir_ms: weirMs } = totals;
  const counts = { calls, allowed, flagged, would_block: wouldBlock, redacted, blocked, unavailable, errors };
  return {
    ...Object.fromEntries(Object.entries(counts).map(([name, count]) => [name, String(count)])),
    cost: costText(cost, unpriced),
    'prompt tokens': String(totals.prompt_tokens),
    'completion tokens': String(totals.completion_tokens),
    'Weir added, p50': millisecondsText(weirMs.p50),
    'Weir added, p95': millisecondsText(weirMs.p95),
    'Weir added, p99': millisecondsText(weirMs.p99),
  };
}

/** One line per group. The name of the group is last, because callers choose names of models, which may be long. */
function groupTable(groups: readonly StatsGroup[], by: Grouping): string {
  const name = by.toUpperCase();
  if (by === 'outcome')
    return columns(
      ['CALLS', name],
      groups.map((group) => [sum(group.calls), group.label]),
    );
  if (by === 'rule')
    return columns(
      ['HITS', 'HITS BEFORE', name],
      groups.map((group) => [sum(group.calls), String(group.previous?.calls ?? ''), group.label]),
    );
  return columns(
    ['CALLS', 'CALLS BEFORE', 'BLOCKED', 'TOKENS', 'COST', name],
    groups.map((group) => [
      ...[sum(group.calls), String(group.previous?.calls ?? ''), sum(group.blocked), sum(group.tokens)],
      costText(costSum(group.cost_nano_usd), Number(sum(group.without_price))),
      by === 'app' || by === 'key' ? labelAndKey(group) : nameText(group),
    ]),
  );
}

function sum(buckets: readonly number[] | undefined): string {
  return String((buckets ?? []).reduce((total, count) => total + count, 0));
}

function costSum(buckets: readonly string[] | undefined): string {
  return String((buckets ?? []).reduce((total, cost) => total + BigInt(cost), 0n));
}

/** The name of an app or a key with its id; the rest of the groups has only a name. */
function labelAndKey({ key, label }: StatsGroup): string {
  return key === label || key === 'other' ? label : `${label} (${key})`;
}

/** Calls that name no model are a group with an empty name. */
function nameText({ label }: StatsGroup): string {
  return label === '' ? '(none)' : label;
}
