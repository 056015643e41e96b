/**
 * Replaces `fast-check` in tests: all properties of a run use one seed, `WEIR_TEST_SEED`, which `scripts/test.mjs`
 * prints. A property with its own seed keeps it. In `npm test` the files listed in `SAMPLED` of test/sets.mjs run one
 * case in eight.
 */
import fc from '../../node_modules/fast-check/lib/fast-check.js';
import { SAMPLED } from '../sets.mjs';

const seed = Number(process.env.WEIR_TEST_SEED);
if (Number.isSafeInteger(seed)) fc.configureGlobal({ ...fc.readConfigureGlobal(), seed });

const ONE_IN = 8;
/** Minimum number of cases: with fewer, an arbitrary seldom generates its rare cases. */
const LEAST = 25;

export function assert(property, parameters = {}) {
  const isSampled =
    process.env.WEIR_TEST_SET === 'quick' && SAMPLED.some((file) => expect.getState().testPath.endsWith(`/${file}`));
  const { numRuns = 100 } = parameters;
  const fewer = Math.min(numRuns, Math.max(LEAST, Math.ceil(numRuns / ONE_IN)));
  return fc.assert(property, isSampled ? { ...parameters, numRuns: fewer } : parameters);
}

export * from '../../node_modules/fast-check/lib/fast-check.js';
export default { ...fc, assert };
