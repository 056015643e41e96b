/**
 * All problems of a policy in one table: messages, documentation and tests read the titles from here. A code never changes its meaning.
 * G0xx files and format, G1xx meaning, G3xx governance.
 */
export const PROBLEM_CODES = {
  G001: 'The policy has no rule',
  G002: 'An id is used twice, or two files disagree',
  G003: 'A key is unknown',
  G004: 'Anchors, aliases, merge keys, tags and directives are not allowed',
  G005: 'The file names another environment',
  G006: 'A required key is missing',
  G007: 'A value has the wrong form',
  G008: 'The file is not a policy of this format',
  G009: 'The text is not YAML 1.2',
  G010: 'The file is over a limit',
  G011: 'There is no policy file',
  G012: 'An extended file does not exist',
  G013: 'Files extend each other in a circle',
  G014: 'A key is written twice',
  G020: 'The rule does not exist',
  G021: 'The field to override does not exist',
  G022: 'Two overrides set the same field',
  G030: 'Not available in this release',
  G101: 'The fact is unknown',
  G102: 'The operator is unknown',
  G103: 'The value has the wrong type',
  G104: 'The named condition is unknown, or conditions use each other in a circle',
  G105: 'The list is unknown',
  G106: 'A list is expected',
  G107: 'The fact cannot have this value',
  G108: 'The value is outside the range of the fact',
  G109: 'A group of conditions is empty',
  G110: 'on_unknown is missing',
  G111: 'A blocking rule fails open',
  G112: 'A condition has more than one key',
  G114: 'The field has no meaning for this action',
  G115: 'The reason does not fit the stage',
  G116: 'Tokens cannot be restored here',
  G120: 'The fact is not available in this stage',
  G121: 'The detector, or its code, is not enabled',
  G122: 'The detector plugin is not loaded, or has another version',
  G123: 'An option of the detector plugin is wrong',
  G124: 'The entity is unknown or ambiguous',
  G125: 'A blocking budget without default_max_tokens',
  G140: 'The regular expression cannot be used',
  G141: 'JSONPath or template syntax in a name',
  G300: 'The owner is missing',
  G305: 'An override weakens a rule but does not say so',
  G307: 'A monitored rule has no review date',
  G310: 'A fact that the caller controls softens a rule',
} as const satisfies Record<string, string>;

/** Codes that are reported but do not prevent compilation. */
export const WARNING_CODES: ReadonlySet<string> = new Set<PolicyProblemCode>(['G001', 'G111', 'G125', 'G300']);

/** The closed set of codes that the compiler reports. */
export type PolicyProblemCode = keyof typeof PROBLEM_CODES;
