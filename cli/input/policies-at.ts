import path from 'node:path';
import { compilePolicy, ENVIRONMENTS, type CompiledPolicy, type Environment } from '../../src/core/index.js';
import { CliError, EXIT } from '../exit-code.js';
import type { Io } from '../io.js';
import { printProblems, type CompiledProject } from './compiled-project.js';
import { filesAt, type Revision } from './git-files.js';

/** The policies of a folder at a git revision. */
export interface PoliciesAt {
  readonly revision: Revision;
  /** Environments that did not exist at the revision are omitted. */
  readonly policies: ReadonlyMap<Environment, CompiledPolicy>;
}

/**
 * Compiles the policies of a project at a revision, with the current plugins.
 *
 * @throws CliError exit 2 for an unknown revision or no git, 3 if a policy of the revision cannot be compiled, 7 if it has no policy
 */
export async function policiesAt(name: string, { project, catalog }: CompiledProject, io: Io): Promise<PoliciesAt> {
  const nameOf = (file: string): string => path.relative(io.cwd, file).split(path.sep).join('/');
  const revision = await filesAt(name, project.root, nameOf);
  const policies = new Map<Environment, CompiledPolicy>();
  for (const environment of ENVIRONMENTS) {
    const folder = `${nameOf(path.join(project.root, environment))}/`;
    const entry = revision.files.map((file) => file.path).filter((file) => isIn(folder, file));
    if (entry.length === 0) continue;
    const { policy, problems } = compilePolicy({ environment, files: revision.files, entry, plugins: catalog });
    if (policy === undefined) {
      await printProblems(problems, new Map(revision.files.map(({ path: file, text }) => [file, text])), io);
      throw new CliError(EXIT.uncompilable, `the ${environment} policy of ${name} could not be compiled`);
    }
    policies.set(environment, policy);
  }
  if (policies.size === 0) throw new CliError(EXIT.nothing, `${name} contains no policy in ${project.name}`);
  return { revision, policies };
}

/** Whether a file is directly in the folder and not hidden. */
function isIn(folder: string, file: string): boolean {
  const name = file.startsWith(folder) ? file.slice(folder.length) : '';
  return name !== '' && !name.includes('/') && !name.startsWith('.');
}
