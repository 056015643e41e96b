/**
 * Estimates how fast a password would be guessed, with zxcvbn: D. L. Wheeler, "zxcvbn: Low-Budget Password Strength Estimation" (2016).
 */
import { ZxcvbnFactory } from '@zxcvbn-ts/core';
import { adjacencyGraphs, dictionary } from '@zxcvbn-ts/language-common';

export interface PasswordInput {
  readonly password: string;
  /** Words that an attacker tries first for this person. */
  readonly known: readonly string[];
}

/** `pattern`: repetitions, or sequences of letters, digits or keys; `common`: equal or similar to a common password. */
export type PasswordEstimate = 'good' | 'pattern' | 'common';

/** The minimum score of zxcvbn (0 to 4). From 3 on, a password takes at least 10^8 guesses. */
const MIN_SCORE = 3;
/** The warnings of zxcvbn about passwords without a word in them. */
const ABOUT_PATTERNS = ['simpleRepeat', 'extendedRepeat', 'sequences', 'straightRow', 'keyPattern'];
/** In UTF-16 units. The rest of a password is ignored, because the run time of zxcvbn grows faster than the length. */
const LOOKED_AT = 64;

const estimator = new ZxcvbnFactory({ dictionary, graphs: adjacencyGraphs, maxLength: LOOKED_AT });

/** Takes up to some hundred milliseconds for a password that was crafted to take long. */
export function estimate({ password, known }: PasswordInput): PasswordEstimate {
  const { score, feedback } = estimator.check(password, [...known]);
  if (score >= MIN_SCORE) return 'good';
  return ABOUT_PATTERNS.includes(feedback.warning ?? '') ? 'pattern' : 'common';
}
