export { policySchemas, type ProjectNames } from './policy-schema.js';
