import type { Pack } from '../../cli/packs/index.js';
import { builtInPolicy } from '../../src/core/index.js';
import { put } from './policy-project.js';

/** A policy for production that only extends. */
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

/** The pack as a file of a folder, in which everything is asked of it that is asked of people. */
export function putAsFile({ name, tests }: Pack): void {
  putProject('../_shared/pack.yaml');
  put('policies/_shared/pack.yaml', builtInPolicy(name)!.text);
  put('policies/tests/pack.test.yaml', tests);
}
