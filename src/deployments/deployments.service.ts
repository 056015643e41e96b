import type { ActingManager } from '../access/index.js';
import type { Actor } from '../admin-audit/index.js';
import { bundleDigest } from '../bundles/index.js';
import {
  makeBundle,
  type Bundle,
  type BundleFile,
  type Environment,
  type ErrorDetail,
  type PluginCatalog,
} from '../core/index.js';
import { invalidRequest, WeirError } from '../http/index.js';
import type { PolicyStore } from '../policy-store/index.js';
import type { Activator } from './activator.js';
import {
  checkForm,
  checkPlugins,
  checkSignatures,
  type CheckedSignatures,
  type SignaturePolicy,
} from './bundle-gate.js';
import type { BundleVetting } from './bundle-vetting.js';
import type { DeploymentHistory } from './deployment-history.js';
import {
  StaleBase,
  type Deployment,
  type DeploymentAction,
  type DeploymentBase,
  type Deployer,
  type NewDeployment,
} from './deployment.js';
import { changeFiles, type FileChange } from './file-changes.js';
import type { PacedReads } from './paced-reads.js';
import type { ReplicaReports, ReplicaView } from './replica-reports.js';
import { tryBundle, type Trial, type TrialTerms } from './trial.js';

export interface DeploymentParts {
  readonly store: PolicyStore;
  readonly history: DeploymentHistory;
  readonly reads: PacedReads;
  readonly reports: ReplicaReports;
  readonly activator: Activator;
  readonly plugins: PluginCatalog;
  readonly vetting: BundleVetting;
  readonly signatures: SignaturePolicy;
  /** Milliseconds since the epoch. */
  nowMs(): number;
}

export interface DeployRequest {
  readonly bundle: Bundle;
  readonly base: DeploymentBase;
  readonly action: 'deploy' | 'promote';
  readonly because?: string;
  readonly untested: boolean;
}

export interface RollbackRequest {
  /** 0: the folder's policy. */
  readonly to: number;
  readonly base: DeploymentBase;
  readonly because: string;
}

export interface EmergencyRequest {
  readonly base: DeploymentBase;
  readonly changes: readonly FileChange[];
  readonly because: string;
  readonly waiveFailingTests: boolean;
}

/** The policy that judges an account's calls in an environment, as seen by this process. */
export interface ActiveView {
  readonly base: DeploymentBase;
  readonly policyId: string;
  readonly deployment: Deployment | null;
}

type Signed = Pick<CheckedSignatures, 'signedBy' | 'serial'>;
type Checked = Extract<Trial, { ok: true }> & Signed;

/** Accepts deployments: checks them, adds them to the history and activates them. */
export class Deployments {
  constructor(private readonly parts: DeploymentParts) {}

  /** The policy of the newest deployment; without one, the folder's. */
  async active(accountId: string, environment: Environment): Promise<ActiveView> {
    const deployment = await this.parts.history.get(accountId, environment);
    const folder = this.parts.store.folderPolicy(environment).active;
    const policyId = this.parts.store.deployment(accountId, environment)?.active?.policy.id ?? folder.policy.id;
    const base = { number: deployment?.number ?? 0, digest: deployment?.policyDigest ?? folder.digest };
    return { base, policyId, deployment };
  }

  /** The texts of a deployment; without a number, of the newest one; without any deployment, of the folder. */
  async sources(accountId: string, environment: Environment, number?: number): Promise<Bundle | null> {
    const { history, reads } = this.parts;
    return this.bundleOf(accountId, environment, number, (which) =>
      reads.read(accountId, () => history.bundle(accountId, which)),
    );
  }

  /** @param read reads a bundle from the history */
  private async bundleOf(
    accountId: string,
    environment: Environment,
    number: number | undefined,
    read: (which: Parameters<DeploymentHistory['bundle']>[1]) => Promise<Bundle>,
  ): Promise<Bundle | null> {
    const { history } = this.parts;
    const deployment = number === 0 ? null : await history.get(accountId, environment, number);
    if (deployment === null && number !== undefined && number !== 0) return null;
    const digest = deployment?.bundleDigest ?? null;
    if (deployment === null || digest === null) return this.folderBundle(environment);
    return read({ bundleDigest: digest, signatures: deployment.signatures });
  }

  async replicas(accountId: string, environment: Environment): Promise<ReplicaView[]> {
    const newest = await this.parts.history.get(accountId, environment);
    return this.parts.reports.list(accountId, environment, newest?.number ?? 0);
  }

