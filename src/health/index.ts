/** Liveness and readiness. It checks the database and the policies and changes neither. */
export { HealthModule } from './health.module.js';
export { Readiness, type ReadinessReport } from './readiness.js';
