/**
 * The format of a bundle of policy files, and the messages between the service and `weir` about deployments. Digests and signatures are
 * computed in src/bundles.
 */
export * from './bundle.js';
export * from './deployment-api.js';
