/** The content of the chart above the list. The statistics support fewer filters than the list. */
import { isMerged } from '../api/merged-groups.ts';
import type { GroupBy, Stats } from '../api/stats.ts';
import { outcomeSeries } from '../overview/outcome-series.ts';
import type { Series } from '../parts/bars-drawing.tsx';
import { isUuid } from '../parts/uuid.ts';
import { hasSeveral } from './filters.ts';

type Filters = Readonly<Record<string, string>>;

export interface HistogramDrawing {
  readonly label: string;
  readonly groupBy: GroupBy;
  /** The filters of the statistics. */
  readonly query: Filters;
  /** The number of groups to request; absent: the usual one. */
  readonly top?: number;
  /** Undefined: the statistics merge some of the selected groups with others. */
  readonly seriesOf: (stats: Stats) => readonly Series[] | undefined;
  /** A note about calls that the bars count although the list does not contain them. */
  readonly note?: string;
}

/** Filters that the statistics also support, each with one value. With others, the bars would not count the listed events. */
const OF_CALLS = ['app', 'model', 'key'] as const;
/** Hits of rules are stored per app only. */
const OF_HITS = ['app'] as const;
/** The maximum number of groups that the service returns. */
const MOST_GROUPS = 50;

const isTold = (filters: Filters, known: readonly string[]): boolean =>
  Object.entries(filters).every(([name, value]) => known.includes(name) && !hasSeveral({ name, value }));

/** Undefined: no statistics count the listed events. */
export function histogramDrawing(filters: Filters): HistogramDrawing | undefined {
  const { rule, outcome, 'not.outcome': notOutcome, mark, ...others } = filters;
  const isAlone = outcome === undefined && notOutcome === undefined && mark === undefined;
  if (rule !== undefined) return isAlone && isTold(others, OF_HITS) ? hitsOf(rule, others) : undefined;
  const several = OF_CALLS.find((name) => hasSeveral({ name, value: others[name] ?? '' }));
  if (several !== undefined) return isAlone ? callsOf(several, others) : undefined;
  // Few calls have a mark, so the bars are nearly the same.
  if (!isTold(others, OF_CALLS) || (mark !== undefined && mark !== 'none')) return undefined;
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

/** The hits of one rule, or of several together. */
function hitsOf(rule: string, others: Filters): HistogramDrawing {
  const rules = rule.split(',');
  if (rules.length > 1) {
    return {
      label: 'Hits of the selected rules over time',
      groupBy: 'rule',
      query: others,
      top: MOST_GROUPS,
      seriesOf: sumOf(rules, 'Hits'),
      note: 'The bars count hits: a call in which several of these rules fired counts once for each.',
    };
  }
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

/** The calls of several apps, models or keys together; undefined if further filters cannot be counted. */
function callsOf(by: (typeof OF_CALLS)[number], filters: Filters): HistogramDrawing | undefined {
  const { [by]: value = '', ...others } = filters;
  const values = value.split(',');
  // A link may name apps, but the groups have their ids.
  if (!isTold(others, OF_CALLS) || (by === 'app' && !values.every(isUuid))) return undefined;
  return {
    label: `Calls of the selected ${by}s over time`,
    groupBy: by,
    query: others,
    top: MOST_GROUPS,
    seriesOf: sumOf(values, 'Calls'),
  };
}

/** Adds up the selected groups: with a filter, the service selects only one, so the groups with the most calls are requested. */
function sumOf(selected: readonly string[], label: string): HistogramDrawing['seriesOf'] {
  return ({ groups, buckets }) => {
    const own = groups.filter((group) => selected.includes(group.key) && !isMerged(group));
    if (own.length < new Set(selected).size && groups.some(isMerged)) return undefined;
    const values = buckets.map((_, at) => own.reduce((sum, { calls }) => sum + (calls[at] ?? 0), 0));
    return [{ key: 'selected', label, color: 'var(--accent)', values }];
  };
}
