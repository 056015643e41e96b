export { formatPolicyFile, type FormatResult } from './format-policy.js';
export { upgradeBuiltIns } from './upgrade.js';
