import { AggregatorRegistry, collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import type { Figure } from '../processes/index.js';
import type { DecisionAction, DetectorOutcome, Environment, Violation } from '../core/index.js';
import { AccountTally } from './account-tally.js';
import { Tally, TimesTally } from './tallies.js';

/** One judged call for the metrics. */
export interface JudgedCall {
  readonly accountId: string;
  readonly source: 'rest' | 'proxy' | 'calls';
  readonly environment: Environment;
  /** `unavailable`: refused because facts were unavailable. */
  readonly decision: DecisionAction | 'unavailable';
  readonly violations: readonly Violation[];
  readonly outcomes: readonly DetectorOutcome[];
  readonly tookMs: number;
}

export interface ServedRequest {
  readonly method: string;
  readonly route: string;
  readonly status: number;
  readonly durationMs: number;
}

/** The aggregation of the values of several processes. */
type Combined = 'sum' | 'min' | 'max';

const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];
const EVENTS = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512];
const MS_PER_S = 1000;

/**
 * The metrics that Prometheus scrapes. Every label comes from a closed set: routes, statuses, environments, and ids that plugins declare;
 * or it is an id in a policy, and the number of series is limited. Nothing that a client writes becomes a label.
 */
export class Metrics {
  private readonly registry = new Registry();
  private readonly requests = this.counter('weir_http_requests_total', 'Requests answered.', [
    'method',
    'route',
    'status',
  ]);
  private readonly requestSeconds = this.histogram(
    'weir_http_request_duration_seconds',
    'Time from the request to the last byte of the answer.',
    SECONDS,
    ['route'],
  );
  private readonly decisions = this.counter('weir_decisions_total', 'Judged calls, by decision.', [
    'source',
    'environment',
    'decision',
  ]);
  private readonly ruleHits = this.countOfAccounts('weir_rule_hits_total', 'Rules that fired.', [
    'environment',
    'rule',
    'action',
    'enforced',
  ]);
  private readonly detectorOutcomes = this.counter('weir_detector_outcomes_total', 'Scans, by result.', [
    'detector',
    'status',
  ]);
  private readonly judgeSeconds = this.histogram('weir_judgement_duration_seconds', 'Time spent on judging.', SECONDS, [
    'source',
  ]);
  private readonly upstreamSeconds = this.histogram(
    'weir_upstream_duration_seconds',
    "Time to the headers of a provider's answer, by class of the status: 2xx to 5xx, or none.",
    SECONDS,
    ['provider', 'outcome'],
  );
  private readonly firstTokenSeconds = this.histogram(
    'weir_upstream_first_token_seconds',
    'Time from sending a call to the provider to the first chunk of the streamed answer.',
    SECONDS,
    ['provider'],
  );
  private readonly batch = this.histogram('weir_event_log_batch_events', 'Events per commit.', EVENTS, []);

  private readonly limited = this.counter('weir_rate_limit_requests_total', 'Requests that a rate limit counted.', [
    'limit',
    'outcome',
  ]);
  private readonly limitFallbacks = this.counter(
    'weir_rate_limit_fallback_total',
    'Requests that only this process counted for a rate limit, because Redis did not answer in time.',
    [],
  );

  /** @param figuresOfAll reads the figures of all processes of this server, if it has several */
  constructor(private readonly figuresOfAll?: () => Promise<readonly (readonly Figure[])[]>) {
    collectDefaultMetrics({ register: this.registry });
  }

  /** The content type of `text`. */
  get contentType(): string {
    return this.registry.contentType;
  }

  /** All metrics in the exposition format, aggregated over all processes of this server. */
  async text(): Promise<string> {
    if (this.figuresOfAll === undefined) return this.registry.metrics();
    return AggregatorRegistry.aggregate([...(await this.figuresOfAll())]).metrics();
  }

  /** All metrics of this process as values, for export in another format. */
  async figures(): Promise<readonly Figure[]> {
    return (await this.registry.getMetricsAsJSON()) as unknown as readonly Figure[];
  }

  served({ method, route, status, durationMs }: ServedRequest): void {
    this.requests.count({ method, route, status });
    this.requestSeconds.observe({ route }, durationMs / MS_PER_S);
  }

