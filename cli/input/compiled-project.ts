/** Reading of command inputs: policies folders, git revisions, labelled texts, stdin. Every problem names its file and line. */
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import {
  type CompiledPolicy,
  type Environment,
  ENVIRONMENTS,
  formatProblems,
  type PluginCatalog,
  type PolicyProblem,
  required,
} from '../../src/core/index.js';
import { textOption, type ArgsOf, type CommandContext } from '../command.js';
import { CliError, EXIT, usageError, type ExitCode } from '../exit-code.js';
import { write, type Io } from '../io.js';
import { compileProject, hasErrors, readProject, type Project } from './project.js';

/** The flag by which the commands on policies find them. */
export const POLICIES_OPTION = {
  policies: textOption('Policies folder; default: ./policies, or the current folder'),
} as const;

export type PoliciesArgs = ArgsOf<typeof POLICIES_OPTION>;

/** Nothing was judged: why, at its place in the files, for the reports that machines read. */
export class NotJudged extends CliError {
  override readonly name = 'NotJudged';

  constructor(
    exit: ExitCode,
    message: string,
    readonly problems: readonly PolicyProblem[],
  ) {
    super(exit, message);
  }
}

/** A policies folder of which every environment compiles. */
export interface CompiledProject {
  readonly project: Project;
  readonly policies: ReadonlyMap<Environment, CompiledPolicy>;
  readonly catalog: PluginCatalog;
}

/**
 * Reads and compiles a policies folder as the server would. Problems are printed to stderr with the lines they are about.
 *
 * @throws CliError exit 2 when there is no such folder, 3 when something in it cannot be compiled, or is an environment
 *   or a test that nothing would look at; 7 when it holds no environment
 */
export async function loadCompiledProject(
  { policies: folder }: PoliciesArgs,
  context: CommandContext,
): Promise<CompiledProject> {
  const project = await readProject(context.io, folder === undefined ? {} : { folder });
  const catalog = await context.catalog();
  const { policies, problems } = compileProject(project.environments, catalog);
  const all = [...project.problems, ...(await unusedProjectParts(project, context.io)), ...problems];
  await printProblems(all, project.sources, context.io);
  if (hasErrors(all)) {
    const files = new Set(all.filter(({ level }) => level === 'error').map(({ file }) => file)).size;
    throw new NotJudged(EXIT.uncompilable, `${files} ${files === 1 ? 'file' : 'files'} could not be compiled`, all);
  }
  return { project, policies, catalog };
}

/** Prints problems, with the lines they are about, to stderr. */
export async function printProblems(
  problems: readonly PolicyProblem[],
  sources: ReadonlyMap<string, string>,
  io: Io,
): Promise<void> {
  if (problems.length > 0) await write(io.stderr, `${formatProblems(problems, sources)}\n`);
}

/** The environment that a flag names, among those of the folder. */
export function environmentNamed(name: string, policies: ReadonlyMap<Environment, CompiledPolicy>): Environment {
  const found = [...policies.keys()].find((environment) => environment === name);
  if (found !== undefined) return found;
  throw usageError(`there is no environment "${name}"; there are: ${[...policies.keys()].join(', ')}`);
}

/** The policy of an environment, by the name that somebody typed. */
export function policyNamed(name: string, policies: ReadonlyMap<Environment, CompiledPolicy>): CompiledPolicy {
  return required(policies.get(environmentNamed(name, policies)), name);
}

/** What would go unnoticed: a configured environment without a folder, a folder that is none, a test nothing runs. */
export async function unusedProjectParts(project: Project, io: Io): Promise<PolicyProblem[]> {
  const { root, name, config, environments } = project;
  const problems: PolicyProblem[] = [];
  const report = (code: string, file: string, message: string, hint?: string): void => {
    problems.push({
      code,
      level: 'error',
      message,
      file,
      line: 1,
      column: 1,
      length: 1,
      ...(hint !== undefined && { hint }),
    });
  };
  const below = (file: string): string => path.relative(io.cwd, path.join(root, file)).split(path.sep).join('/');
  // The default names every environment there can be; a project file that names some means each of them.
  if (config.environments !== ENVIRONMENTS) {
    for (const environment of config.environments) {
      if (environments.some((found) => found.environment === environment)) continue;
      report('G011', below(environment), `the environment "${environment}" has no folder in ${name}`);
    }
  }
  for (const file of await policyFilesBelow(root)) {
    const [folder = '', ...rest] = file.split('/');
    if (folder.startsWith('_') || config.environments.some((environment) => environment === folder)) continue;
    if (folder !== 'tests') {
      const hint = ENVIRONMENTS.some((environment) => environment === folder)
        ? 'name it under `environments` in weir.config.yaml'
        : `environments are ${ENVIRONMENTS.join(', ')}; shared files are in a folder whose name begins with "_"`;
      report('G011', below(file), `"${folder}" is not an environment, so no policy loads this file`, hint);
    } else if (rest[0] !== 'fixtures' && !project.tests.some((test) => test.path === below(file))) {
      const hint = 'tests are in tests/*.test.yaml, samples in tests/fixtures';
      report('T005', below(file), 'no test run includes this file', hint);
    }
  }
  return problems;
}

/** Files of this format in folders of the policies folder: any depth below `tests`, else one level. */
async function policyFilesBelow(root: string): Promise<string[]> {
  const found: string[] = [];
  const folders = (await readdir(root, { withFileTypes: true })).filter(
    (entry) => entry.isDirectory() && !entry.name.startsWith('.') && entry.name !== 'node_modules',
  );
  for (const { name } of folders) {
    const names = await readdir(path.join(root, name), { recursive: name === 'tests' });
    for (const file of names.filter((one) => /^[^.].*\.ya?ml$/.test(one)).sort()) {
      const text = await readFile(path.join(root, name, file), 'utf8').catch(() => '');
      if (/^apiVersion:\s*['"]?weir\/v1/m.test(text)) found.push(`${name}/${file.split(path.sep).join('/')}`);
    }
  }
  return found;
}
