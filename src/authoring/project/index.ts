/** The project file `weir.config.yaml`, and the owners of policy files. Only this folder reads them. */
export { policyOwners } from './policy-owners.js';
export { PROJECT_FILE, readProjectConfig, type LintLevel, type ProjectConfig } from './project-config.js';