  /**
   * @throws {WeirError} 409 `stale_plan`; 422 when the bundle is refused, with the reasons; nothing has changed then
   */
  async deploy(manager: ActingManager, environment: Environment, request: DeployRequest): Promise<Deployment> {
    const { bundle, base, action, untested } = request;
    if (bundle.environment !== environment)
      throw refused('bundle.environment', 'the bundle is for another environment', []);
    requireForm(bundle);
    await this.assertBase(manager.accountId, environment, base);
    const signed = this.signed(bundle, manager.accountId, true);
    await this.assertNotOld(manager, request, signed.serial);
    const terms = { waivedTests: [], untested, nowMs: this.parts.nowMs() };
    const checked = await this.check(manager.accountId, bundle, terms, signed);
    return this.append(
      manager,
      {
        ...this.fields(manager, environment, action, base),
        ...describe(bundle, checked),
        because: request.because ?? null,
        untested,
      },
      bundle,
    );
  }

  /** Restores an earlier deployment as a new one. It needs only the database. */
  async rollback(manager: ActingManager, environment: Environment, request: RollbackRequest): Promise<Deployment> {
    const { history } = this.parts;
    const { accountId } = manager;
    const { to, base, because } = request;
    await this.assertBase(accountId, environment, base);
    const common = { ...this.fields(manager, environment, 'rollback', base), restores: to, because };
    if (to >= base.number) throw refused('to', 'must be an earlier deployment than the active one', []);
    const target = to === 0 ? null : await history.get(accountId, environment, to);
    if (target === null && to !== 0) throw refused('to', 'there is no such deployment', []);
    if (target === null || target.bundleDigest === null) return this.append(manager, common, null);
    const { signatures } = target;
    const bundle = await history.bundle(accountId, { bundleDigest: target.bundleDigest, signatures });
    const signed = this.signed(bundle, accountId, false);
    const { waivedTests, untested, testsAtMs: nowMs } = target;
    // It was active before, so plugins that have changed since do not prevent the rollback; failing tests do.
    const tried = { waivedTests, untested, nowMs };
    const checked = await this.check(accountId, bundle, tried, signed, { samePlugins: false });
    const terms = { waivedTests, untested, testsAtMs: nowMs };
    return this.append(manager, { ...common, ...describe(bundle, checked), ...terms }, bundle);
  }

  /** Changes files of the active policy without a working tree. The deployment is permanently marked as an emergency. */
  async change(manager: ActingManager, environment: Environment, request: EmergencyRequest): Promise<Deployment> {
    const { base, changes, because, waiveFailingTests } = request;
    await this.assertBase(manager.accountId, environment, base);
    // Not paced: those who only read must not delay an emergency.
    const { history } = this.parts;
    const before = await this.bundleOf(manager.accountId, environment, undefined, (which) =>
      history.bundle(manager.accountId, which),
    );
    if (before === null) throw new WeirError('not_found');
    const files = changeFiles(before.files, changes);
    if (!Array.isArray(files)) throw invalidRequest(files.problems);
    const terms = { waivedTests: [], untested: true, nowMs: this.parts.nowMs() };
    const first = await this.try(manager.accountId, { ...before, files }, terms);
    const isWaived = !first.ok && first.failure === 'tests_failed' && waiveFailingTests;
    const waivedTests = isWaived ? first.failedTests : [];
    // Only its tests failed: the trial just before stayed within its limits.
    const trial = isWaived ? await this.tryHere({ ...before, files }, { ...terms, waivedTests }) : first;
    if (!trial.ok) throw notPassed(trial);
    const { policy, digest } = trial.active;
    const source = { commit: before.source.commit, clean: false };
    const bundle = makeBundle({ policy, digest, files, tests: before.tests, source });
    requireForm(bundle);
    const signed = this.signed(bundle, manager.accountId, true);
    this.parts.activator.remember(bundleDigest(bundle), trial);
    return this.append(
      manager,
      {
        ...this.fields(manager, environment, 'emergency', base),
        ...describe(bundle, signed),
        because,
        changedFiles: changes.map(({ path }) => path).sort(),
        waivedTests,
        untested: true,
      },
      bundle,
    );
  }

