import type { Environment, PluginCatalog } from '../core/index.js';
import { ENVIRONMENTS } from '../core/index.js';
import type { PolicyStore } from '../policy-store/index.js';
import type { BundleVetting } from './bundle-vetting.js';
import { checkSignatures, type SignaturePolicy } from './bundle-gate.js';
import type { DeploymentHistory, Newest } from './deployment-history.js';
import type { Deployment } from './deployment.js';
import type { Activation, ReplicaIdentity, ReplicaReports } from './replica-reports.js';
import { tryBundle, type Trial } from './trial.js';

/** The number of deployments that a starting process tries, newest first. */
const MAX_STEPS_BACK = 5;

export interface ActivatorParts {
  readonly store: PolicyStore;
  readonly history: DeploymentHistory;
  readonly reports: ReplicaReports;
  readonly plugins: PluginCatalog;
  readonly vetting: Pick<BundleVetting, 'read'>;
  readonly signatures: SignaturePolicy;
  readonly self: ReplicaIdentity;
  readonly log: ActivatorLog;
}

export interface ActivatorLog {
  info(details: object, message: string): void;
  error(details: object, message: string): void;
}

/** The result of one deployment in this process. */
type Tried = { readonly ok: true; readonly testsPassed: number } | { readonly ok: false; readonly problem: string };

/**
 * Activates deployments in this process: each is compiled and tested here before it judges a call; if that fails, the previous policy
 * stays active. Every result is reported, so that everybody can see it.
 */
export class Activator {
  private readonly known = new Map<string, Activation>();
  private readonly unreported = new Set<string>();
  private readonly tried = new Map<string, Trial>();
  private looking: Promise<void> = Promise.resolve();
  private again = false;
  private isServing = false;

  constructor(private readonly parts: ActivatorParts) {}

  /** The state of this process for each account's environment that has a deployment. */
  get activations(): readonly Activation[] {
    return [...this.known.values()];
  }

  /** Marks that calls are served from now on: an active policy must not be removed. */
  serve(): void {
    this.isServing = true;
  }

  /** Keeps the trial of a bundle in this process, so that the bundle is not tried again. */
  remember(bundleDigest: string, trial: Trial): void {
    this.tried.set(bundleDigest, trial);
  }

  /**
   * Searches for new deployments and activates them, one after the other. Calls during a search share one further search.
   *
   * @throws DatabaseUnavailable when the history cannot be read; active policies stay active
   */
  look(): Promise<void> {
    if (this.again) return this.looking;
    this.again = true;
    this.looking = this.looking
      .catch(() => undefined)
      .then(() => {
        this.again = false;
        return this.lookOnce();
      });
    return this.looking;
  }

  /** Sends a heartbeat, and the reports that could not be sent before. */
  async beat(): Promise<void> {
    const { reports, self, store } = this.parts;
    const folder = Object.fromEntries(
      ENVIRONMENTS.map((environment) => [environment, store.folderPolicy(environment).active.digest]),
    );
    if (await reports.heartbeat(self, folder)) for (const key of this.known.keys()) this.unreported.add(key);
    for (const key of [...this.unreported]) {
      const activation = this.known.get(key);
      if (activation !== undefined) await reports.report(self.id, activation);
      this.unreported.delete(key);
    }
  }

  private async lookOnce(): Promise<void> {
    const newest = await this.parts.history.newest();
    for (const one of newest) {
      if ((this.known.get(keyOf(one))?.considered ?? 0) >= one.number) continue;
      await this.consider(one);
    }
    this.tried.clear();
  }

  private async consider({ accountId, environment, number }: Newest): Promise<void> {
    const { history, log } = this.parts;
    const deployment = await history.get(accountId, environment, number);
    if (deployment === null) return;
    const result = await this.put(deployment);
    const where = { accountId, environment, deployment: number };
    if (result.ok) {
      log.info({ ...where, digest: deployment.policyDigest }, 'a deployed policy is in force');
      return this.note({
        accountId,
        environment,
        considered: number,
        ...this.current(deployment),
        problem: null,
        ...result,
      });
    }
    log.error(
      { ...where, problem: result.problem },
      'a deployed policy cannot be activated; the previous one stays active',
    );
    const before = this.known.get(keyOf(deployment));
    const kept = before ?? (await this.lastGood(deployment));
    await this.note({
      accountId,
      environment,
      considered: number,
      activeNumber: kept?.activeNumber ?? null,
      activeDigest: kept?.activeDigest ?? null,
      problem: result.problem,
      testsPassed: kept?.testsPassed ?? 0,
    });
  }

