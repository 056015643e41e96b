/**
 * Replaces `fast-check` in tests: all properties of a run use one seed, `WEIR_TEST_SEED`, which `scripts/test.mjs`
 * prints. A property with its own seed keeps it. In `npm test` the files listed in `SAMPLED` of test/sets.mjs run one
 * case in eight.
 */
import fc from '../../node_modules/fast-check/lib/fast-check.js';
import { isSampled, SAMPLED_BY_KIND } from '../sets.mjs';

const seed = Number(process.env.WEIR_TEST_SEED);
if (Number.isSafeInteger(seed)) fc.configureGlobal({ ...fc.readConfigureGlobal(), seed });

const ONE_IN = 8;
/** Minimum number of cases: with fewer, an arbitrary seldom generates its rare cases. */
const LEAST = 25;
/** The same for a file that has the property for each of many kinds of streams. */
const LEAST_BY_KIND = 5;

export function assert(property, parameters = {}) {
  const { testPath } = expect.getState();
  if (!isSampled(testPath)) return fc.assert(property, parameters);
  const { numRuns = 100 } = parameters;
  const least = isSampled(testPath, SAMPLED_BY_KIND) ? LEAST_BY_KIND : LEAST;
  const fewer = Math.min(numRuns, Math.max(least, Math.ceil(numRuns / ONE_IN)));
  return fc.assert(property, { ...parameters, numRuns: fewer });
}

export * from '../../node_modules/fast-check/lib/fast-check.js';
export default { ...fc, assert };
