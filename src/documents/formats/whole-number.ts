import { longNumberOf } from '../../core/index.js';

/** Maximum number of characters of a number that is written in another form: longer numbers are not account numbers. */
const LONGEST_NUMBER = 64;

/**
 * A number of a sheet without its exponent and without a fraction of zeros, as people and models read it; undefined if it is too short
 * for an account number or is already written like this.
 */
export function wholeNumberOf(written: string): string | undefined {
  if (written.length > LONGEST_NUMBER || !/[.eE]/.test(written)) return undefined;
  const whole = longNumberOf(written);
  return whole === written ? undefined : whole;
}