  private folderBundle(environment: Environment): Bundle {
    const { active, sources } = this.parts.store.folderPolicy(environment);
    // Paths here include the folder, for problems; a bundle's paths are relative to it.
    const files = sources.files.map(({ path, text }): BundleFile => ({ path: path.replace(/^[^/]+\//, ''), text }));
    const source = { commit: null, clean: false };
    return makeBundle({ policy: active.policy, digest: active.digest, files, tests: [], source });
  }

  private async assertBase(accountId: string, environment: Environment, base: DeploymentBase): Promise<void> {
    const { base: now } = await this.active(accountId, environment);
    if (now.number !== base.number || now.digest !== base.digest) throw stale(now);
  }

  private async check(
    accountId: string,
    bundle: Bundle,
    terms: TrialTerms,
    signed: Signed,
    { samePlugins = true } = {},
  ): Promise<Checked> {
    const plugins = samePlugins ? checkPlugins(bundle, this.parts.plugins) : [];
    if (plugins.length > 0) throw invalidRequest(plugins, 'The bundle needs plugins that this service lacks');
    const trial = await this.try(accountId, bundle, terms);
    if (!trial.ok) throw notPassed(trial);
    if (samePlugins && trial.active.digest !== bundle.policy.digest)
      throw refused('bundle.policy.digest', 'does not match the digest of the compiled files', []);
    this.parts.activator.remember(bundleDigest(bundle), trial);
    return { ...trial, ...signed };
  }

  private signed(bundle: Bundle, account: string, isNew: boolean): Signed {
    const { signedBy, serial, problem } = checkSignatures(bundle, this.parts.signatures, { account, isNew });
    if (problem !== undefined) throw refused('bundle.signatures', problem, []);
    return { signedBy, serial };
  }

  /**
   * A signed bundle whose number is not higher than what was deployed before is an old one: deploying it again is a rollback, whatever
   * the action is called.
   *
   * @throws {WeirError} 403 without the scope for rollbacks, 422 without a reason
   */
  private async assertNotOld(
    { accountId, scopes }: ActingManager,
    { bundle, because }: DeployRequest,
    serial: number | null,
  ): Promise<void> {
    if (serial === null) return;
    const highest = await this.parts.history.highestSerial(accountId, bundle.environment);
    const isNew = highest === null || serial > highest.serial;
    if (isNew || (serial === highest.serial && bundleDigest(bundle) === highest.bundleDigest)) return;
    const old = `the bundle is older than a deployed one: its serial number is ${serial}, and ${highest.serial} was deployed before`;
    if (!scopes.includes('policy:rollback'))
      throw new WeirError('forbidden', { message: `policy:rollback is needed, since ${old}` });
    if (because === undefined) throw refused('because', `is required, since ${old}`, []);
  }

  private async try(accountId: string, bundle: Bundle, terms: TrialTerms): Promise<Trial> {
    const refusal = await this.parts.vetting.refusalOf(accountId, bundle, terms);
    return refusal ?? this.tryHere(bundle, terms);
  }

  private tryHere(bundle: Bundle, terms: TrialTerms): Promise<Trial> {
    return tryBundle(bundle, terms, this.parts.store, this.parts.plugins);
  }

  private async append(
    { actor }: ActingManager,
    deployment: NewDeployment,
    bundle: Bundle | null,
  ): Promise<Deployment> {
    const { history, activator } = this.parts;
    const appended = await history.append(deployment, bundle, actor).catch(async (error: unknown) => {
      if (!(error instanceof StaleBase)) throw error;
      throw stale((await this.active(deployment.accountId, deployment.environment)).base);
    });
    // It is deployed from here on. If this process cannot activate it now, the next search does.
    await activator.look().catch(() => undefined);
    return appended;
  }

  private fields(
    { accountId, actor }: ActingManager,
    environment: Environment,
    action: DeploymentAction,
    base: DeploymentBase,
  ): NewDeployment {
    return {
      accountId,
      environment,
      action,
      base,
      by: deployerOf(actor),
      bundleDigest: null,
      policyDigest: null,
      restores: null,
      because: null,
      changedFiles: [],
      waivedTests: [],
      untested: false,
      testsAtMs: this.parts.nowMs(),
      signedBy: [],
      serial: null,
      signatures: null,
      sourceCommit: null,
      sourceClean: false,
    };
  }
}

/** @throws {WeirError} 422 for a bundle that could not be read from the history again */
function requireForm(bundle: Bundle): void {
  const problems = checkForm(bundle);
  if (problems.length > 0) throw invalidRequest(problems, 'The form of the bundle is wrong');
}

/** @throws Error for an actor without a request, which never deploys */
function deployerOf({ kind, id }: Actor): Deployer {
  if (id === null || (kind !== 'token' && kind !== 'person')) throw new Error('a deployment must name its author');
  return { kind, id };
}

function describe(bundle: Bundle, { signedBy, serial }: Signed) {
  return {
    bundleDigest: bundleDigest(bundle),
    policyDigest: bundle.policy.digest,
    signedBy,
    serial,
    signatures: bundle.signatures,
    sourceCommit: bundle.source.commit,
    sourceClean: bundle.source.clean,
  };
}

function stale(now: DeploymentBase): WeirError {
  return new WeirError('stale_plan', {
    details: [
      { path: 'base.number', message: `is ${now.number} now` },
      { path: 'base.digest', message: `is ${now.digest} now` },
    ],
  });
}

function notPassed({ failure, problem, details }: Extract<Trial, { ok: false }>): WeirError {
  const path = {
    too_costly: 'bundle',
    uncompilable: 'files',
    tests_unreadable: 'tests',
    tests_failed: 'tests',
    no_tests: 'tests',
  }[failure];
  return refused(path, problem, details);
}

function refused(path: string, problem: string, details: readonly string[]): WeirError {
  const list: ErrorDetail[] = [{ path, message: problem }, ...details.map((message) => ({ path, message }))];
  return invalidRequest(list, `The deployment is refused: ${problem}`);
}
