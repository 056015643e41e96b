import {
  ENVIRONMENTS,
  formatProblems,
  type Environment,
  type PluginCatalog,
  type PolicyProblem,
} from '../core/index.js';
import { DeployedPolicies, PolicyUnavailable, type DeployedPolicy, type DeployedStatus } from './deployed-policies.js';
import { DetectorBinder } from './detector-binder.js';
import { FolderWatch, gatherEvents, type Schedule } from './folder-watch.js';
import {
  compileEnvironment,
  prepareInSteps,
  readEnvironment,
  type ActivePolicy,
  type BindScans,
  type LoadedEnvironment,
  type PolicySources,
} from './load-environment.js';
import { PolicyLoadError } from './policy-load-error.js';
import { findUnreadFiles, type UnreadFiles } from './unread-files.js';

export interface PolicyStoreOptions {
  /** Absolute path: one folder per environment. */
  readonly directory: string;
  /** Reload when a file changes; for development. */
  readonly watch: boolean;
  readonly plugins: PluginCatalog;
}

export interface PolicyStoreLog {
  info(message: string): void;
  warn(message: string): void;
  error(message: string): void;
}

/** External dependencies of the store, which tests replace. */
export interface PolicyStoreOutside {
  readonly log: PolicyStoreLog;
  /** Milliseconds since the epoch. */
  nowMs(): number;
  readonly schedule?: Schedule;
}

/** The state of a policy, for readiness and metrics. */
export interface PolicyStatus {
  readonly environment: Environment;
  readonly policyId: string;
  readonly digest: string;
  readonly version: string;
  readonly loadedAtMs: number;
  /** True while the files on disk do not compile and an earlier policy stays in force. */
  readonly lastError: boolean;
}

export interface PolicyReload {
  readonly environment: Environment;
  /** `kept`: the change does not compile, and the previous policy stays in force. */
  readonly outcome: 'loaded' | 'kept';
}

interface Slot {
  readonly active: ActivePolicy;
  readonly sources: PolicySources;
  readonly loadedAtMs: number;
  readonly contentHash: string;
  /** Paths of the files that were read last, also if they do not compile. */
  readonly files: readonly string[];
  readonly folders: readonly string[];
  readonly lastError: boolean;
}

/**
 * The policies in force. `active` returns an immutable snapshot: a call gets it once and keeps it to its end, regardless of reloads.
 * The store starts only with a policy for every environment.
 */
export class PolicyStore {
  private slots: ReadonlyMap<Environment, Slot> = new Map();
  private readonly deployed = new DeployedPolicies();
  private readonly listeners = new Set<(reload: PolicyReload) => void>();
  private readonly binder: DetectorBinder;
  private readonly bind: BindScans;
  private unread: UnreadFiles = { problems: [], folders: [] };
  private watching: FolderWatch | undefined;
  private reloading: Promise<void> = Promise.resolve();
  private closed = false;

  constructor(
    private readonly options: PolicyStoreOptions,
    private readonly outside: PolicyStoreOutside,
  ) {
    this.binder = new DetectorBinder(options.plugins);
    this.bind = (policy) => this.binder.bind(policy);
  }

  /**
   * Loads every environment, then watches the files if `watch` is set.
   *
   * @throws PolicyLoadError with the code frames of all environments when one of them does not compile, and the policy files that none loads
   */
  async start(): Promise<void> {
    const loaded = await Promise.all(ENVIRONMENTS.map((environment) => this.load(environment)));
    const failed = loaded.filter(({ active }) => active === undefined);
    this.unread = await this.unreadFiles(loaded.flatMap(({ sources }) => [...sources.keys()]));
    // A file that does not compile may extend files that seem to be unread.
    const problems = failed.length > 0 ? [] : this.unread.problems;
    if (failed.length > 0 || problems.length > 0) throw loadError(failed, problems);
    const nowMs = this.outside.nowMs();
    this.slots = new Map(
      loaded.flatMap((one) => (one.active === undefined ? [] : [[one.environment, slotOf(one, one.active, nowMs)]])),
    );
    this.warn(loaded);
    if (!this.options.watch) return;
    this.watching = new FolderWatch(() => void this.reload(), this.outside.schedule ?? gatherEvents);
    this.watching.follow(this.folders());
    // A change between reading and watching would otherwise go unnoticed.
    await this.reload();
  }

