/**
 * Deployments of policies, per account and environment: taken in, kept as a history that only grows, put in force in
 * every replica after it compiled and tested them itself. It judges no call.
 */
export { DeployedTexts, type LocatedPolicy, type PolicySelector } from './deployed-texts.js';
export { ApiEnvironment, assertEnvironment, authorizeEnvironment } from './environment-access.js';
export { DeploymentsModule } from './deployments.module.js';
export { ReplicaReports } from './replica-reports.js';
export { RetentionInForce, type KeptFor } from './retention-in-force.js';
