/**
 * The project file `weir.config.yaml`, and the owners of policy files. Both are read here and nowhere else.
 */
export { policyOwners } from './policy-owners.js';
export { PROJECT_FILE, readProjectConfig, type LintLevel, type ProjectConfig } from './project-config.js';
