/** `weir.config.yaml`, and who owns which policy file. */
export { policyOwners } from './policy-owners.js';
export { PROJECT_FILE, readProjectConfig, type LintLevel, type ProjectConfig } from './project-config.js';
