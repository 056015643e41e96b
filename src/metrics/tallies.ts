/**
 * Counters for each call, by label values. prom-client checks and orders the labels of every update; here one look-up is enough, and
 * prom-client gets the values when it is scraped.
 */
import { Counter, type Metric, type Registry } from 'prom-client';
import type { Figure } from '../processes/index.js';

type FigureValue = Figure['values'][number];
export type Labels = Readonly<Record<string, string | number>>;

export interface Named {
  readonly name: string;
  readonly help: string;
  readonly labelNames: readonly string[];
}

/** A value for each combination of label values, which come from closed sets and contain no null character. */
class ByLabels<Value> {
  private readonly values = new Map<string, { readonly labels: Labels; readonly value: Value }>();

  constructor(
    private readonly labelNames: readonly string[],
    private readonly make: () => Value,
  ) {}

  of(labels: Labels): Value {
    let key = '';
    for (const name of this.labelNames) key += `${labels[name]}\0`;
    let known = this.values.get(key);
    if (known === undefined) {
      const own = Object.fromEntries(this.labelNames.map((name) => [name, labels[name] ?? '']));
      this.values.set(key, (known = { labels: own, value: this.make() }));
    }
    return known.value;
  }

  all(): Iterable<{ readonly labels: Labels; readonly value: Value }> {
    return this.values.values();
  }
}

/** A counter whose counts since the last scrape are kept separately. */
export class Tally {
  private readonly since: ByLabels<{ count: number }>;

  constructor(registry: Registry, { name, help, labelNames }: Named) {
    this.since = new ByLabels(labelNames, () => ({ count: 0 }));
    const { since } = this;
    const counter: Counter = new Counter({
      ...{ name, help, labelNames, registers: [registry] },
      collect() {
        for (const { labels, value } of since.all()) {
          counter.inc({ ...labels }, value.count);
          value.count = 0;
        }
      },
    });
  }

  count(labels: Labels, by = 1): void {
    this.since.of(labels).count += by;
  }
}

interface Times {
  /** The number of values in each bucket, and of those above the last bound. */
  readonly inBucket: number[];
  sum: number;
  count: number;
}

/** A histogram. */
export class TimesTally {
  readonly name: string;
  private readonly times: ByLabels<Times>;

  constructor(
    registry: Registry,
    private readonly about: Named,
    private readonly bounds: readonly number[],
  ) {
    this.name = about.name;
    const make = (): Times => ({ inBucket: Array.from({ length: bounds.length + 1 }, () => 0), sum: 0, count: 0 });
    this.times = new ByLabels(about.labelNames, make);
    // Without labels, the series exists before the first value.
    if (about.labelNames.length === 0) this.times.of({});
    // A registry uses only the name and `get` of a metric; prom-client's type describes its own classes.
    registry.registerMetric(this as unknown as Metric);
  }

  observe(labels: Labels, value: number): void {
    if (!Number.isFinite(value)) throw new TypeError(`not a number to be counted in ${this.name}`);
    const times = this.times.of(labels);
    const { bounds } = this;
    let bucket = 0;
    while (bucket < bounds.length && value > bounds[bucket]!) bucket++;
    times.inBucket[bucket]!++;
    times.sum += value;
    times.count++;
  }

  /** The format that a registry reads: each bucket includes all lower ones. */
  get(): Promise<Figure> {
    const { name, help } = this.about;
    const values = [...this.times.all()].flatMap(({ labels, value }) => this.valuesOf(labels, value));
    return Promise.resolve({ name, help, type: 'histogram', aggregator: 'sum', values });
  }

  private valuesOf(labels: Labels, { inBucket, sum, count }: Times): FigureValue[] {
    const { name, bounds } = this;
    let below = 0;
    const buckets = [...bounds, '+Inf'].map((le, index) => {
      below += inBucket[index]!;
      return { labels: { le, ...labels }, value: below, metricName: `${name}_bucket` };
    });
    return [
      ...buckets,
      { labels, value: sum, metricName: `${name}_sum` },
      { labels, value: count, metricName: `${name}_count` },
    ];
  }
}
