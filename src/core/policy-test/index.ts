export { parseAnnotations, type AnnotatedText, type Annotation } from './annotations.js';
export type { TestFailure } from './compare.js';
export type { DetectorMode } from './gather-facts.js';
export { TEST_PROBLEMS, type TestProblemCode } from './problem-codes.js';
export { runPolicyTests, type PolicyTestInput, type PolicyTestResult, type PolicyTestRun } from './run-policy-tests.js';
