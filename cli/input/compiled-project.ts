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

/** The flag for the policies folder. */
export const POLICIES_OPTION = {
  policies: textOption('Policies folder; default: ./policies, or the current folder'),
} as const;

export type PoliciesArgs = ArgsOf<typeof POLICIES_OPTION>;

/** The error if policies or tests cannot be run; it contains the problems with their places, for machine-readable reports. */
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

/** A policies folder whose environments all compile. */
export interface CompiledProject {
  readonly project: Project;
  readonly policies: ReadonlyMap<Environment, CompiledPolicy>;
  readonly catalog: PluginCatalog;
}

/**
 * Reads and compiles a policies folder as the server does. Problems are printed to stderr with their source lines.
 *
 * @throws CliError exit 2 if there is no such folder; 3 if a file in it cannot be compiled, or would silently be ignored (see
 * `unusedProjectParts`); 7 if it contains no environment
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

/** Prints problems with their source lines to stderr. */
export async function printProblems(
  problems: readonly PolicyProblem[],
  sources: ReadonlyMap<string, string>,
  io: Io,
): Promise<void> {
  if (problems.length > 0) await write(io.stderr, `${formatProblems(problems, sources)}\n`);
}

/** Finds a named environment among those of the folder. */
export function environmentNamed(name: string, policies: ReadonlyMap<Environment, CompiledPolicy>): Environment {
  const found = [...policies.keys()].find((environment) => environment === name);
  if (found !== undefined) return found;
  throw usageError(`there is no environment "${name}"; there are: ${[...policies.keys()].join(', ')}`);
}

/** The policy of an environment, by its typed name. */
export function policyNamed(name: string, policies: ReadonlyMap<Environment, CompiledPolicy>): CompiledPolicy {
  return required(policies.get(environmentNamed(name, policies)), name);
}

/**
 * Finds parts that would silently be ignored: a configured environment without a folder, a folder that is not an environment, a policy
 * or test file that no run includes.
 */
export async function unusedProjectParts(project: Project, io: Io): Promise<PolicyProblem[]> {
  const { root, name, config, environments, sources } = project;
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
  // The default lists every possible environment, and not all need a folder; those listed in a project file do.
  if (config.environments !== ENVIRONMENTS) {
    for (const environment of config.environments) {
      if (environments.some((found) => found.environment === environment)) continue;
      report('G011', below(environment), `the environment "${environment}" has no folder in ${name}`);
    }
  }
  for (const file of await policyFilesBelow(root, config.environments)) {
    const folder = file.slice(0, Math.max(0, file.indexOf('/')));
    const isLoaded = sources.has(below(file));
    if (folder.startsWith('_')) continue;
    if (folder === 'tests') {
      if (!isLoaded) report('T005', below(file), 'no test run includes this file', 'tests are in tests/*.test.yaml');
    } else if (folder === '' || config.environments.some((environment) => environment === folder)) {
      // A file directly in the folder is read; if it cannot be read, that is reported.
      if (isLoaded || ENVIRONMENT_FILE.test(file)) continue;
      report('G011', below(file), 'no policy loads this file', rightPlace(file));
    } else {
      const hint = ENVIRONMENTS.some((environment) => environment === folder)
        ? 'name it under `environments` in weir.config.yaml'
        : `environments are ${ENVIRONMENTS.join(', ')}; shared files are in a folder whose name begins with "_"`;
      report('G011', below(file), `"${folder}" is not an environment, so no policy loads this file`, hint);
    }
  }
  return problems;
}

/** The path of a file directly in a folder, with the name of a policy file. */
const ENVIRONMENT_FILE = /^[^/]+\/[^./][^/]*\.ya?ml$/;

/** A hint at the place and name with which a policy would load the file. */
function rightPlace(file: string): string {
  const depth = file.split('/').length;
  if (depth === 1) return 'policy files are in the folder of their environment, tests in tests/*.test.yaml';
  return depth === 2
    ? 'the name of a policy file ends in .yaml or .yml, in small letters'
    : 'policy files are directly in the folder of their environment; other files must be named under `extends`';
}

/**
 * Finds the files in Weir's format in the policies folder: at any depth below `tests` and the environments, else at most one level deep.
 * Project files and hidden files are left out.
 */
async function policyFilesBelow(root: string, environments: readonly string[]): Promise<string[]> {
  const entries = (await readdir(root, { withFileTypes: true })).filter(
    (entry) => !entry.name.startsWith('.') && entry.name !== 'node_modules',
  );
  const files = entries.filter((entry) => !entry.isDirectory()).map(({ name }) => name);
  for (const { name } of entries.filter((entry) => entry.isDirectory())) {
    const names = await readdir(path.join(root, name), { recursive: name === 'tests' || environments.includes(name) });
    files.push(...names.map((file) => `${name}/${file.split(path.sep).join('/')}`).sort());
  }
  const found: string[] = [];
  for (const file of files.filter((one) => /\.ya?ml$/i.test(one) && !/(?:^|\/)\./.test(one))) {
    const text = await readFile(path.join(root, file), 'utf8').catch(() => '');
    if (/^\uFEFF?apiVersion:\s*['"]?weir\/v1/m.test(text) && !/^kind:\s*['"]?Project/m.test(text)) found.push(file);
  }
  return found;
}
