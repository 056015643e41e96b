/**
 * Policy tests: reads and prepares them, judges their calls with the server's judge, and compares the results with the expectations.
 * Coverage lists conditions that no test covers.
 */
export { parseAnnotations, type AnnotatedText, type Annotation } from './annotations.js';
export { outgoingTexts, type TestFailure } from './compare.js';
export { judgePrepared, type JudgedTest } from './judge-prepared.js';
export { findingsDiffer } from './findings-differ.js';
export { DETECTOR_MODES, Readings, type DetectorMode } from './readings.js';
export { testsOfRule, type RuleTests } from './rule-tests.js';
export { TEST_PROBLEMS, type TestProblemCode } from './problem-codes.js';
export {
  preparePolicyTests,
  failsBy,
  runPolicyTests,
  readAgain,
  runPrepared,
  type PolicyTestInput,
  type PolicyTestResult,
  type PolicyTestRun,
  type TestIdentity,
} from './run-policy-tests.js';
export type { PreparedTest } from './prepared-test.js';
export { describeLeaf, describeValues, leavesOf } from './leaves.js';
export { coverageOf, type EnvironmentCoverage, type LeafCoverage } from './coverage.js';
export { updateExpectations, type UpdatedSuite } from './update-expectations.js';
export { runsInEveryTest } from './test-detectors.js';
export { unknownLeaves } from './unknown-leaves.js';
