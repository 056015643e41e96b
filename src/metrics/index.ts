/** What Prometheus scrapes. Features report to `Metrics`; it knows none of them. */
export { Metrics, type JudgedCall, type ServedRequest } from './metrics.js';
export { MetricsModule } from './metrics.module.js';
