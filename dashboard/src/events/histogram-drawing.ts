/** What the chart above the list draws. The statistics support fewer filters than the list. */
import type { Stats } from '../api/stats.ts';
import { outcomeSeries } from '../overview/outcome-series.ts';
import type { Series } from '../parts/bars-drawing.tsx';
import { hasSeveral } from './filters.ts';

type Filters = Readonly<Record<string, string>>;

export interface HistogramDrawing {
  readonly label: string;
  readonly groupBy: 'outcome' | 'rule';
  /** The filters of the statistics. */
  readonly query: Filters;
  readonly seriesOf: (stats: Stats) => readonly Series[];
  /** What the bars count although the list does not contain it. */
  readonly note?: string;
}

/** Filters that the statistics also support, each with one value. With others, the bars would not count the listed events. */
const OF_CALLS = new Set(['app', 'model', 'key']);
/** Hits of rules are stored per app only. */
const OF_HITS = new Set(['app']);

/** Undefined: no statistics count the listed events. */
export function histogramDrawing(filters: Filters): HistogramDrawing | undefined {
  const { rule, outcome, 'not.outcome': notOutcome, mark, ...others } = filters;
  const isTold = (known: ReadonlySet<string>): boolean =>
    Object.entries(others).every(([name, value]) => known.has(name) && !hasSeveral({ name, value }));
  if (rule !== undefined) {
    const isAlone = outcome === undefined && notOutcome === undefined && mark === undefined;
    return isAlone && isTold(OF_HITS) && !hasSeveral({ name: 'rule', value: rule }) ? hitsOf(rule, others) : undefined;
  }
  // Few calls have a mark, so the bars are nearly the same.
  if (!isTold(OF_CALLS) || (mark !== undefined && mark !== 'none')) return undefined;
  const [chosen, excluded] = [outcome, notOutcome].map((value) => value?.split(','));
  const isDrawn = (key: string): boolean => chosen?.includes(key) !== false && excluded?.includes(key) !== true;
  return {
    label: 'Calls over time',
    groupBy: 'outcome',
    query: others,
    seriesOf: (stats) => outcomeSeries(stats).filter(({ key }) => isDrawn(key)),
    ...(mark === undefined ? {} : { note: 'The bars also count calls with a mark.' }),
  };
}

function hitsOf(rule: string, others: Filters): HistogramDrawing {
  return {
    label: 'Hits of the rule over time',
    groupBy: 'rule',
    query: { ...others, rule },
    seriesOf: ({ groups }) =>
      groups
        .filter(({ key }) => key === rule)
        .map(({ key, calls }) => ({ key, label: 'Hits', color: 'var(--accent)', values: calls })),
  };
}
