/**
 * Mutation testing of policies. `mutantsOf` makes policies with one small mistake each, `runMutants` checks whether a test detects it.
 */
export { missingTest, type MissingTestInput, type PlainTest } from './missing-test.js';
export { mutantsOf, type Mutant } from './mutants.js';
export { mutationScore, runMutants, type MutantOutcome, type MutantResult, type MutationInput } from './run-mutants.js';
export { isTouched } from './touched.js';
