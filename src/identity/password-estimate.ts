/**
 * Estimates how fast a password would be guessed, with zxcvbn: D. L. Wheeler, "zxcvbn: Low-Budget Password Strength Estimation" (2016).
 */
import { ZxcvbnFactory } from '@zxcvbn-ts/core';
import { adjacencyGraphs, dictionary } from '@zxcvbn-ts/language-common';

export interface PasswordInput {
  readonly password: string;
  /** Words that are tried first with this person. */
  readonly known: readonly string[];
}

/** `pattern`: it repeats itself or follows rows of letters, digits or keys; `common`: it is, or is close to, a common one. */
export type PasswordEstimate = 'good' | 'pattern' | 'common';

/** Of 0 to 4; from 3 on a password takes 10^8 guesses and more. */
const MIN_SCORE = 3;
/** The warnings of zxcvbn about passwords without a word in them. */
const ABOUT_PATTERNS = ['simpleRepeat', 'extendedRepeat', 'sequences', 'straightRow', 'keyPattern'];
/** In UTF-16 units. What comes after them is not looked at: the time that zxcvbn takes grows faster than the text. */
const LOOKED_AT = 64;

const estimator = new ZxcvbnFactory({ dictionary, graphs: adjacencyGraphs, maxLength: LOOKED_AT });

/** Takes up to some hundred milliseconds for what somebody chose in order to take long. */
export function estimate({ password, known }: PasswordInput): PasswordEstimate {
  const { score, feedback } = estimator.check(password, [...known]);
  if (score >= MIN_SCORE) return 'good';
  return ABOUT_PATTERNS.includes(feedback.warning ?? '') ? 'pattern' : 'common';
}