  judged({ accountId, source, environment, decision, violations, outcomes, tookMs }: JudgedCall): void {
    this.decisions.count({ source, environment, decision });
    this.judgeSeconds.observe({ source }, tookMs / MS_PER_S);
    for (const { rule, action, enforced } of violations) {
      this.ruleHits(accountId, { environment, rule, action, enforced: String(enforced) });
    }
    for (const outcome of outcomes) {
      const status = outcome.status === 'scanned' ? 'scanned' : outcome.reason;
      this.detectorOutcomes.count({ detector: outcome.plugin, status });
    }
  }

  /** Records a request to a provider. @param status undefined if there was no answer */
  askedProvider(provider: string, status: number | undefined, tookMs: number): void {
    const outcome = status === undefined ? 'none' : `${Math.floor(status / 100)}xx`;
    this.upstreamSeconds.observe({ provider, outcome }, tookMs / MS_PER_S);
  }

  /** Records the arrival of the first piece of a provider's stream. */
  streamBegan(provider: string, tookMs: number): void {
    this.firstTokenSeconds.observe({ provider }, tookMs / MS_PER_S);
  }

  /** Records a committed statement of the event log. */
  committed(events: number): void {
    this.batch.observe({}, events);
  }

  /** Records a request that a rate limit counted. */
  rateLimited(limit: string, outcome: 'admitted' | 'refused'): void {
    this.limited.count({ limit, outcome });
  }

  /** Records that rate limits could not be counted for all replicas together. */
  rateLimitFellBack(): void {
    this.limitFallbacks.count({});
  }

  /** Creates a counter for a feature. Label values come from closed sets. @returns a function that counts */
  count<Label extends string>(
    name: `weir_${string}_total`,
    help: string,
    labelNames: readonly Label[],
  ): (labels: Readonly<Record<Label, string>>, by?: number) => void {
    const counter = this.counter(name, help, labelNames);
    return (labels, by) => counter.count(labels, by);
  }

  /**
   * Creates a counter whose labels contain ids that accounts choose, in their policies. A limited number of series is kept.
   * @returns a function that counts for an account
   */
  countOfAccounts<Label extends string>(
    name: `weir_${string}_total`,
    help: string,
    labelNames: readonly Label[],
  ): (accountId: string, labels: Readonly<Record<Label, string>>, by?: number) => void {
    const tally = new AccountTally(this.registry, { name, help, labelNames });
    return (accountId, labels, by) => tally.count(accountId, labels, by);
  }

  /**
   * Creates a histogram of times, in seconds, for a feature. Label values come from closed sets. @returns a function that records a
   * time
   */
  times<Label extends string>(
    name: `weir_${string}_seconds`,
    help: string,
    labelNames: readonly Label[],
  ): (labels: Readonly<Record<Label, string>>, seconds: number) => void {
    const histogram = this.histogram(name, help, SECONDS, labelNames);
    return (labels, seconds) => histogram.observe(labels, seconds);
  }

  /** Creates a gauge that is read at each scrape. @param combined the aggregation of the values of several processes */
  gauge(name: `weir_${string}`, help: string, read: () => number, combined: Combined = 'sum'): void {
    new Gauge({
      name,
      help,
      aggregator: combined,
      registers: [this.registry],
      collect() {
        this.set(read());
      },
    });
  }

  /** Creates a gauge with a value per label set. It is read at each scrape; label sets that are no longer returned disappear. */
  labelledGauge<Label extends string>(
    name: `weir_${string}`,
    help: string,
    labelNames: readonly Label[],
    read: () => readonly { readonly labels: Readonly<Record<Label, string>>; readonly value: number }[],
    combined: Combined = 'sum',
  ): void {
    new Gauge<Label>({
      name,
      help,
      aggregator: combined,
      labelNames,
      registers: [this.registry],
      collect() {
        this.reset();
        // When it resets a gauge without labels, prom-client gives it the value 0, which nobody has measured.
        if (labelNames.length === 0) this.remove();
        for (const { labels, value } of read()) this.set(labels as Record<Label, string>, value);
      },
    });
  }

  private counter(name: string, help: string, labelNames: readonly string[]): Tally {
    return new Tally(this.registry, { name, help, labelNames });
  }

  private histogram(name: string, help: string, buckets: readonly number[], labelNames: readonly string[]): TimesTally {
    return new TimesTally(this.registry, { name, help, labelNames }, buckets);
  }
}
