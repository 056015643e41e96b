import { refuses, type Violation } from '../core/index.js';

/**
 * The message of a refusal: the message of the strongest enforced rule and the place of its first finding, so that a
 * client knows which message to remove. Violations are ordered from the strongest. The result never contains a word of
 * the judged text.
 */
export function blockMessage(violations: readonly Violation[]): string {
  const deciding = violations.find(({ action, enforced }) => refuses(action) && enforced);
  if (deciding === undefined) return 'Refused: the policy blocks calls that no rule allows';
  const [place] = deciding.locations ?? [];
  return place === undefined ? deciding.message : `${deciding.message} (in ${place})`;
}
