import { ValueType, type HrTime } from '@opentelemetry/api';
import type { Resource } from '@opentelemetry/resources';
import {
  AggregationTemporality,
  DataPointType,
  InstrumentType,
  type CollectionResult,
  type MetricData,
  type MetricProducer,
} from '@opentelemetry/sdk-metrics';

/** A metric as reported by prom-client. */
interface Figure {
  readonly name: string;
  readonly help: string;
  readonly type: string;
  readonly values: readonly {
    readonly value: number;
    readonly labels: Readonly<Record<string, string | number>>;
    /** For histograms, which have several series in one list. */
    readonly metricName?: string;
  }[];
}

const MS_PER_S = 1_000;
const NS_PER_MS = 1_000_000;

/** Gives the figures that Prometheus scrapes to OpenTelemetry as well: one list of metrics, in two formats. */
export class PrometheusProducer implements MetricProducer {
  private readonly start = hrTimeOf(Date.now());

  constructor(
    private readonly figures: () => Promise<readonly unknown[]>,
    private readonly resource: Resource,
  ) {}

  async collect(): Promise<CollectionResult> {
    const end = hrTimeOf(Date.now());
    const metrics = ((await this.figures()) as readonly Figure[]).flatMap((figure) => this.metric(figure, end));
    return {
      resourceMetrics: { resource: this.resource, scopeMetrics: [{ scope: { name: 'weir' }, metrics }] },
      errors: [],
    };
  }

  private metric(figure: Figure, endTime: HrTime): MetricData[] {
    const { name, help: description, type, values } = figure;
    const times = { startTime: this.start, endTime };
    const about = { unit: '', valueType: ValueType.DOUBLE, advice: {} };
    const common = { aggregationTemporality: AggregationTemporality.CUMULATIVE };
    const points = values.map(({ labels, value }) => ({ ...times, attributes: { ...labels }, value }));
    if (type === 'counter') {
      const descriptor = { name, description, type: InstrumentType.COUNTER, ...about };
      return [{ descriptor, ...common, dataPointType: DataPointType.SUM, isMonotonic: true, dataPoints: points }];
    }
    if (type === 'gauge') {
      const descriptor = { name, description, type: InstrumentType.GAUGE, ...about };
      return [{ descriptor, ...common, dataPointType: DataPointType.GAUGE, dataPoints: points }];
    }
    if (type !== 'histogram') return [];
    const descriptor = { name, description, type: InstrumentType.HISTOGRAM, ...about };
    const dataPoints = histograms(figure).map((point) => ({ ...times, ...point }));
    return [{ descriptor, ...common, dataPointType: DataPointType.HISTOGRAM, dataPoints }];
  }
}

/**
 * Prometheus counts the values below each boundary; OpenTelemetry counts those between two
 * boundaries.
 */
function histograms({ name, values }: Figure) {
  const series = new Map<
    string,
    { attributes: Record<string, string | number>; below: [number, number][]; sum: number }
  >();
  for (const { labels, value, metricName } of values) {
    const { le, ...attributes } = labels;
    const key = JSON.stringify(attributes);
    const one = series.get(key) ?? { attributes, below: [], sum: 0 };
    series.set(key, one);
    if (metricName === `${name}_bucket`) one.below.push([le === '+Inf' ? Infinity : Number(le), value]);
    else if (metricName === `${name}_sum`) one.sum = value;
  }
  return [...series.values()].map(({ attributes, below, sum }) => {
    const sorted = below.sort(([a], [b]) => a - b);
    const counts = sorted.map(([, count], index) => count - (sorted[index - 1]?.[1] ?? 0));
    const boundaries = sorted.map(([boundary]) => boundary).filter(Number.isFinite);
    return { attributes, value: { buckets: { boundaries, counts }, sum, count: sorted.at(-1)?.[1] ?? 0 } };
  });
}

function hrTimeOf(ms: number): HrTime {
  return [Math.floor(ms / MS_PER_S), (ms % MS_PER_S) * NS_PER_MS];
}
