/** How features live with services that are down or slow. It knows no service. */
export { CircuitBreaker, type BreakerLimits } from './circuit-breaker.js';
export { PeriodicWork } from './periodic-work.js';