  /** The fallback for a failed deployment, in a process that has not activated any deployment yet. */
  private async lastGood(failed: Deployment): Promise<Activation | undefined> {
    const { accountId, environment } = failed;
    const { history, store } = this.parts;
    for (const earlier of await history.list(accountId, environment, MAX_STEPS_BACK, failed.number)) {
      if ((await this.put(earlier)).ok) {
        const { activeNumber, activeDigest } = this.current(earlier);
        return this.asActivation(failed, activeNumber, activeDigest);
      }
    }
    // While calls are served, the policy that judged them stays active: here the folder's, since nothing was deployed before.
    if (this.isServing) return this.asActivation(failed, null, store.folderPolicy(environment).active.digest);
    // In a starting process, no policy has judged calls. The folder's policy is not what the account deployed, so its calls are refused as
    // an outage.
    store.deploy(accountId, environment, undefined);
    return undefined;
  }

  private asActivation(
    { accountId, environment, number }: Deployment,
    activeNumber: number | null,
    activeDigest: string | null,
  ): Activation {
    return { accountId, environment, considered: number, activeNumber, activeDigest, problem: null, testsPassed: 0 };
  }

  private current({ accountId, environment, number }: Deployment) {
    const { store } = this.parts;
    const active = store.deployment(accountId, environment)?.active ?? store.folderPolicy(environment).active;
    return { activeNumber: number, activeDigest: active.digest };
  }

  /** Compiles, tests and activates a deployment. A faulty deployment does not make it throw. */
  private async put(deployment: Deployment): Promise<Tried> {
    const { accountId, environment, bundleDigest } = deployment;
    const { store, history } = this.parts;
    if (bundleDigest === null) {
      store.withdraw(accountId, environment);
      return { ok: true, testsPassed: 0 };
    }
    const trial = this.tried.get(bundleDigest) ?? (await this.tryStored(deployment, history, bundleDigest));
    if (!trial.ok) return { ok: false, problem: [trial.problem, ...trial.details].join('\n') };
    store.deploy(accountId, environment, trial.active);
    return { ok: true, testsPassed: trial.testsPassed };
  }

  private async tryStored(deployment: Deployment, history: DeploymentHistory, digest: string): Promise<Trial> {
    const { store, plugins, signatures, vetting } = this.parts;
    const { accountId, signatures: deployedWith } = deployment;
    const stored = history.bundle(accountId, { bundleDigest: digest, signatures: deployedWith });
    const bundle = await stored.catch((error: unknown) => {
      if (isOutage(error)) throw error;
      return undefined;
    });
    if (bundle === undefined) return refusal('the stored bundle is not the one that was deployed');
    const { problem } = checkSignatures(bundle, signatures, { account: accountId, isNew: false });
    if (problem !== undefined) return refusal(problem);
    const { waivedTests, untested, testsAtMs: nowMs } = deployment;
    await vetting.read(deployment.accountId, bundle);
    return tryBundle(bundle, { waivedTests, untested, nowMs }, store, plugins).catch((error: unknown) =>
      refusal(`the bundle could not be tested (${error instanceof Error ? error.name : 'unknown error'})`),
    );
  }

  private async note(activation: Activation): Promise<void> {
    const key = keyOf(activation);
    this.known.set(key, activation);
    this.unreported.add(key);
    // A failed report is sent again with a later heartbeat: the policy itself is active.
    await this.parts.reports.report(this.parts.self.id, activation).then(
      () => this.unreported.delete(key),
      () => undefined,
    );
  }
}

function refusal(problem: string): Trial {
  return { ok: false, failure: 'uncompilable', problem, details: [], failedTests: [] };
}

/** Whether an error is an outage of the database, which proves nothing about a bundle. */
function isOutage(error: unknown): boolean {
  return error instanceof Error && (error.name === 'DatabaseUnavailable' || error.name === 'DatabaseError');
}

function keyOf({ accountId, environment }: { accountId: string; environment: Environment }): string {
  return `${accountId}/${environment}`;
}
