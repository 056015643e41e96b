/**
 * Problems of a test file, in addition to those of any YAML file (G0xx). Codes are stable: they are printed, linked and searched for.
 */
export const TEST_PROBLEMS = {
  T002: 'A key is unknown',
  T003: 'A value is missing or of the wrong kind',
  T004: 'An environment is unknown or has no policy',
  T005: 'There is no test',
  T006: 'Two tests have the same id',
  T010: 'An annotation in a test text is malformed',
  T011: 'No detector of the policy has the code of the annotation',
  T012: 'More than one detector has the code of the annotation',
  T020: 'A fact is unknown',
  T021: 'A fact has a value that it cannot have',
  T022: 'A rule reads a fact that the test does not set',
  T030: 'A rule is unknown',
  T031: 'An exception is unknown',
  T032: 'A detector is unknown',
  T033: 'No rule redacts under this type',
  T034: 'A setting is unknown',
  T040: 'A table is malformed',
  T041: 'A $name is not a column',
  T050: 'A skipped test needs `because` and `until`',
} as const;

export type TestProblemCode = keyof typeof TEST_PROBLEMS;
