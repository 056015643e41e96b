import type { Stats, StatsGroup } from '../api/stats.ts';
import type { Series } from '../parts/bars-drawing.tsx';

const SHOWN = [
  ['allowed', 'Allowed', 'var(--allow-chart)'],
  ['flagged', 'Flagged', 'var(--flag-chart)'],
  ['would_block', 'Would block', 'var(--accent)'],
  ['redacted', 'Redacted', 'var(--redact-chart)'],
  ['blocked', 'Blocked', 'var(--block-chart)'],
  ['unavailable', 'Unavailable', 'var(--fg-3)'],
  ['error', 'Error', 'var(--fg-2)'],
] as const;

/** Outcomes from bottom to top, normal ones first. Outcomes that did not occur are left out, except for the usual ones. */
export function outcomeSeries({ groups, buckets }: Stats): readonly Series[] {
  return SHOWN.flatMap(([key, label, color]) => {
    const group = groups.find((each) => each.key === key);
    const isUsual = key === 'allowed' || key === 'redacted' || key === 'blocked';
    const values = group?.calls ?? buckets.map(() => 0);
    if (!isUsual && !values.some((value) => value > 0)) return [];
    return [{ key, label, color, hatched: key === 'blocked', values }];
  });
}

const COLORS = [
  'var(--accent)',
  'var(--redact-chart)',
  'var(--flag-chart)',
  'var(--allow-chart)',
  'var(--block-chart)',
  'var(--fg-3)',
];

const colorOf = (index: number): string => COLORS[index % COLORS.length] ?? '';

export function groupSeries({ groups }: Stats, valuesOf: (group: StatsGroup) => Series['values']): readonly Series[] {
  // Groups with calls only in the previous period have a change, but nothing to draw.
  const drawn = groups.filter(({ calls }) => calls.some((each) => each > 0));
  return drawn.map((group, index) => ({
    key: group.key,
    label: (group.label ?? group.key) || 'none',
    color: colorOf(index),
    values: valuesOf(group),
  }));
}

/** For one group all three percentiles; for several only p95, because the lines would overlap. */
export function timeSeries(stats: Stats): readonly Series[] {
  const { groups } = stats;
  const [only] = groups;
  if (only === undefined || groups.length > 1) {
    return groupSeries(stats, ({ weir_ms: ms }) => ms?.p95 ?? []).map((each) => ({
      ...each,
      label: `${each.label}, p95`,
    }));
  }
  return (['p50', 'p95', 'p99'] as const).map((part, index) => ({
    key: part,
    label: part,
    color: colorOf(index),
    values: only.weir_ms?.[part] ?? [],
  }));
}
