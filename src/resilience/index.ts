/** Code for dealing with unavailable or slow services. It depends on no specific service. */
export { AccountBreakers } from './account-breakers.js';
export { CircuitBreaker, type BreakerLimits } from './circuit-breaker.js';
export { LookupBusy, NameLookups, NAMES, type NamedSocketOptions } from './name-lookups.js';
export { PeriodicWork } from './periodic-work.js';
export { TurnOver } from './turn-over.js';
