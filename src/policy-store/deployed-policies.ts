import type { Environment } from '../core/index.js';
import type { ActivePolicy } from './load-environment.js';

/** The policy that one account deployed in one environment, used instead of the folder's policy. */
export interface DeployedPolicy {
  /** Undefined if this process can run none of the versions that the account deployed: its calls are refused as an outage. */
  readonly active?: ActivePolicy;
  readonly activatedAtMs: number;
}

export interface DeployedStatus {
  readonly accountId: string;
  readonly environment: Environment;
  /** SHA-256 of the compiled form; undefined if no version can be run. */
  readonly digest?: string;
  readonly version?: string;
  readonly policyId?: string;
  readonly activatedAtMs: number;
}

/**
 * The account has a deployment, but this process can run none of its versions. Answered as an outage; the folder's policy is never used
 * instead.
 */
export class PolicyUnavailable extends Error {
  override readonly name = 'PolicyUnavailable';
  readonly retryAfterSeconds = 5;

  constructor(environment: Environment) {
    super(`no deployed policy of ${environment} can be run`);
  }
}

/** Deployed policies by account and environment. Each entry is replaced as a whole. */
export class DeployedPolicies {
  private readonly entries = new Map<string, { accountId: string; environment: Environment; value: DeployedPolicy }>();

  get(accountId: string, environment: Environment): DeployedPolicy | undefined {
    return this.entries.get(keyOf(accountId, environment))?.value;
  }

  set(accountId: string, environment: Environment, value: DeployedPolicy): void {
    this.entries.set(keyOf(accountId, environment), { accountId, environment, value });
  }

  delete(accountId: string, environment: Environment): void {
    this.entries.delete(keyOf(accountId, environment));
  }

  status(): DeployedStatus[] {
    return [...this.entries.values()].map(({ accountId, environment, value: { active, activatedAtMs } }) => ({
      accountId,
      environment,
      activatedAtMs,
      ...(active === undefined ? {} : { digest: active.digest, version: active.version, policyId: active.policy.id }),
    }));
  }
}

function keyOf(accountId: string, environment: Environment): string {
  return `${accountId}/${environment}`;
}
