/**
 * The policies in force: reads them from files, compiles them, keeps one immutable snapshot per environment and, where an
 * account has deployed its own, per account. It decides nothing about a call.
 */
export { PolicyUnavailable, type DeployedStatus } from './deployed-policies.js';
export { DetectorBinder } from './detector-binder.js';
export { prepareInSteps, type ActivePolicy, type PolicySources } from './load-environment.js';
export { PolicyLoadError } from './policy-load-error.js';
export { PolicyStoreModule, type PolicyStoreModuleOptions } from './policy-store.module.js';
export {
  PolicyStore,
  type PolicyReload,
  type PolicyStatus,
  type PolicyStoreLog,
  type PolicyStoreOptions,
  type PolicyStoreOutside,
} from './policy-store.js';
