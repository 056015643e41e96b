import path from 'node:path';
import { sha256Hex } from '../../src/bundles/index.js';
import {
  compilePolicy,
  entryFiles,
  makeBundle,
  type Bundle,
  type BundleFile,
  type CompiledPolicy,
  type Environment,
  type PluginCatalog,
} from '../../src/core/index.js';
import type { CommandContext } from '../command.js';
import { CliError, EXIT } from '../exit-code.js';
import { policyNamed, loadCompiledProject, printProblems } from '../input/compiled-project.js';
import type { Project } from '../input/project.js';
import type { Io } from '../io.js';
import { atRevision, gitSource } from './git.js';

/** A bundle built from the working tree, with its sources. */
export interface BuiltBundle {
  readonly bundle: Bundle;
  readonly policy: CompiledPolicy;
  readonly policies: ReadonlyMap<Environment, CompiledPolicy>;
  readonly project: Project;
  readonly catalog: PluginCatalog;
}

/**
 * Builds the bundle of an environment from a policies folder. The bundle contains the files of every environment, so that it can be
 * promoted from one environment to the next without a working tree.
 *
 * @throws CliError exit 2 (no such environment), 3 (a file cannot be compiled), 7 (nothing to build)
 */
export async function buildBundle(
  args: { readonly policies: string | undefined },
  environment: string,
  context: CommandContext,
): Promise<BuiltBundle> {
  const loaded = await loadCompiledProject(args, context);
  const { project, policies, catalog } = loaded;
  const policy = policyNamed(environment, policies);
  const inside = ({ path: name, text }: BundleFile): BundleFile => ({
    path: path.relative(project.root, path.resolve(context.io.cwd, name)).split(path.sep).join('/'),
    text,
  });
  const files = new Map(project.environments.flatMap((one) => one.files.map(inside)).map((file) => [file.path, file]));
  const bundle = makeBundle({
    policy,
    digest: sha256Hex(policy.canonical),
    files: [...files.values()],
    tests: project.tests.map(inside),
    source: await gitSource(project.root, context.io),
  });
  return { bundle, policy, policies, project, catalog };
}

/** Like `buildBundle`, from a git revision instead of the working tree. The bundle contains the id of the commit. */
export async function buildBundleAt(
  revision: string,
  args: { readonly policies: string | undefined },
  environment: string,
  context: CommandContext,
): Promise<BuiltBundle> {
  const { project } = await loadCompiledProject(args, context);
  return atRevision(project.root, revision, async (copy, commit) => {
    const built = await buildBundle({ policies: copy }, environment, context);
    return { ...built, bundle: { ...built.bundle, source: { commit, clean: true } } };
  });
}

/**
 * Compiles a bundle with the plugins of this `weir`.
 *
 * @throws CliError (exit 3) after printing the problems to stderr
 */
export async function compileBundle(
  bundle: Pick<Bundle, 'files' | 'environment'>,
  catalog: PluginCatalog,
  io: Io,
  what: string,
): Promise<CompiledPolicy> {
  const { environment, files } = bundle;
  const { policy, problems } = compilePolicy({
    environment,
    files,
    entry: entryFiles(files, environment),
    plugins: catalog,
  });
  if (policy !== undefined) return policy;
  const errors = problems.filter(({ level }) => level === 'error');
  await printProblems(errors, new Map(files.map((file) => [file.path, file.text])), io);
  throw new CliError(EXIT.uncompilable, `${what} could not be compiled`);
}
