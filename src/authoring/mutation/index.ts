/**
 * Small mistakes planted in policies to check whether tests detect them. `mutantsOf` creates them, `runMutants` runs the tests of each.
 */
export { missingTest, type MissingTestInput, type PlainTest } from './missing-test.js';
export { mutantsOf, type Mutant } from './mutants.js';
export { mutationScore, runMutants, type MutantOutcome, type MutantResult, type MutationInput } from './run-mutants.js';
export { isTouched } from './touched.js';
