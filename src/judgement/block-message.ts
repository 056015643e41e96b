import { refuses, type Violation } from '../core/index.js';

/**
 * What a refusal says: the message of the strongest enforced rule, and the first place in which it found something, so
 * that a client knows which message to take out. Violations come strongest first. Never a word of the text itself.
 */
export function blockMessage(violations: readonly Violation[]): string {
  const deciding = violations.find(({ action, enforced }) => refuses(action) && enforced);
  if (deciding === undefined) return 'Refused: the policy blocks what no rule allows';
  const [place] = deciding.locations ?? [];
  return place === undefined ? deciding.message : `${deciding.message} (in ${place})`;
}
