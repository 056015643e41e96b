/**
 * Policy files in their normal form, with their comments kept. `weir fmt` writes it, and moves built-in policies to
 * newer versions.
 */
export { formatPolicyFile, type FormatResult } from './format-policy.js';
export { upgradeBuiltIns } from './upgrade.js';
