import type { BundleSignature, Environment } from '../core/index.js';

export type DeploymentAction = 'deploy' | 'promote' | 'rollback' | 'emergency';

/** One entry of the history of an account's environment. It is never changed. */
export interface Deployment {
  readonly accountId: string;
  readonly environment: Environment;
  /** Counts from 1 in each account and environment. */
  readonly number: number;
  readonly action: DeploymentAction;
  /** Null: from here on, the policy of the service's own folder applies again. */
  readonly bundleDigest: string | null;
  /** SHA-256 of the compiled form, in hex; null together with `bundleDigest`. */
  readonly policyDigest: string | null;
  readonly base: DeploymentBase;
  /** For a rollback: the number of the restored deployment; 0 for the folder. */
  readonly restores: number | null;
  readonly because: string | null;
  /** For an emergency: paths of the files that were changed on the server. */
  readonly changedFiles: readonly string[];
  /** Tests of the bundle that are allowed to fail, `<file>#<id>@<environment>`. */
  readonly waivedTests: readonly string[];
  /** True when the request allowed a bundle without a test for its environment. */
  readonly untested: boolean;
  /** The clock of its tests that set none, milliseconds since the epoch; a rollback keeps that of the restored deployment. */
  readonly testsAtMs: number;
  /** Names of the trusted keys that signed the bundle. */
  readonly signedBy: readonly string[];
  /** Serial number in the signatures of the bundle; null if no signature has one. */
  readonly serial: number | null;
  /** The signatures at deployment: the same bundle may be signed again later. Null: those that are stored with the bundle. */
  readonly signatures: readonly BundleSignature[] | null;
  readonly sourceCommit: string | null;
  readonly sourceClean: boolean;
  readonly by: NamedDeployer;
  readonly createdAtMs: number;
}

/** The deployer: a management token by its public id, or a person by their id. */
export interface Deployer {
  readonly kind: 'token' | 'person';
  readonly id: string;
}

export interface NamedDeployer extends Deployer {
  /** An e-mail address, or the name of a token; null if it no longer exists. */
  readonly name: string | null;
}

/** The deployment on which a change is based: 0 and the folder's digest if nothing is deployed. */
export interface DeploymentBase {
  readonly number: number;
  /** SHA-256 of the compiled form, in hex. */
  readonly digest: string;
}

export type NewDeployment = Omit<Deployment, 'number' | 'createdAtMs' | 'by'> & { readonly by: Deployer };

/** There was another deployment after the plan was made. */
export class StaleBase extends Error {
  override readonly name = 'StaleBase';

  constructor() {
    super('the deployment changed after the plan was made');
  }
}
