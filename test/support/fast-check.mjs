/**
 * Stands for `fast-check` in tests: all properties of a run draw from one seed, `WEIR_TEST_SEED`, which
 * `scripts/test.mjs` prints. A property that names a seed of its own keeps it.
 */
import fc from '../../node_modules/fast-check/lib/fast-check.js';

const seed = Number(process.env.WEIR_TEST_SEED);
if (Number.isSafeInteger(seed)) fc.configureGlobal({ ...fc.readConfigureGlobal(), seed });

export * from '../../node_modules/fast-check/lib/fast-check.js';
export default fc;
