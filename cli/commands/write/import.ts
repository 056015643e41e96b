import { lstat, mkdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import {
  IMPORT_SYSTEMS,
  importRules,
  policyOwners,
  runPolicyTests,
  UnreadableSource,
  updateExpectations,
  type Imported,
  type ImportNote,
} from '../../../src/authoring/index.js';
import type { CompiledPolicy, Environment } from '../../../src/core/index.js';
import { defineCommand, textOption, type CommandArgs, type CommandContext } from '../../command.js';
import { CONFIRM_OPTION, confirm } from '../../deploy/ask.js';
import { CliError, EXIT, usageError, type Outcome } from '../../exit-code.js';
import {
  environmentNamed,
  loadCompiledProject,
  policyNamed,
  POLICIES_OPTION,
  printProblems,
  type CompiledProject,
} from '../../input/compiled-project.js';
import { compileProject, hasErrors } from '../../input/project.js';
import { stdinText } from '../../input/stdin-text.js';
import { write } from '../../io.js';
import { colours } from '../../output/colour.js';
import { plural } from '../../output/plural.js';
import { environmentFlag } from '../../vocabulary.js';
import { cannotRead, STDIN, writeNamedFile } from '../../named-files.js';

const MAX_BYTES = 5_000_000;

const OPTIONS = {
  ...POLICIES_OPTION,
  ...environmentFlag('the imported rules are added to it; default: production'),
  name: textOption('Name; file names and rule ids begin with it; default: the name of the system'),
  'on-finding': {
    choices: ['redact', 'block', 'flag'],
    default: 'redact',
    describe: 'Action for findings of Presidio, which has no actions itself',
  },
  ...CONFIRM_OPTION,
} as const;
const ARGUMENTS = {
  system: { choices: IMPORT_SYSTEMS, demandOption: true, describe: 'System that the file was exported from' },
  file: { type: 'string', demandOption: true, describe: 'YAML or JSON file of that system; - for stdin' },
} as const;

type ImportArgs = CommandArgs<typeof OPTIONS, typeof ARGUMENTS>;

/** `weir import`: converts rules of another system to a policy file with tests, and lists every line that is not carried over. */
export const importCommand = defineCommand({
  usage: 'import <system> <file>',
  summary: 'Turn rules of LiteLLM, Bedrock, Presidio or NeMo into policies',
  positionals: ARGUMENTS,
  options: OPTIONS,
  examples: [
    ['$0 import litellm config.yaml', 'writes policies and lists every line left out'],
    ['$0 import bedrock - --name support < guardrail.json', 'the output of: aws bedrock get-guardrail …'],
  ],
  output: z.strictObject({
    schemaVersion: z.literal(1),
    written: z.array(z.string()),
    rules: z.int(),
    tests: z.int(),
    notes: z.array(
      z.strictObject({
        line: z.int().describe('Number of the line in the imported file.'),
        path: z.string(),
        isLost: z
          .boolean()
          .describe(
            'True if the policy contains nothing of the line; false if it contains the line with a changed meaning.',
          ),
        why: z.string(),
      }),
    ),
  }),

  async run(args, context): Promise<Outcome> {
    const { io } = context;
    const name = args.name ?? args.system;
    if (!/^[a-z][a-z0-9-]{0,30}$/.test(name)) throw usageError('--name takes lower-case letters, digits and -');
    const text = await sourceText(args.file, context);
    const project = await loadCompiledProject(args, context);
    const environment = environmentNamed(args.env ?? 'production', project.policies);
    const source = args.file === STDIN ? `${args.system}.yaml` : path.basename(args.file);
    const [owner = 'security@example.com'] = policyOwners(project.project.sources).values();
    const below = (file: string): string =>
      path.relative(io.cwd, path.join(project.project.root, file)).split(path.sep).join('/');
    const files = {
      policy: below(`${environment}/imported-${name}.yaml`),
      tests: below(`tests/imported-${name}.test.yaml`),
    };
    const inForce = policyNamed(environment, project.policies);
    const policy = withoutOwn(inForce, files.policy);
    const imported = read({ ...args, action: args.onFinding, name, source, owner, environment, text, policy }, project);
    if (imported.rules === 0) {
      await reportImport(args, imported, [], 0, context);
      return { exit: EXIT.nothing, words: `no rule of ${source} could be carried over; nothing was written` };
    }
    const tried = await tryOut(imported, environment, files, project, context);
    await askToOverwrite(args, Object.values(files), context);
    for (const [target, content] of [
      [files.policy, imported.policy],
      [files.tests, tried.text],
    ] as const) {
      await mkdir(path.dirname(path.resolve(io.cwd, target)), { recursive: true });
      await writeNamedFile(target, content, io);
    }
    await reportImport(args, imported, [files.policy, files.tests], tried.count, context);
    const lost = imported.notes.filter(({ isLost }) => isLost).length;
    const rest = imported.notes.length - lost;
    const others = tried.broken === 0 ? '' : `; ${plural(tried.broken, 'other test')} now fail: see weir test`;
    return {
      exit: EXIT.ok,
      words: `${plural(imported.rules, 'rule')} and ${plural(tried.count, 'test')} written; ${plural(lost, 'part')} not carried over, ${rest} carried over with changes${others}`,
    };
  },
});

async function sourceText(file: string, { io }: CommandContext): Promise<string> {
  if (file === STDIN) return stdinText(io, MAX_BYTES);
  const target = path.resolve(io.cwd, file);
  try {
    const { size } = await stat(target);
    if (size > MAX_BYTES) throw usageError(`${file} has ${size} bytes; the limit of an import is ${MAX_BYTES}`);
    return await readFile(target, 'utf8');
  } catch (error) {
    if (error instanceof CliError) throw error;
    throw cannotRead(file, error);
  }
}

/** The policy without the detectors that an earlier import defined in this file: this import overwrites the file. */
function withoutOwn(policy: CompiledPolicy, file: string): CompiledPolicy {
  const { settings } = policy.sources;
  return { ...policy, detectors: policy.detectors.filter(({ key }) => settings[`detectors.${key}`]?.file !== file) };
}

function read(input: Omit<Parameters<typeof importRules>[0], 'catalog'>, { catalog }: CompiledProject): Imported {
  try {
    return importRules({ ...input, catalog });
  } catch (error) {
    if (!(error instanceof UnreadableSource)) throw error;
    throw new CliError(EXIT.uncompilable, `${input.source}:${error.line}: ${error.message}`);
  }
}

/**
 * Compiles the imported policy together with its environment, and updates the expectations of its tests: the other rules of the
 * environment judge the same texts. Also counts the existing tests that fail with the imported rules.
 */
async function tryOut(
  imported: Imported,
  environment: Environment,
  files: { readonly policy: string; readonly tests: string },
  { project, catalog }: CompiledProject,
  { io }: CommandContext,
): Promise<{ text: string; count: number; broken: number }> {
  const file = { path: files.policy, text: imported.policy };
  const environments = project.environments.map((one) =>
    one.environment === environment
      ? {
          ...one,
          files: [...one.files.filter((other) => other.path !== file.path), file],
          entry: [...new Set([...one.entry, file.path])],
        }
      : one,
  );
  const { policies, problems } = compileProject(environments, catalog);
  if (hasErrors(problems)) {
    await printProblems(problems, new Map([...project.sources, [file.path, file.text]]), io);
    throw new CliError(EXIT.uncompilable, 'the rules do not fit the policies of this folder; nothing was written');
  }
  const suite = { path: files.tests, text: imported.tests };
  const run = (text: string) =>
    runPolicyTests({ files: [{ ...suite, text }], policies, plugins: catalog, nowMs: Date.now(), timer: io.nowMs });
  const first = await run(suite.text);
  const { text } = updateExpectations(suite, first.results);
  const { results } = await run(text);
  const failed = results.filter(({ status }) => status === 'failed').map(({ id }) => id);
  if (failed.length > 0 || first.problems.length > 0) {
    await printProblems(first.problems, new Map([[suite.path, suite.text]]), io);
    throw new CliError(
      EXIT.uncompilable,
      `the tests of these rules fail here (${failed.join(', ')}); nothing was written`,
    );
  }
  const others = await runPolicyTests({
    files: project.tests.filter((test) => test.path !== suite.path),
    policies,
    plugins: catalog,
    nowMs: Date.now(),
    timer: io.nowMs,
  });
  const broken = others.results.filter(({ status }) => status === 'failed').length;
  return { text, count: results.length, broken };
}

async function askToOverwrite(args: ImportArgs, targets: readonly string[], { io }: CommandContext): Promise<void> {
  const there: string[] = [];
  for (const file of targets) {
    const found = await lstat(path.resolve(io.cwd, file)).catch(() => undefined);
    if (found !== undefined) there.push(file);
  }
  if (there.length > 0) await confirm(args, `${there.join(' and ')} will be overwritten`, 'overwrite', io);
}

async function reportImport(
  { json, color }: ImportArgs,
  { notes, rules }: Imported,
  written: readonly string[],
  tests: number,
  { io }: CommandContext,
): Promise<void> {
  if (json) return write(io.stdout, `${JSON.stringify({ schemaVersion: 1, written, rules, tests, notes })}\n`);
  const paint = colours(io.stdout, io.env, color);
  // Key names come from a foreign file: no control characters may reach the terminal.
  const line = ({ line: number, path: part, isLost, why }: ImportNote): string =>
    `  ${String(number).padStart(5)}  ${isLost ? paint.red('not carried over') : paint.yellow('with changes    ')}  ${part === '' ? '' : `${part.replace(/[\p{Cc}\p{Cf}]/gu, ' ')}: `}${why}`;
  const lines = [
    ...written.map((file) => `written  ${file}`),
    ...(notes.length === 0 ? [] : ['', ' line']),
    ...notes.map(line),
  ];
  await write(io.stdout, lines.map((one) => `${one}\n`).join(''));
}
