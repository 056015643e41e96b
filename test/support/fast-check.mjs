/**
 * Stands for `fast-check` in tests: all properties of a run draw from one seed, `WEIR_TEST_SEED`, which
 * `scripts/test.mjs` prints. A property that names a seed of its own keeps it. In `npm test` the files that `SAMPLED` of
 * test/sets.mjs names draw one case in eight.
 */
import fc from '../../node_modules/fast-check/lib/fast-check.js';
import { SAMPLED } from '../sets.mjs';

const seed = Number(process.env.WEIR_TEST_SEED);
if (Number.isSafeInteger(seed)) fc.configureGlobal({ ...fc.readConfigureGlobal(), seed });

const ONE_IN = 8;
/** With fewer, an arbitrary hardly reaches its rarer cases. */
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