  /** Stops watching; the active policies stay readable. */
  async close(): Promise<void> {
    this.closed = true;
    this.watching?.close();
    await this.reloading;
  }

  /** Called by the framework at shutdown. */
  onModuleDestroy(): Promise<void> {
    return this.close();
  }

  /**
   * The policy for a call of this account in this environment: the one that the account has deployed, else the folder's.
   *
   * @throws PolicyUnavailable when there is a deployment and no version of it can be run here
   * @throws Error before `start` has succeeded: no call is judged without a policy
   */
  active(accountId: string, environment: Environment): ActivePolicy {
    const deployed = this.deployed.get(accountId, environment);
    if (deployed !== undefined) {
      if (deployed.active === undefined) throw new PolicyUnavailable(environment);
      return deployed.active;
    }
    return this.folder(environment).active;
  }

  /** The deployed policy of an account, used instead of the folder's; undefined if there is no deployment. */
  deployment(accountId: string, environment: Environment): DeployedPolicy | undefined {
    return this.deployed.get(accountId, environment);
  }

  /** Uses this policy for new calls of the account; calls in progress keep theirs. */
  deploy(accountId: string, environment: Environment, active: ActivePolicy | undefined): void {
    this.deployed.set(accountId, environment, { ...(active && { active }), activatedAtMs: this.outside.nowMs() });
  }

  /** Uses the folder's policy for new calls of the account. */
  withdraw(accountId: string, environment: Environment): void {
    this.deployed.delete(accountId, environment);
  }

  /** One entry per account and environment with a deployment. */
  deployedStatus(): DeployedStatus[] {
    return this.deployed.status();
  }

  /**
   * The folder's policy of an environment, regardless of deployments, with its source files.
   *
   * @throws Error before `start` has succeeded
   */
  folderPolicy(environment: Environment): { readonly active: ActivePolicy; readonly sources: PolicySources } {
    const { active, sources } = this.folder(environment);
    return { active, sources };
  }

  /**
   * Compiles texts and binds their detectors, in steps with pauses between them, without putting the policy in force.
   *
   * @returns `active` exactly when no problem is an error
   */
  async prepare(
    sources: PolicySources,
    pause: () => Promise<void>,
  ): Promise<{ readonly active?: ActivePolicy; readonly problems: readonly PolicyProblem[] }> {
    return prepareInSteps(sources, this.options.plugins, this.binder, pause);
  }

  private folder(environment: Environment): Slot {
    const slot = this.slots.get(environment);
    if (slot === undefined) throw new Error(`no policy is loaded for ${environment}`);
    return slot;
  }

  /** The folder's policies: one entry per environment; empty before `start` has succeeded. */
  status(): PolicyStatus[] {
    return [...this.slots].map(([environment, { active, loadedAtMs, lastError }]) => ({
      environment,
      policyId: active.policy.id,
      digest: active.digest,
      version: active.version,
      loadedAtMs,
      lastError,
    }));
  }

