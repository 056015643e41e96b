import type { Pack } from '../../cli/packs/index.js';
import { builtInPolicy } from '../../src/core/index.js';
import { put } from './policy-project.js';

/** A production policy without rules of its own that only extends others. */
export const extending = (...bases: readonly string[]): string => `apiVersion: weir/v1
kind: Policy
metadata: { id: production, owner: security@example.com }
environment: production
default: allow
mode: enforce
client_monitor_mode: ignore
content: redacted
extends: [${bases.join(', ')}]
`;
const CONFIG = 'apiVersion: weir/v1\nkind: Project\nenvironments: [production]\n';

export function putProject(...bases: readonly string[]): void {
  put('policies/weir.config.yaml', CONFIG);
  put('policies/production/policy.yaml', extending(...bases));
}

/** Writes the pack as an ordinary policy file, so that all checks of users' own policies apply to it. */
export function putAsFile({ name, tests }: Pack): void {
  putProject('../_shared/pack.yaml');
  put('policies/_shared/pack.yaml', builtInPolicy(name)!.text);
  put('policies/tests/pack.test.yaml', tests);
}
