/** Metrics for Prometheus. Features report to `Metrics`, which depends on none of them. */
export { Metrics, type JudgedCall, type ServedRequest } from './metrics.js';
export { MetricsModule } from './metrics.module.js';
