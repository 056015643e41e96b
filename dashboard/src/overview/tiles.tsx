import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Stats, Totals } from '../api/stats.ts';
import { relativeChange, costSum, count, duration, money, ratio, tileCount, unpricedWords } from '../parts/format.ts';
import type { Range } from '../shell/ranges.ts';
import { useFiguresLink } from '../shell/zoom.ts';

interface TilesProps {
  readonly stats: Stats;
  readonly range: Range | null;
}

const share = (part: number, whole: number): string => (whole === 0 ? '' : ratio(part / whole));

export function Tiles({ stats, range }: TilesProps): ReactNode {
  const { totals, previous } = stats;
  const { times, noted } = useFiguresLink()(stats);
  const tokens = Number(totals.prompt_tokens) + Number(totals.completion_tokens);
  const cost = BigInt(totals.cost_nano_usd);
  const unpriced = unpricedWords(totals.without_price);
  const perCall = totals.calls === 0 ? '' : `${money(cost / BigInt(totals.calls), 5)} a call`;
  const tiles: readonly (readonly [label: string, value: string, below: string, to: string, search: object])[] = [
    ['Calls', tileCount(totals.calls), compared(totals, previous, range), '/events', times],
    [
      'Blocked',
      count(totals.blocked),
      share(totals.blocked, totals.calls),
      '/events',
      { ...times, outcome: 'blocked' },
    ],
    [
      'Redacted',
      count(totals.redacted),
      [share(totals.redacted, totals.calls), totals.flagged > 0 ? `${count(totals.flagged)} flagged` : '']
        .filter(Boolean)
        .join(' · '),
      '/events',
      { ...times, outcome: 'redacted' },
    ],
    // Calls without a price would make the average too low.
    ['Cost', costSum(cost, totals.without_price, 2), unpriced === '' ? perCall : unpriced, '/budgets', {}],
    ['Tokens', tileCount(tokens), `${tileCount(Number(totals.prompt_tokens))} in`, '/events', times],
    [
      'Weir adds, p95',
      duration(totals.weir_ms.p95),
      totals.weir_ms.p99 === null ? '' : `p99 ${duration(totals.weir_ms.p99)}`,
      '/events',
      { ...times, ...slowest(totals.weir_ms.p95) },
    ],
  ];
  return (
    <ul className="tiles">
      {tiles.map(([label, value, below, to, search]) => (
        <li key={label}>
          <Link
            to={to as '/events'}
            search={((before: object) => ({ ...before, ...search })) as never}
            onClick={to === '/events' ? noted : undefined}
          >
            <span className="meta">{label}</span>
            <b className="tab-nums">{value}</b>
            <span className="meta">{below === '' ? '\u00a0' : below}</span>
          </Link>
        </li>
      ))}
    </ul>
  );
}

/** The filter for the calls that took at least this time, rounded down so that none of them is missing. */
const slowest = (ms: number | null): object => (ms === null ? {} : { min_weir_ms: String(Math.floor(ms * 10) / 10) });

/**
 * The comparison period of each preset range; other ranges are compared with the preceding period of the same length.
 */
const BEFORE: Readonly<Record<Range, string>> = {
  '1h': 'the hour before',
  '24h': 'the day before',
  '7d': 'the week before',
  '30d': 'the 30 days before',
  '90d': 'the 90 days before',
};

export const beforeWords = (range: Range | null): string => (range === null ? 'the time before' : BEFORE[range]);

function compared({ calls }: Totals, previous: Totals | null, range: Range | null): string {
  const before = beforeWords(range);
  if (previous === null || previous.calls === 0) return calls === 0 ? '' : `none ${before}`;
  return `${relativeChange(calls, previous.calls)} on ${before}`;
}
