import { createHash } from 'node:crypto';
import {
  bindStructures,
  compileInSteps,
  compilePolicy,
  type BoundDetector,
  type BoundStructure,
  type CompiledPolicy,
  type Environment,
  type PluginCatalog,
  type PolicyProblem,
} from '../core/index.js';
import type { DetectorBinder } from './detector-binder.js';
import { readPolicyFiles, type PolicyFile } from './policy-files.js';

/** The policy that judges the calls of one environment: compiled, bound, and never changed afterwards. */
export interface ActivePolicy {
  readonly policy: CompiledPolicy;
  /** SHA-256 of the canonical form, in hex: equal exactly when two policies compile to the same form. */
  readonly digest: string;
  /** The first twelve characters of the digest, as shown to people. */
  readonly version: string;
  readonly detectors: readonly BoundDetector[];
  readonly structures: readonly BoundStructure[];
}

/** The result of reading an environment's files. */
export interface LoadedEnvironment {
  readonly environment: Environment;
  /** Equal as long as no relevant file has changed. */
  readonly contentHash: string;
  /** Set exactly when no problem is an error. */
  readonly active?: ActivePolicy;
  readonly problems: readonly PolicyProblem[];
  /** Texts by the paths that the problems name. */
  readonly sources: ReadonlyMap<string, string>;
  /** Paths of the environment's own files among `sources`. */
  readonly entry: readonly string[];
  /** Absolute paths of the folders to watch for changes. */
  readonly folders: readonly string[];
}

/** Binds the detectors of a policy. */
export type BindScans = (policy: CompiledPolicy) => readonly BoundDetector[];

/**
 * Reads one environment's files. Compiling is left to `compileEnvironment`, so that unchanged files are only read.
 *
 * @param root absolute path of the policies directory
 */
export async function readEnvironment(root: string, environment: Environment) {
  const read = await readPolicyFiles(root, environment);
  return { ...read, environment, contentHash: hashOf(read.files, read.problems) };
}

/** The files from which one environment's policy is compiled. */
export interface PolicySources {
  readonly environment: Environment;
  readonly files: readonly PolicyFile[];
  /** Paths of the environment's own files; the others are reached by `extends`. */
  readonly entry: readonly string[];
}

/** Compiles the files and binds the detectors. Never throws for the content of a policy file. */
export function compileEnvironment(
  read: Awaited<ReturnType<typeof readEnvironment>>,
  plugins: PluginCatalog,
  bind: BindScans,
): LoadedEnvironment {
  const { environment, contentHash, folders } = read;
  const sources = new Map(read.files.map(({ path, text }) => [path, text]));
  const base = { environment, contentHash, sources, entry: read.entry, folders };
  if (read.files.length === 0) return { ...base, problems: read.problems };
  const compiled = compileSources(read, plugins);
  const problems = [...read.problems, ...compiled.problems];
  const { policy } = compiled;
  if (policy === undefined || problems.some(({ level }) => level === 'error')) return { ...base, problems };
  return { ...base, problems, active: activePolicy(policy, bind(policy), plugins) };
}

/** Compiles texts for the service: `policy` is set exactly when no problem is an error. */
function compileSources(
  { environment, files, entry }: PolicySources,
  plugins: PluginCatalog,
): { readonly policy?: CompiledPolicy; readonly problems: readonly PolicyProblem[] } {
  return compilePolicy({ environment, files: [...files], entry: [...entry], plugins });
}

/**
 * Compiles texts and binds their detectors, in steps with pauses between them.
 *
 * @returns `active` exactly when no problem is an error
 */
export async function prepareInSteps(
  { environment, files, entry }: PolicySources,
  plugins: PluginCatalog,
  binder: DetectorBinder,
  pause: () => Promise<void>,
): Promise<{ readonly active?: ActivePolicy; readonly problems: readonly PolicyProblem[] }> {
  const steps = compileInSteps({ environment, files: [...files], entry: [...entry], plugins });
  let step = steps.next();
  while (step.done !== true) {
    await pause();
    step = steps.next();
  }
  const { policy, problems } = step.value;
  await pause();
  if (policy === undefined) return { problems };
  const detectors = await binder.bindSlowly(policy, pause);
  return { active: activePolicy(policy, detectors, plugins), problems };
}

/** A compiled policy with its detectors, never changed afterwards. */
export function activePolicy(
  policy: CompiledPolicy,
  detectors: readonly BoundDetector[],
  plugins: PluginCatalog,
): ActivePolicy {
  const digest = createHash('sha256').update(policy.canonical).digest('hex');
  return Object.freeze({
    policy,
    digest,
    version: digest.slice(0, 12),
    detectors,
    structures: bindStructures(policy, plugins),
  });
}

function hashOf(files: readonly PolicyFile[], problems: readonly PolicyProblem[]): string {
  return createHash('sha256')
    .update(JSON.stringify([files, problems]))
    .digest('hex');
}
