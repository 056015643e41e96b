/**
 * JSON Schemas of policy, test and project files, with the facts of the plugins that are loaded. Editors complete and
 * check by them.
 */
export { policySchemas, type ProjectNames } from './policy-schema.js';
