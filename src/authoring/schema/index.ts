/**
 * JSON Schemas of policy, test and project files, with the facts of the loaded plugins. Editors use them for completion and validation.
 */
export { policySchemas, type ProjectNames } from './policy-schema.js';
