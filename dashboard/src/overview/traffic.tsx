/** The figures of the selected period, and their course. */
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { get } from '../api/client.ts';
import { useStats, type GroupBy, type Stats, type StatsDeployment } from '../api/stats.ts';
import type { CallEvent, Page as Paged } from '../api/types.ts';
import { searchOfLast } from '../events/call-links.ts';
import type { Series } from '../parts/bars-drawing.tsx';
import { Bars } from '../parts/bars.tsx';
import { Block, Empty, Skeleton } from '../parts/block.tsx';
import { count, duration, money } from '../parts/format.ts';
import { Time } from '../parts/small.tsx';
import { visible } from '../parts/text.tsx';
import { environmentNamed, linkedEnvironment } from '../shell/page-environment.ts';
import { RANGES } from '../shell/ranges.ts';
import { stringifySearch, useSearchParams, useSetSearch, useView, type Search } from '../shell/view.ts';
import { useZoom } from '../shell/zoom.ts';
import { groupSeries, outcomeSeries, timeSeries } from './outcome-series.ts';
import { Tiles } from './tiles.tsx';

const GROUPS: Readonly<Partial<Record<GroupBy, string>>> = {
  outcome: 'decision',
  environment: 'environment',
  app: 'app',
  model: 'model',
  rule: 'rule',
};

interface Metric {
  readonly label: string;
  readonly groups: readonly GroupBy[];
  readonly series: (stats: Stats, groupBy: GroupBy) => readonly Series[];
  readonly format: (value: number) => string;
  readonly as: 'bars' | 'lines';
}

/** In nano-dollars. Smaller amounts need more than two decimal places. */
const CENT = 10_000_000;

/** The metrics, with the groupings that the service supports. Grouped by outcome, the service only counts calls. */
const METRICS = {
  calls: {
    label: 'Calls',
    groups: ['outcome', 'environment', 'app', 'model', 'rule'],
    series: (stats, groupBy) =>
      groupBy === 'outcome' ? outcomeSeries(stats) : groupSeries(stats, ({ calls }) => calls),
    format: count,
    as: 'bars',
  },
  cost: {
    label: 'Cost',
    groups: ['environment', 'app', 'model'],
    series: (stats) => groupSeries(stats, ({ cost_nano_usd: nano }) => (nano ?? []).map(Number)),
    format: (nano) => money(BigInt(Math.round(nano)), nano < CENT ? 5 : 2),
    as: 'bars',
  },
  tokens: {
    label: 'Tokens',
    groups: ['environment', 'app', 'model'],
    series: (stats) => groupSeries(stats, ({ tokens }) => (tokens ?? []).map(Number)),
    format: count,
    as: 'bars',
  },
  weir_ms: {
    label: 'Weir’s time',
    groups: ['environment', 'app'],
    series: timeSeries,
    format: duration,
    as: 'lines',
  },
} as const satisfies Record<string, Metric>;
type MetricName = keyof typeof METRICS;

const USUAL = 'calls.outcome';

/** The chart that the address names, such as `cost.app`, so that a copied link shows the same one. */
function useChosenChart() {
  const { chart = USUAL } = useSearchParams();
  const setSearch = useSetSearch();
  const [named = '', by = ''] = chart.split('.');
  const name = Object.hasOwn(METRICS, named) ? (named as MetricName) : 'calls';
  const metric: Metric = METRICS[name];
  const groupBy = metric.groups.find((each) => each === by) ?? metric.groups[0]!;
  const choose = (metricName: string, group: string): void => {
    const chosen = `${metricName}.${group}`;
    setSearch({ chart: chosen === USUAL ? undefined : chosen }, true);
  };
  return { name, metric, by, groupBy, choose };
}

