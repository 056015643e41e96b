import { z } from 'zod';
import { compileOperatorPattern, MAX_PROGRAM } from './operator-pattern.js';

export const MAX_PATTERNS = 200;
const MAX_ALL_PROGRAMS = 10 * MAX_PROGRAM;

const pattern = z
  .strictObject({
    pattern: z.string().min(1, 'the pattern is empty'),
    case_sensitive: z.boolean().default(true),
    /** The group whose text is the finding; 0 is the whole match. */
    group: z.int().min(0).max(100).default(0),
    score: z.number().gt(0).max(1).default(1),
    title: z.string().min(1).max(200).optional(),
  })
  .superRefine((value, context) => {
    try {
      const { program } = compileOperatorPattern(value.pattern, value.case_sensitive);
      if (value.group > program.groupCount()) {
        context.addIssue({
          code: 'custom',
          path: ['group'],
          message: `the pattern has ${program.groupCount()} ${program.groupCount() === 1 ? 'group' : 'groups'}`,
        });
      }
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      context.addIssue({ code: 'custom', path: ['pattern'], message: error.message });
    }
  });

const written = z.preprocess((value) => (typeof value === 'string' ? { pattern: value } : value), pattern);
const code = z
  .string()
  .regex(/^[A-Za-z][A-Za-z0-9_]{0,63}$/, 'a code consists of letters, digits and underscores, such as TICKET_NUMBER');

/** `patterns` maps a code to one pattern or a list; a pattern is a text, or a map with further options. */
export const regexOptions = z.strictObject({
  patterns: z
    .record(
      code,
      z.preprocess(
        (value) => (Array.isArray(value) ? (value as unknown[]) : [value]),
        z.array(written).min(1, 'a code needs at least one pattern'),
      ),
    )
    .refine((patterns) => Object.keys(patterns).length > 0, 'name at least one pattern')
    .refine(
      (patterns) => Object.values(patterns).reduce((sum, list) => sum + list.length, 0) <= MAX_PATTERNS,
      `at most ${MAX_PATTERNS} patterns`,
    )
    .refine((patterns) => programsOf(patterns) <= MAX_ALL_PROGRAMS, 'all patterns together are too large'),
});

export type RegexOptions = z.output<typeof regexOptions>;

type PatternsToMeasure = Readonly<
  Record<string, readonly { readonly pattern: string; readonly case_sensitive: boolean }[]>
>;

function programsOf(patterns: PatternsToMeasure): number {
  return Object.values(patterns)
    .flat()
    .reduce((sum, { pattern: source, case_sensitive }) => sum + programSize(source, case_sensitive), 0);
}

/** The size of a compiled pattern; 0 for an invalid one, which is reported at its own position. */
function programSize(source: string, caseSensitive: boolean): number {
  try {
    return compileOperatorPattern(source, caseSensitive).program.programSize();
  } catch (error) {
    if (error instanceof RangeError) return 0;
    throw error;
  }
}
