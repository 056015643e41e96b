import { Inject, Injectable, Logger } from '@nestjs/common';
import { ENVIRONMENTS, type Environment, type ErrorDetail } from '../core/index.js';
import { Database, WRONG_CLOCK_MS, type ReplicaState } from '../database/index.js';
import { Metrics } from '../metrics/index.js';
import { PolicyStore } from '../policy-store/index.js';
import { DatabaseProbe } from './database-probe.js';
import { addReplicaMetrics } from './replica-metrics.js';
import { describeDatabase } from './describe-database.js';

export interface PolicyReport {
  readonly policy: string;
  /** SHA-256 of the active policy, hex. */
  readonly digest: string;
  readonly version: string;
  /** True while the files on disk do not compile and the last good policy stays active. */
  readonly stale: boolean;
}

/** Deployed policies with the same digest. Accounts are counted, not named, because probes need no credential. */
export interface DeployedReport {
  readonly environment: Environment;
  /** SHA-256 of the active policy, hex; null if no version of a deployment can be activated and calls are refused. */
  readonly digest: string | null;
  readonly version: string | null;
  readonly accounts: number;
}

export interface ReadinessReport {
  readonly database: 'ok' | 'unreachable';
  /** Absent without a read replica. Calls do not need it: reads go to the primary while it is behind or unavailable. */
  readonly read_replica?: ReplicaState;
  /** The policies of the policies folder, which apply to accounts without a deployment. */
  readonly policies: Readonly<Partial<Record<Environment, PolicyReport>>>;
  readonly deployed: readonly DeployedReport[];
}

/** A warning is logged if the clocks of server and database differ by more than this time. */
const REPORTED_SKEW_MS = 5_000;
const MS_PER_S = 1_000;

/** Whether this process can take traffic. */
@Injectable()
export class Readiness {
  private draining = false;
  private isTold = false;
  private readonly logger = new Logger('health');
  private readonly probe: DatabaseProbe;

  constructor(
    @Inject(Database) private readonly database: Database,
    @Inject(PolicyStore) private readonly policies: PolicyStore,
    @Inject(Metrics) metrics: Metrics,
  ) {
    this.probe = new DatabaseProbe(database);
    addReplicaMetrics(database.replica, metrics);
    describeDatabase(metrics, database);
    const read = (): number => this.clockAheadMs / MS_PER_S;
    metrics.gauge(
      'weir_clock_ahead_seconds',
      "Time by which the clock of this server is ahead of the database's clock.",
      read,
      'max',
    );
    const stale = () =>
      policies.status().map(({ environment, lastError }) => ({ labels: { environment }, value: lastError ? 1 : 0 }));
    metrics.labelledGauge(
      'weir_policy_stale',
      '1 if the files of the policy do not compile, otherwise 0.',
      ['environment'],
      stale,
      'max',
    );
  }

  /** Reports "not ready" from now on, so that load balancers use other servers. */
  drain(): void {
    this.draining = true;
  }

  /** Creates the report, and one entry for each requirement that is not met. */
  async check(): Promise<{ report: ReadinessReport; missing: ErrorDetail[] }> {
    const fault = await this.probe.check();
    const { replica } = this.database;
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
      ...this.clockFaults(),
      ...ENVIRONMENTS.filter((environment) => policies[environment] === undefined).map((environment) => ({
        path: `policies.${environment}`,
        message: 'is not loaded',
      })),
    ];
    return {
      report: {
        database: fault === undefined ? 'ok' : 'unreachable',
        ...(replica === undefined ? {} : { read_replica: replica.state }),
        policies,
        deployed: this.deployed(),
      },
      missing,
    };
  }

  private get clockAheadMs(): number {
    return Date.now() - this.database.clock.nowMs();
  }

  /** Logs a difference of the clocks once, and again only after they have agreed. */
  private clockFaults(): ErrorDetail[] {
    const aheadMs = this.clockAheadMs;
    const differs = Math.abs(aheadMs) > REPORTED_SKEW_MS;
    const what = `is ${Math.round(Math.abs(aheadMs) / MS_PER_S)} s ${aheadMs > 0 ? 'ahead of' : 'behind'} the database's`;
    if (differs && !this.isTold)
      this.logger.warn(`The clock of this server ${what}. Events are recorded with the database's time.`);
    this.isTold = differs;
    // TLS and other parts use the clock of this server.
    return Math.abs(aheadMs) > WRONG_CLOCK_MS ? [{ path: 'clock', message: what }] : [];
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
