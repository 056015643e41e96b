/**
 * The form of a bundle of policy files, and what the service and `weir` say to each other about deployments. Digests
 * and signatures are made in src/bundles.
 */
export * from './bundle.js';
export * from './deployment-api.js';
