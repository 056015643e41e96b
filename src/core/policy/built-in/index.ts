/**
 * Policies that come with Weir and are extended by name: the baseline `weir:baseline@1`, and packs such as `weir:pci@1`,
 * each of which extends a baseline itself. A version never changes once it has been released.
 */
import { BASELINE_1_LISTS } from './baseline-1-lists.js';
import { BASELINE_1_RULES } from './baseline-1-rules.js';
import { BASELINE_1_SETTINGS } from './baseline-1-settings.js';
import { CODING_AGENT_1 } from './coding-agent-1.js';
import { CUSTOMER_SUPPORT_1 } from './customer-support-1.js';
import { GDPR_1 } from './gdpr-1.js';
import { HIPAA_1 } from './hipaa-1.js';
import { OWASP_LLM_1 } from './owasp-llm-1.js';
import { PCI_1 } from './pci-1.js';
import { SECRETS_STRICT_1 } from './secrets-strict-1.js';

const PREFIX = 'weir:';

/** A built-in policy in the form of a file. */
interface BuiltInPolicy {
  /** Its name instead of a path in a folder. */
  readonly path: string;
  readonly text: string;
}

/** By the name used in `extends`. A released version never changes, since policies depend on its text. */
const BUILT_IN: ReadonlyMap<string, BuiltInPolicy> = new Map(
  Object.entries({
    'weir:baseline@1': `${BASELINE_1_SETTINGS}${BASELINE_1_LISTS}${BASELINE_1_RULES}`,
    'weir:coding-agent@1': CODING_AGENT_1,
    'weir:customer-support@1': CUSTOMER_SUPPORT_1,
    'weir:gdpr@1': GDPR_1,
    'weir:hipaa@1': HIPAA_1,
    'weir:owasp-llm@1': OWASP_LLM_1,
    'weir:pci@1': PCI_1,
    'weir:secrets-strict@1': SECRETS_STRICT_1,
  }).map(([path, text]) => [path, { path, text }]),
);

/** Whether an entry of `extends` names a built-in policy and not a file. */
export function isBuiltIn(name: string): boolean {
  return name.startsWith(PREFIX);
}

/** The built-in policy with this name, if there is one. */
export function builtInPolicy(name: string): BuiltInPolicy | undefined {
  return BUILT_IN.get(name);
}

/** The names of all built-in policies. */
export function builtInPolicies(): readonly string[] {
  return [...BUILT_IN.keys()];
}

/** The newest version of a built-in policy: `weir:baseline@2` for `weir:baseline@1`. Undefined if there is no version of it. */
export function newestBuiltIn(name: string, known: readonly string[] = builtInPolicies()): string | undefined {
  const [kind] = name.split('@');
  const versionOf = (one: string): number => Number(one.slice(one.indexOf('@') + 1));
  return known.filter((one) => one.startsWith(`${kind}@`)).sort((a, b) => versionOf(b) - versionOf(a))[0];
}
