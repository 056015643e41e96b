/**
 * Deployments of policies, per account and environment: accepted, kept in an append-only history, and activated in every replica after it
 * compiled and tested them itself. This folder judges no calls.
 */
export { DeployedTexts, type LocatedPolicy, type PolicySelector } from './deployed-texts.js';
export { ApiEnvironment, assertEnvironment, authorizeEnvironment } from './environment-access.js';
export { DeploymentsModule } from './deployments.module.js';
export { ReplicaReports } from './replica-reports.js';
export { RetentionInForce, type RetentionOf } from './retention-in-force.js';
