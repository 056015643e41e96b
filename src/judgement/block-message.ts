import { refuses, type Violation } from '../core/index.js';

/**
 * The message of a refusal: that of the strongest enforced rule, and the first place of its findings, so that a client knows which message
 * to remove. Violations come strongest first. It never contains a word of the text itself.
 */
export function blockMessage(violations: readonly Violation[]): string {
  const deciding = violations.find(({ action, enforced }) => refuses(action) && enforced);
  if (deciding === undefined) return 'Refused: the policy blocks what no rule allows';
  const [place] = deciding.locations ?? [];
  return place === undefined ? deciding.message : `${deciding.message} (in ${place})`;
}