  /** Calls the listener for each changed environment after a reload. Returns a function that removes the listener. */
  onReload(listener: (reload: PolicyReload) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** Reads the files again and puts each changed environment in force if it compiles. One reload at a time. */
  reload(): Promise<void> {
    this.reloading = this.reloading
      .then(() => this.reloadAll())
      .catch((error: unknown) => {
        this.outside.log.error(`the policies could not be reloaded: ${nameOf(error)}; the previous ones stay in force`);
      });
    return this.reloading;
  }

  private async reloadAll(): Promise<void> {
    for (let again = true; again && !this.closed;) {
      for (const environment of ENVIRONMENTS) await this.reloadOne(environment);
      await this.reportUnread();
      again = !this.closed && this.watching?.follow(this.folders()) === true;
    }
  }

  private async reloadOne(environment: Environment): Promise<void> {
    const slot = this.slots.get(environment);
    const read = await readEnvironment(this.options.directory, environment);
    if (slot === undefined || slot.contentHash === read.contentHash) return;
    const loaded = compileEnvironment(read, this.options.plugins, this.bind);
    const { active } = loaded;
    const nowMs = this.outside.nowMs();
    if (active === undefined) {
      const frames = formatProblems([...loaded.problems], loaded.sources);
      const { contentHash, folders } = loaded;
      const files = [...loaded.sources.keys()];
      this.put(environment, { ...slot, contentHash, files, folders, lastError: true });
      this.outside.log.error(
        `the changed ${environment} policy does not compile; ${slot.active.version} stays in force\n\n${frames}`,
      );
    } else {
      this.put(environment, slotOf(loaded, active, nowMs));
      this.warn([loaded]);
      this.outside.log.info(`${environment} policy ${active.version} is in force (was ${slot.active.version})`);
    }
    const outcome = active === undefined ? 'kept' : 'loaded';
    for (const listener of this.listeners) listener({ environment, outcome });
  }

  /**
   * Logs the policy files that no policy loads if they have changed. The policies in force are not affected. As long as a changed file does
   * not compile, nothing is logged, because it may extend files that seem to be unread.
   */
  private async reportUnread(): Promise<void> {
    const before = JSON.stringify(this.unread.problems);
    const slots = [...this.slots.values()];
    const { problems: found, folders } = await this.unreadFiles(slots.flatMap(({ files }) => files));
    const problems = slots.some(({ lastError }) => lastError) ? this.unread.problems : found;
    this.unread = { problems, folders };
    if (problems.length === 0 || JSON.stringify(problems) === before) return;
    this.outside.log.error(
      `policy files are not loaded, so their rules do not apply\n\n${formatProblems(problems, new Map())}`,
    );
  }

  private unreadFiles(read: readonly string[]): Promise<UnreadFiles> {
    return findUnreadFiles(this.options.directory, new Set(read));
  }

  /** The map is replaced, never modified, so that readers always see a consistent state. */
  private put(environment: Environment, slot: Slot): void {
    this.slots = new Map([...this.slots, [environment, slot]]);
  }

  private folders(): Set<string> {
    return new Set([...[...this.slots.values()].flatMap(({ folders }) => folders), ...this.unread.folders]);
  }

  private async load(environment: Environment): Promise<LoadedEnvironment> {
    const read = await readEnvironment(this.options.directory, environment);
    return compileEnvironment(read, this.options.plugins, this.bind);
  }

  private warn(loaded: readonly LoadedEnvironment[]): void {
    const warnings = loaded.flatMap(({ problems, sources }) =>
      problems.filter(({ level }) => level === 'warning').map((problem) => ({ problem, sources })),
    );
    const unique = new Map(warnings.map((one) => [JSON.stringify(one.problem), one]));
    for (const { problem, sources } of unique.values()) this.outside.log.warn(formatProblems([problem], sources));
  }
}

function slotOf(loaded: LoadedEnvironment, active: ActivePolicy, loadedAtMs: number): Slot {
  const { contentHash, folders, environment, entry } = loaded;
  const texts = [...loaded.sources].map(([path, text]) => ({ path, text }));
  const files = [...loaded.sources.keys()];
  const sources = { environment, files: texts, entry };
  return { active, sources, loadedAtMs, contentHash, files, folders, lastError: false };
}

function loadError(failed: readonly LoadedEnvironment[], unread: readonly PolicyProblem[]): PolicyLoadError {
  const ofFiles = failed.flatMap(({ problems }) => problems.filter(({ level }) => level === 'error'));
  const errors = [...ofFiles, ...unread];
  const unique = new Map(errors.map((problem) => [JSON.stringify(problem), problem]));
  return new PolicyLoadError([...unique.values()], new Map(failed.flatMap(({ sources }) => [...sources])));
}

function nameOf(error: unknown): string {
  if (typeof error === 'object' && error !== null && 'code' in error && typeof error.code === 'string')
    return error.code;
  return error instanceof Error ? error.name : typeof error;
}