export function Traffic(): ReactNode {
  const { name, metric, by, groupBy, choose } = useChosenChart();
  const byOutcome = useStats('outcome');
  const grouped = useStats(groupBy);
  const view = useView();
  // In an account without any call, zeros would only flash up until the first steps replace this page.
  const newest = useNewest();
  return (
    <>
      <Block what="the figures" query={byOutcome} height={92}>
        {(stats) =>
          stats.totals.calls === 0 && newest.isLoading ? (
            <Skeleton height={92} />
          ) : (
            <Tiles stats={stats} range={view.range} />
          )
        }
      </Block>
      <Block
        title={metric.label}
        aside={
          <span className="line tight nowrap meta">
            <select
              className="input small"
              aria-label="Value shown in the chart"
              value={name}
              // A metric without this grouping is shown by another one, and the next metric may have it again.
              onChange={(event) => choose(event.target.value, by)}
            >
              {Object.entries(METRICS).map(([value, { label }]) => (
                <option key={value} value={value}>
                  {label}
                </option>
              ))}
            </select>
            by
            <select
              className="input small"
              aria-label="Group the chart by"
              value={groupBy}
              onChange={(event) => choose(name, event.target.value)}
            >
              {metric.groups.map((each) => (
                <option key={each} value={each}>
                  {GROUPS[each]}
                </option>
              ))}
            </select>
          </span>
        }
        what="the chart"
        query={grouped}
        height={236}
      >
        {(stats) => <Chart stats={stats} metric={metric} groupBy={groupBy} />}
      </Block>
    </>
  );
}

interface ChartProps {
  readonly stats: Stats;
  readonly metric: Metric;
  readonly groupBy: GroupBy;
}

function Chart({ stats, metric, groupBy }: ChartProps): ReactNode {
  const zoom = useZoom();
  const navigate = useNavigate();
  const view = useView();
  const search = useSearchParams();
  return (
    <>
      <Bars
        label={`${metric.label} ${view.during}`}
        buckets={stats.buckets}
        stepSeconds={stats.step_seconds}
        completeUntil={stats.complete_until}
        series={metric.series(stats, groupBy)}
        format={metric.format}
        as={metric.as}
        height={180}
        marks={stats.deployments.map((deployment) => {
          const { number, at } = deployment;
          return {
            at,
            label: String(number),
            words: deploymentWords(deployment),
            href: deploymentHref(deployment, search),
          };
        })}
        zoom={zoom}
        open={(from, to) =>
          void navigate({
            to: '/events',
            search: ((before: object) => ({ ...before, from, to, range: undefined })) as never,
          })
        }
      />
      {stats.totals.calls === 0 && <LastCall />}
    </>
  );
}

/** A deployment with its author and reason, as far as the user may see them. */
function deploymentWords({ environment, number, by, because }: StatsDeployment): string {
  const who = by === null ? '' : `, by ${visible(by.name ?? `a ${by.kind}`)}`;
  return `Deployment ${number} of ${environment}${who}${because === null ? '' : `, because: ${visible(because)}`}`;
}

/** The changes of a deployment. A link of a chart is not one of the router, so it names the parameters that every link keeps. */
function deploymentHref({ environment, number }: StatsDeployment, { range, from, to }: Search): string {
  const kept = { env: linkedEnvironment(environmentNamed(environment)), range, from, to };
  const path = `/policies/${environment}`;
  return number > 1
    ? `${path}/diff${stringifySearch({ ...kept, was: number - 1, is: number })}`
    : `${path}/history${stringifySearch(kept)}`;
}

/** The newest call, regardless of the time range. */
function useNewest() {
  return useQuery({
    queryKey: ['events', 'newest'],
    queryFn: () => get<Paged<CallEvent>>('/v1/events', { limit: 1 }),
  });
}

function LastCall(): ReactNode {
  const newest = useNewest();
  const event = newest.data?.data[0];
  const search = useSearchParams();
  const setSearch = useSetSearch();
  if (newest.isLoading) return <Skeleton height={52} />;
  if (event === undefined) return null;
  return (
    <Empty>
      No calls in this range. Last call: <Time at={event.received_at} as="table" />, {event.environment}.{' '}
      <button type="button" className="button" onClick={() => setSearch(searchOfLast(event, search, RANGES))}>
        Go there
      </button>
    </Empty>
  );
}
