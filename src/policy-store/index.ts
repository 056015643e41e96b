/**
 * The active policies: reads them from files, compiles them, and keeps one immutable snapshot per environment and, for accounts with
 * deployments, per account. It makes no decisions about calls.
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
