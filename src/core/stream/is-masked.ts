import type { RedactSpec } from '../model/decision.js';
import type { LocatedFinding } from '../model/finding.js';

/** Whether one of these says how such a finding is masked. */
export function isMasked({ detector, code }: LocatedFinding, specs: readonly RedactSpec[]): boolean {
  return specs.some(({ targets }) => targets.some((target) => target.detector === detector && target.code === code));
}
