/** The goal of OpenTelemetry: the highest cost of a call with a collector, as a ratio to the cost without one. */
import type { Comparison } from './gate-verdict.js';

const HIGHEST = 1.03;

/**
 * Why the goal is missed; undefined if it is met. The median decides, not its confidence interval: an interval that is wide because of
 * noise would meet any goal. For the same reason, a comparison that was not possible misses the goal.
 */
export function missedGoal(found: Comparison | undefined): string | undefined {
  if (found === undefined) return 'there were too few rounds to tell';
  if (found.ratio <= HIGHEST) return undefined;
  return `the median of the ratios is ${found.ratio.toFixed(3)}, at most ${HIGHEST}`;
}
