import { appendFileSync, cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from './shipped-policy.js';

/** A folder of policies for a measured service. */
export interface PoliciesFolder {
  /** The setting of the service that names the folder. */
  readonly env: { readonly WEIR_POLICIES_DIR: string };
  remove(): void;
}

/** A blocking budget per key with a limit that is never reached. */
const BUDGET = `
default_max_tokens: 4096
budgets:
  - id: key-day
    scope: [key]
    window: { per: day, timezone: UTC }
    limit: { usd: 1000000 }
    on_exceed: block
`;

const ENVIRONMENTS = ['production', 'development'] as const;

/**
 * Writes the shipped policies with a budget, so that each measured call also reserves and settles an amount.
 * @param checkout folder of the checkout whose policies are used
 */
export function policiesWithBudget(checkout = root()): PoliciesFolder {
  const folder = mkdtempSync(join(tmpdir(), 'weir-bench-policies-'));
  cpSync(join(checkout, 'policies'), folder, { recursive: true });
  for (const environment of ENVIRONMENTS) appendFileSync(join(folder, environment, 'policy.yaml'), BUDGET);
  return {
    env: { WEIR_POLICIES_DIR: folder },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/**
 * Rate limits that count each measured call, and are never reached. Management is not measured; its limit being off also turns off that of
 * evaluations, which has no setting.
 */
export const GENEROUS_LIMITS = {
  WEIR_RATE_EVENTS: '999999999/60',
  WEIR_RATE_PROXY: '999999999/60',
  WEIR_RATE_BATCH: '999999999/60',
  WEIR_RATE_CALLS: '999999999/60',
  WEIR_RATE_ADDRESS: '999999999/60',
  WEIR_RATE_MANAGEMENT: 'off',
} as const;
