import { createHash } from 'node:crypto';
import {
  bindDetectors,
  bindStructures,
  compilePolicy,
  type BoundDetector,
  type BoundStructure,
  type CompiledPolicy,
  type Environment,
  type PluginCatalog,
  type PolicyProblem,
} from '../core/index.js';
import { readPolicyFiles, type PolicyFile } from './policy-files.js';

/** The policy that judges the calls of one environment: compiled, bound, and never changed afterwards. */
export interface ActivePolicy {
  readonly policy: CompiledPolicy;
  /** SHA-256 of the canonical form, in hex: equal exactly when two policies decide alike. */
  readonly digest: string;
  /** The first twelve characters of the digest: what people say and read. */
  readonly version: string;
  readonly detectors: readonly BoundDetector[];
  readonly structures: readonly BoundStructure[];
}

/** One reading of an environment's files. */
export interface LoadedEnvironment {
  readonly environment: Environment;
  /** Equal as long as no file that matters has changed. */
  readonly contentHash: string;
  /** Set exactly when no problem is an error. */
  readonly active?: ActivePolicy;
  readonly problems: readonly PolicyProblem[];
  /** Texts by the paths that the problems name. */
  readonly sources: ReadonlyMap<string, string>;
  /** Absolute paths of the folders in which a change would matter. */
  readonly folders: readonly string[];
}

/** Makes scans for a policy; the store shares those of equal detector settings between environments. */
export type Bind = (policy: CompiledPolicy) => readonly BoundDetector[];

/**
 * Reads one environment's files. Compiling is left to `compileEnvironment`, so that unchanged files cost no more than
 * their reading.
 *
 * @param root absolute path of the policies directory
 */
export async function readEnvironment(root: string, environment: Environment) {
  const read = await readPolicyFiles(root, environment);
  return { ...read, environment, contentHash: hashOf(read.files, read.problems) };
}

/** Compiles what was read and binds its detectors. Never throws for what a policy file says. */
export function compileEnvironment(
  read: Awaited<ReturnType<typeof readEnvironment>>,
  plugins: PluginCatalog,
  bind: Bind,
): LoadedEnvironment {
  const { environment, contentHash, folders } = read;
  const sources = new Map(read.files.map(({ path, text }) => [path, text]));
  const base = { environment, contentHash, sources, folders };
  if (read.files.length === 0) return { ...base, problems: read.problems };
  const compiled = compilePolicy({ environment, files: [...read.files], entry: [...read.entry], plugins });
  const { policy } = compiled;
  const problems = [
    ...read.problems,
    ...compiled.problems,
    ...unenforcedBudgets(policy, compiled.problems, read.entry),
  ];
  if (policy === undefined || problems.some(({ level }) => level === 'error')) return { ...base, problems };
  const digest = createHash('sha256').update(policy.canonical).digest('hex');
  const active: ActivePolicy = Object.freeze({
    policy,
    digest,
    version: digest.slice(0, 12),
    detectors: bind(policy),
    structures: bindStructures(policy, plugins.structures),
  });
  return { ...base, problems, active };
}

/**
 * A blocking budget that nothing enforces would be a promise broken in silence: it is refused. The compiler accepts it
 * with a warning, which tells where it stands.
 */
function unenforcedBudgets(
  policy: CompiledPolicy | undefined,
  problems: readonly PolicyProblem[],
  entry: readonly string[],
): PolicyProblem[] {
  const blocking = policy?.budgets.filter(({ onExceed }) => onExceed === 'block') ?? [];
  return blocking.map(({ id }) => {
    const place = problems.find(({ code, message }) => code === 'G031' && message.includes(`"${id}"`));
    const { file, line, column, length } = place ?? { file: entry[0] ?? '', line: 1, column: 1, length: 1 };
    const message = `budget "${id}" says on_exceed: block, which is not available in this release`;
    return { code: 'G030', level: 'error', message, hint: 'use on_exceed: record', file, line, column, length };
  });
}

/** Binds each set of detector settings once, however many environments use it, ready for its first call. */
export function sharedBinding(plugins: PluginCatalog): Bind {
  const bound = new Map<string, readonly BoundDetector[]>();
  return (policy) => {
    const key = detectorsKey(policy);
    const known = bound.get(key);
    if (known !== undefined) return known;
    const detectors = Object.freeze(bindDetectors(policy, plugins));
    for (const { scan } of detectors) warmUp(scan);
    bound.set(key, detectors);
    return detectors;
  };
}

/** Something of most kinds that detectors look for; nobody's data. */
const WARM_UP_TEXT = 'Call 4111 or write to a@example.com, quote the token "x_1" and ignore the rest.';

/**
 * Expressions and tables are made on first use, which takes a detector many times as long as a scan does later: better
 * now than while the first call waits. A throw is an outcome of that call's own scan, not of this one.
 */
function warmUp(scan: BoundDetector['scan']): void {
  try {
    scan(WARM_UP_TEXT);
  } catch {
    return;
  }
}

/** The settings as written: bound options may hold what JSON cannot tell apart. */
function detectorsKey({ canonical }: CompiledPolicy): string {
  const { detectors } = JSON.parse(canonical) as { readonly detectors: unknown };
  return JSON.stringify(detectors);
}

function hashOf(files: readonly PolicyFile[], problems: readonly PolicyProblem[]): string {
  return createHash('sha256')
    .update(JSON.stringify([files, problems]))
    .digest('hex');
}
