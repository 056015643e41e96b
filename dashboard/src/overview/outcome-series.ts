import type { Stats } from '../api/stats.ts';
import type { Series } from '../parts/bars.tsx';

const SHOWN = [
  ['allowed', 'Allowed', 'var(--allow-chart)'],
  ['flagged', 'Flagged', 'var(--flag-chart)'],
  ['would_block', 'Would block', 'var(--accent)'],
  ['redacted', 'Redacted', 'var(--redact-chart)'],
  ['blocked', 'Blocked', 'var(--block-chart)'],
  ['unavailable', 'Unavailable', 'var(--fg-3)'],
  ['error', 'Error', 'var(--fg-2)'],
] as const;

/** From the ground up: what is normal first. Outcomes that did not occur are left out, but for the usual ones. */
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

export function groupSeries({ groups }: Stats): readonly Series[] {
  return groups.map(({ key, label, calls }, index) => ({
    key,
    label: label ?? key,
    color: COLORS[index % COLORS.length] ?? '',
    values: calls,
  }));
}
