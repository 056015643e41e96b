import { sha256Hex } from '../bundles/index.js';
import type { Bundle, Environment } from '../core/index.js';
import type { PolicyStore } from '../policy-store/index.js';
import type { DeploymentHistory } from './deployment-history.js';
import type { Deployment } from './deployment.js';
import type { Deployments } from './deployments.service.js';
import type { PacedReads } from './paced-reads.js';

/** The selected policy of an environment; without a selection, the active one. */
export interface PolicySelector {
  /** Number of a deployment; 0 for the policies folder. */
  readonly number?: number;
  /** SHA-256 of the compiled form, in hex. */
  readonly digest?: string;
}

/** A policy of an account's environment, found by a `PolicySelector`. */
export interface LocatedPolicy {
  /** Null: the policies folder. */
  readonly deployment: number | null;
  readonly digest: string;
  /** Equal for equal texts of one account. */
  readonly key: string;
  readonly environment: Environment;
  /** Whether the tests are included: the service reads none of the folder. */
  readonly hasTests: boolean;
  bundle(): Promise<Bundle>;
}

/** Finds the texts of policies that are, or were, active. */
export class DeployedTexts {
  constructor(
    private readonly history: DeploymentHistory,
    private readonly deployments: Deployments,
    private readonly store: PolicyStore,
    private readonly reads: PacedReads,
  ) {}

  /** Null when there is no such policy. */
  async locate(
    accountId: string,
    environment: Environment,
    { number, digest }: PolicySelector = {},
  ): Promise<LocatedPolicy | null> {
    if (digest !== undefined) {
      const deployment = await this.history.withDigest(accountId, environment, digest);
      if (deployment !== null) return this.deployed(deployment);
      const folder = this.folder(accountId, environment);
      return folder.digest === digest ? folder : null;
    }
    if (number === 0) return this.folder(accountId, environment);
    const deployment = await this.history.get(accountId, environment, number);
    if (deployment === null) return number === undefined ? this.folder(accountId, environment) : null;
    return this.deployed(deployment);
  }

  /** The number of the deployment before another one, for showing its changes; 0 for the folder. */
  async before(accountId: string, environment: Environment, number: number): Promise<number> {
    return (await this.history.get(accountId, environment, number))?.base.number ?? 0;
  }

  private deployed(deployment: Deployment): LocatedPolicy {
    const { accountId, environment, number, bundleDigest, policyDigest, signatures } = deployment;
    if (bundleDigest === null || policyDigest === null)
      return { ...this.folder(accountId, environment), deployment: number };
    return {
      deployment: number,
      digest: policyDigest,
      key: `${accountId} ${bundleDigest}`,
      environment,
      hasTests: true,
      bundle: () => this.reads.read(accountId, () => this.history.bundle(accountId, { bundleDigest, signatures })),
    };
  }

  private folder(accountId: string, environment: Environment): LocatedPolicy {
    const { active, sources } = this.store.folderPolicy(environment);
    return {
      deployment: null,
      digest: active.digest,
      key: sha256Hex(JSON.stringify([environment, sources.files])),
      environment,
      hasTests: false,
      bundle: async () => {
        const bundle = await this.deployments.sources(accountId, environment, 0);
        if (bundle === null) throw new Error('the policies folder always exists');
        return bundle;
      },
    };
  }
}
