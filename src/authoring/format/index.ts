/**
 * Formats policy files canonically, with their comments. `weir fmt` writes the formatted files, and moves built-in policies to newer
 * versions.
 */
export { formatPolicyFile, type FormatResult } from './format-policy.js';
export { upgradeBuiltIns } from './upgrade.js';
