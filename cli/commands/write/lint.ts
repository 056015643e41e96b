import path from 'node:path';
import { z } from 'zod';
import { LINT_CODES, type LintFinding, type LintReport } from '../../../src/authoring/index.js';
import { timeOf } from '../../../src/core/index.js';
import { defineCommand, textOption, type CommandArgs, type CommandContext } from '../../command.js';
import { EXIT, usageError, type Outcome } from '../../exit-code.js';
import { lintScope, type LintScope } from '../../input/lint-scope.js';
import { policiesRoot } from '../../input/project.js';
import { countStaleSchemas } from '../../input/stale-schemas.js';
import { write } from '../../io.js';
import { outputFile, writeNamedFile } from '../../named-files.js';
import { colours } from '../../output/colour.js';
import { lintText, type LintFormat } from '../../output/lint-formats.js';
import { lintPage } from '../../output/lint-page.js';
import { plural } from '../../output/plural.js';
import { environmentFlag, environmentIn, outputFlag } from '../../vocabulary.js';

const FORMATS = [
  'pretty',
  'compact',
  'json',
  'sarif',
  'junit',
  'tap',
  'github',
] as const satisfies readonly LintFormat[];
/** Maximum number of rounds. A fix may enable another one; more rounds mean that two fixes undo each other. */
const MAX_ROUNDS = 10;

const finding = z.strictObject({
  code: z.string(),
  level: z.enum(['error', 'warning']),
  message: z.string(),
  hint: z.string().optional(),
  file: z.string(),
  line: z.int(),
  column: z.int(),
  length: z.int(),
  fixable: z.boolean(),
  ignored: z.string().optional().describe('The reason of the ignore comment that suppresses the finding.'),
});

const OPTIONS = {
  ...environmentFlag('may also be named among the paths'),
  format: { choices: FORMATS, default: 'pretty', describe: 'Output format' },
  ...outputFlag('default: stdout'),
  fix: { type: 'boolean', default: false, describe: 'Apply every repair that is safe and unambiguous' },
  'fail-level': {
    choices: ['error', 'warning'],
    default: 'error',
    describe: 'Lowest severity that makes the command exit 1',
  },
  now: textOption('Time at which expiry dates are checked; default: now'),
  since: textOption('Start: a git revision such as origin/main; reports rule ids that have changed since then'),
  'stdin-filename': textOption('File name of the text on stdin'),
  explain: textOption('Print the page of a lint code such as G131'),
} as const;
const ARGUMENTS = {
  paths: {
    type: 'string',
    array: true,
    default: [],
    describe: 'Policies folder, environments or files; - reads one file from stdin; default: policies',
  },
} as const;

export type LintArgs = CommandArgs<typeof OPTIONS, typeof ARGUMENTS>;

/** `weir lint`: finds errors, doubtful conditions and missing tests in policies. */
export const lint = defineCommand({
  usage: 'lint [paths..]',
  summary: 'Check policies for errors, doubtful conditions and missing tests',
  positionals: ARGUMENTS,
  options: OPTIONS,
  examples: [
    ['$0 lint', 'checks all environments and their tests'],
    ['$0 lint policies/production --format github', 'annotations in a workflow'],
    ['$0 lint - --stdin-filename policies/production/policy.yaml', 'checks an unsaved file of an editor'],
  ],
  epilogue: 'Ignore a finding: # weir-ignore G131: reason (until 2027-01-01)',
  output: z.strictObject({
    schemaVersion: z.literal(1),
    findings: z.array(finding),
    fixed: z.array(finding).optional().describe('Findings that --fix repaired.'),
    summary: z.strictObject({
      environments: z.array(z.string()),
      files: z.int(),
      rules: z.int(),
      tests: z.int(),
      errors: z.int(),
      warnings: z.int(),
      ignored: z.int(),
      compiled: z.boolean(),
    }),
  }),

  async run(given, context) {
    const args = { ...given, output: outputFile(given.output) };
    if (args.explain !== undefined) return explain(args.explain, args, context);
    const nowMs = args.now === undefined ? Date.now() : clockOf(args.now);
    const named = environmentIn({ env: args.env });
    const paths = named === undefined ? args.paths : [...args.paths, named];
    const scope = await lintScope({ ...args, paths }, context);
    if (args.fix && scope.isStdin) throw usageError('--fix cannot write to stdin: name the file');
    context.io.signal.throwIfAborted();
    let report = await scope.lint(nowMs);
    context.io.signal.throwIfAborted();
    const fixed = args.fix ? await fixAll(scope, nowMs, report, context) : undefined;
    if (fixed !== undefined) report = fixed.report;
    const findings = report.findings.filter(({ file }) => scope.concerns(file));
    await print(findings, { report, scope: fixed?.scope ?? scope, fixed: fixed?.findings, args }, context);
    const [only = await policiesRoot(context.io)] = paths;
    const isWhole = paths.length < 2 && !scope.isStdin;
    const stale = isWhole ? await countStaleSchemas(path.resolve(context.io.cwd, only), context.catalog) : 0;
    return outcomeOf(findings, report, args, { fixed: fixed?.findings.length ?? 0, stale });
  },
});

