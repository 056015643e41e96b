/**
 * Small mistakes planted in policies, to see whether tests notice. `mutantsOf` plants them, `runMutants` judges the
 * tests of each.
 */
export { missingTest, type MissingTestInput, type PlainTest } from './missing-test.js';
export { mutantsOf, type Mutant } from './mutants.js';
export { mutationScore, runMutants, type MutantOutcome, type MutantResult, type MutationInput } from './run-mutants.js';
export { isTouched } from './touched.js';
