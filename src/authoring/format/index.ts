export { formatPolicyFile, type FormatResult } from './format-policy.js';