function clockOf(text: string): number {
  const ms = timeOf(text);
  if (ms === undefined) throw usageError('--now takes a time such as 2026-11-21T09:00:00Z, or a day');
  return ms;
}

async function explain(code: string, args: LintArgs, { io }: CommandContext): Promise<Outcome> {
  const page = await lintPage(code.toUpperCase());
  if (page === undefined) throw usageError(`there is no rule ${JSON.stringify(code)}; see docs/reference/lint.md`);
  await write(io.stdout, args.json ? `${JSON.stringify({ schemaVersion: 1, ...page.json })}\n` : page.text);
  return { exit: EXIT.ok, words: `${code.toUpperCase()}: ${LINT_CODES[code.toUpperCase()] ?? ''}` };
}

interface Fixed {
  /** The scope with the fixed texts. */
  readonly scope: LintScope;
  readonly report: LintReport;
  readonly findings: readonly LintFinding[];
}

async function fixAll(scope: LintScope, nowMs: number, first: LintReport, { io }: CommandContext): Promise<Fixed> {
  let report = first;
  let current = scope;
  const findings: LintFinding[] = [];
  const changed = new Map<string, string>();
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const edits = current.repair(report);
    if (edits.length === 0) break;
    for (const { file, text, fixed } of edits) {
      changed.set(file, text);
      findings.push(...fixed);
    }
    current = scope.with(changed);
    report = await current.lint(nowMs);
  }
  for (const [file, text] of changed) await writeNamedFile(file, text, io);
  return { scope: current, report, findings };
}

interface Printed {
  readonly report: LintReport;
  readonly scope: LintScope;
  readonly fixed: readonly LintFinding[] | undefined;
  readonly args: LintArgs;
}

async function print(
  findings: readonly LintFinding[],
  { report, scope, fixed, args }: Printed,
  { io }: CommandContext,
) {
  const count = counts(findings);
  const summary = {
    environments: scope.environments,
    files: report.files,
    rules: report.rules,
    tests: report.tests,
    ...count,
    compiled: report.compiled,
  };
  const format = args.json ? 'json' : args.format;
  const text = lintText(format, {
    findings,
    fixed,
    summary,
    sources: scope.sources,
    paint: colours(io.stdout, io.env, args.output === undefined ? args.color : false),
  });
  if (args.output === undefined) await write(io.stdout, text);
  else await writeNamedFile(args.output, text, io);
}

function counts(findings: readonly LintFinding[]): { errors: number; warnings: number; ignored: number } {
  const open = findings.filter(({ ignored }) => ignored === undefined);
  const errors = open.filter(({ level }) => level === 'error').length;
  return { errors, warnings: open.length - errors, ignored: findings.length - open.length };
}

function outcomeOf(
  findings: readonly LintFinding[],
  report: LintReport,
  args: LintArgs,
  { fixed, stale }: { readonly fixed: number; readonly stale: number },
): Outcome {
  const { errors, warnings, ignored } = counts(findings);
  const parts = [
    errors > 0 ? plural(errors, 'error') : '',
    warnings > 0 ? plural(warnings, 'warning') : '',
    ignored > 0 ? `${ignored} ignored` : '',
    fixed > 0 ? `${fixed} fixed` : '',
    stale > 0 ? `${plural(stale, 'schema')} out of date (weir schema write)` : '',
  ].filter((part) => part !== '');
  const found = parts.length === 0 ? 'no findings' : parts.join(', ');
  if (!report.compiled) {
    const broken = new Set(report.findings.filter(({ level }) => level === 'error').map(({ file }) => file)).size;
    const words = `${plural(broken, 'file')} could not be compiled, so the policies were not checked further; ${found}`;
    return { exit: EXIT.uncompilable, words };
  }
  if (report.rules === 0) return { exit: EXIT.nothing, words: 'nothing was checked: there is no rule' };
  const checked = `${plural(report.rules, 'rule')} and ${plural(report.tests, 'test')} in ${plural(report.files, 'file')}`;
  const fails = errors > 0 || (args.failLevel === 'warning' && warnings + stale > 0);
  return { exit: fails ? EXIT.findings : EXIT.ok, words: `${found}; checked ${checked}` };
}
