import { Inject, Injectable } from '@nestjs/common';
import { ENVIRONMENTS, type Environment, type ErrorDetail } from '../core/index.js';
import { Database } from '../database/index.js';
import { PolicyStore } from '../policy-store/index.js';
import { DatabaseProbe } from './database-probe.js';

export interface PolicyReport {
  readonly policy: string;
  /** SHA-256 of what is active, hex. */
  readonly digest: string;
  readonly version: string;
  /** True while the files on disk do not compile and an earlier policy goes on judging. */
  readonly stale: boolean;
}

/** Deployed policies of one digest. Accounts are counted, not named: probes are open to everybody who can reach them. */
export interface DeployedReport {
  readonly environment: Environment;
  /** SHA-256 of what is active, hex; null where no version of a deployment can be run and calls are refused. */
  readonly digest: string | null;
  readonly version: string | null;
  readonly accounts: number;
}

export interface ReadinessReport {
  readonly database: 'ok' | 'unreachable';
  /** Those of the policies folder, which count for accounts that have deployed none. */
  readonly policies: Readonly<Partial<Record<Environment, PolicyReport>>>;
  readonly deployed: readonly DeployedReport[];
}

/** Whether this process can take traffic. */
@Injectable()
export class Readiness {
  private draining = false;
  private readonly probe: DatabaseProbe;

  constructor(
    @Inject(Database) database: Database,
    @Inject(PolicyStore) private readonly policies: PolicyStore,
  ) {
    this.probe = new DatabaseProbe(database);
  }

  /** From now on not ready: a load balancer is to look elsewhere. */
  drain(): void {
    this.draining = true;
  }

  /** What is there, and one entry for each thing that is not. */
  async check(): Promise<{ report: ReadinessReport; missing: ErrorDetail[] }> {
    const fault = await this.probe.check();
    const policies = Object.fromEntries(
      this.policies
        .status()
        .map(({ environment, policyId, digest, version, lastError }) => [
          environment,
          { policy: policyId, digest, version, stale: lastError } satisfies PolicyReport,
        ]),
    ) as ReadinessReport['policies'];
    const missing: ErrorDetail[] = [
      ...(this.draining ? [{ path: 'server', message: 'is shutting down' }] : []),
      ...(fault === undefined ? [] : [{ path: 'database', message: fault }]),
      ...ENVIRONMENTS.filter((environment) => policies[environment] === undefined).map((environment) => ({
        path: `policies.${environment}`,
        message: 'is not loaded',
      })),
    ];
    return {
      report: { database: fault === undefined ? 'ok' : 'unreachable', policies, deployed: this.deployed() },
      missing,
    };
  }

  private deployed(): DeployedReport[] {
    const reports = new Map<string, DeployedReport>();
    for (const { environment, digest = null, version = null } of this.policies.deployedStatus()) {
      const key = `${environment}/${digest}`;
      reports.set(key, { environment, digest, version, accounts: (reports.get(key)?.accounts ?? 0) + 1 });
    }
    return [...reports.values()];
  }
}
