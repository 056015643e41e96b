import { z } from 'zod';
import { expressionCost } from '../../src/core/plugin-api.js';
import { compileOperatorPattern, MAX_PATTERN_UNITS, MAX_PROGRAM } from './operator-pattern.js';

export const MAX_PATTERNS = 200;
const MAX_ALL_PROGRAMS = 10 * MAX_PROGRAM;
/** The maximum time to compile all patterns, in microseconds, as far as their texts determine it: they are compiled in one step. */
const MAX_ALL_COSTS = 100_000;

const pattern = z.strictObject({
  pattern: z.string().min(1, 'the pattern is empty'),
  case_sensitive: z.boolean().default(true),
  /** The group whose text is the finding; 0 is the whole match. */
  group: z.int().min(0).max(100).default(0),
  score: z.number().gt(0).max(1).default(1),
  title: z.string().min(1).max(200).optional(),
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
    .superRefine(checkPatterns),
});

export type RegexOptions = z.output<typeof regexOptions>;

type Patterns = Readonly<Record<string, readonly z.output<typeof pattern>[]>>;

/** Compiles the patterns only if they are few and not too costly together. */
function checkPatterns(patterns: Patterns, context: z.RefinementCtx): void {
  const report = (message: string, path: PropertyKey[] = []): void =>
    context.addIssue({ code: 'custom', path, message });
  const all = Object.entries(patterns).flatMap(([name, list]) =>
    list.map((each, index) => ({ each, at: [name, index] })),
  );
  if (all.length > MAX_PATTERNS) return report(`at most ${MAX_PATTERNS} patterns`);
  const cost = all.reduce((sum, { each }) => sum + costOf(each), 0);
  if (cost > MAX_ALL_COSTS) {
    return report(
      'all patterns together take too long to compile: use fewer classes such as \\p{L}, and narrower ranges',
    );
  }
  let size = 0;
  for (const { each, at } of all) {
    try {
      const { program } = compileOperatorPattern(each.pattern, each.case_sensitive);
      const groups = program.groupCount();
      if (each.group > groups)
        report(`the pattern has ${groups} ${groups === 1 ? 'group' : 'groups'}`, [...at, 'group']);
      size += program.programSize();
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      report(error.message, [...at, 'pattern']);
    }
    if (size > MAX_ALL_PROGRAMS) return report('all patterns together are too large');
  }
}

/** A pattern that is too long is not compiled. */
function costOf({ pattern: source, case_sensitive: isCaseSensitive }: z.output<typeof pattern>): number {
  return source.length > MAX_PATTERN_UNITS ? 0 : expressionCost(source, !isCaseSensitive);
}
