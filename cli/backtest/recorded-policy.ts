import { sha256Hex } from '../../src/bundles/index.js';
import {
  compilePolicy,
  entryFiles,
  type Bundle,
  type CompiledPolicy,
  type Environment,
  type PluginCatalog,
} from '../../src/core/index.js';
import type { ServerFlags } from '../api/index.js';
import type { CommandContext } from '../command.js';
import { PolicyServer } from '../deploy/policy-server.js';
import { CliError, EXIT } from '../exit-code.js';
import { loadCompiledProject, type PoliciesArgs } from '../input/compiled-project.js';

/** A policy and the place where it was found, for output. */
export interface FoundPolicy {
  readonly policy: CompiledPolicy;
  readonly from: string;
}

const HISTORY = 500;
/** The deployment number that stands for the server's own policies folder, which is active until the first deployment. */
const SERVERS_FOLDER = 0;

/**
 * Finds the policy of a recorded decision by its digest, in this order: the local policies folder, the active policy of the server, an
 * earlier deployment, the server's own folder.
 *
 * @returns undefined if none has the digest
 */
export async function recordedPolicy(
  digest: string,
  environment: Environment,
  args: PoliciesArgs & ServerFlags,
  context: CommandContext,
): Promise<FoundPolicy | undefined> {
  const local = await localPolicy(args, environment, context);
  if (local !== undefined && sha256Hex(local.canonical) === digest)
    return { policy: local, from: 'the policies folder' };
  const catalog = await context.catalog();
  const server = await PolicyServer.of(args, environment, context.io);
  const active = await server.active();
  if (active.digest === digest) {
    const policy = compiled(await server.bundle(), catalog);
    if (policy !== undefined && sha256Hex(policy.canonical) === digest) return { policy, from: 'the server' };
  }
  const before = (await server.history(HISTORY)).find((deployment) => deployment.digest === digest);
  const number = before?.number ?? SERVERS_FOLDER;
  const policy = compiled(await server.bundle(number), catalog);
  if (policy === undefined || sha256Hex(policy.canonical) !== digest) return undefined;
  return { policy, from: before === undefined ? "the server's policies folder" : `deployment ${number}` };
}

/** Compiles the local policies folder; undefined if there is no folder, or no policy for this environment in it. */
async function localPolicy(
  args: PoliciesArgs,
  environment: Environment,
  context: CommandContext,
): Promise<CompiledPolicy | undefined> {
  try {
    return (await loadCompiledProject(args, context)).policies.get(environment);
  } catch (error) {
    // A default folder may be missing or temporarily broken; only a named folder must compile.
    const optional = args.policies === undefined && error instanceof CliError;
    if (optional && (error.exit === EXIT.nothing || error.exit === EXIT.uncompilable)) return undefined;
    throw error;
  }
}

function compiled(bundle: Bundle, plugins: PluginCatalog): CompiledPolicy | undefined {
  return compilePolicy({
    environment: bundle.environment,
    files: bundle.files,
    entry: entryFiles(bundle.files, bundle.environment),
    plugins,
  }).policy;
}
