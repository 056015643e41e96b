import type { Environment } from '../core/index.js';
import type { SqlRow, TenantSql } from '../database/index.js';

/** A replica without a report for this time counts as lost; it is still listed. */
export const LOST_AFTER_MS = 30_000;
/** The time without a report after which a replica's rows are deleted. */
const FORGOTTEN_AFTER_MS = 10 * 60_000;

/** The identity of a replica. */
export interface ReplicaIdentity {
  readonly id: string;
  /** Host and process id, by which an operator finds it. */
  readonly name: string;
  /** The version of the software. */
  readonly version: string;
  readonly startedAtMs: number;
}

/** The state of one replica for one account's environment. */
export interface Activation {
  readonly accountId: string;
  readonly environment: Environment;
  /** The newest deployment that it has processed. */
  readonly considered: number;
  /** The deployment that judges calls; null if none does. */
  readonly activeNumber: number | null;
  /** SHA-256 of the compiled form that judges calls, in hex; null where calls are refused as an outage. */
  readonly activeDigest: string | null;
  /** Why the newest deployment is not active here. */
  readonly problem: string | null;
  readonly testsPassed: number;
}

export type ReplicaState = 'active' | 'pending' | 'failed' | 'lost';

/** One replica as it is shown. */
export interface ReplicaView {
  readonly id: string;
  readonly name: string;
  readonly version: string;
  readonly state: ReplicaState;
  readonly activeNumber: number | null;
  readonly activeDigest: string | null;
  readonly problem: string | null;
  readonly testsPassed: number;
  readonly heartbeatAtMs: number;
}

interface ReplicaRow extends SqlRow {
  readonly id: string;
  readonly name: string;
  readonly version: string;
  readonly folder_digest: string | null;
  readonly heartbeat_at_ms: number;
  readonly age_ms: number;
  readonly considered: number | null;
  readonly active_number: number | null;
  readonly active_digest: string | null;
  readonly problem: string | null;
  readonly tests_passed: number | null;
}

/** The policies that each replica reports to run. Times are those of the database, so that clocks of hosts do not matter. */
export class ReplicaReports {
  constructor(private readonly sql: TenantSql) {}

  /**
   * Records that this replica is alive, and deletes replicas without a recent heartbeat.
   *
   * @returns true if the replica was not known, or no longer known: then its earlier reports are gone
   */
  async heartbeat(self: ReplicaIdentity, folderDigests: Readonly<Partial<Record<Environment, string>>>) {
    const rows = await this.sql.forDuty('watch').query<{ is_new: boolean }>(
      `INSERT INTO policy_replicas (id, name, version, folder_digests, started_at, heartbeat_at)
       VALUES ($1, $2, $3, $4::json, to_timestamp($5::double precision / 1000), now())
       ON CONFLICT (id) DO UPDATE SET heartbeat_at = now(), folder_digests = excluded.folder_digests
       RETURNING (xmax = 0) AS is_new`,
      [self.id, self.name, self.version, JSON.stringify(folderDigests), self.startedAtMs],
    );
    await this.sql
      .forDuty('watch')
      .query(
        `DELETE FROM policy_replicas WHERE heartbeat_at < now() - make_interval(secs => $1::double precision / 1000)`,
        [FORGOTTEN_AFTER_MS],
      );
    return rows[0]?.is_new === true;
  }

  async report(replicaId: string, one: Activation): Promise<void> {
    await this.sql.forAccounts(one.accountId).query(
      `INSERT INTO policy_activations (account_id, environment, replica_id, considered, active_number, active_digest,
         problem, tests_passed, reported_at)
       VALUES ($1, $2, $3, $4::integer, $5::integer, $6, $7, $8::integer, now())
       ON CONFLICT (account_id, environment, replica_id) DO UPDATE SET considered = excluded.considered,
         active_number = excluded.active_number, active_digest = excluded.active_digest, problem = excluded.problem,
         tests_passed = excluded.tests_passed, reported_at = excluded.reported_at`,
      [
        one.accountId,
        one.environment,
        replicaId,
        one.considered,
        one.activeNumber,
        one.activeDigest,
        one.problem,
        one.testsPassed,
      ],
    );
  }

  /** Removes from the list a replica that shuts down regularly. */
  async leave(replicaId: string): Promise<void> {
    await this.sql.forDuty('watch').query('DELETE FROM policy_replicas WHERE id = $1', [replicaId]);
  }

  /**
   * All replicas, as seen by one account's environment.
   *
   * @param newest the number of the newest deployment; 0 where there is none
   */
  async list(accountId: string, environment: Environment, newest: number): Promise<ReplicaView[]> {
    const rows = await this.sql.forAccounts(accountId).query<ReplicaRow>(
      `SELECT r.id::text AS id, r.name, r.version, r.folder_digests ->> $2 AS folder_digest,
              floor(extract(epoch FROM r.heartbeat_at) * 1000)::double precision AS heartbeat_at_ms,
              (extract(epoch FROM now() - r.heartbeat_at) * 1000)::double precision AS age_ms,
              a.considered, a.active_number, a.active_digest, a.problem, a.tests_passed
       FROM policy_replicas r
       LEFT JOIN policy_activations a ON a.account_id = $1 AND a.environment = $2 AND a.replica_id = r.id
       ORDER BY r.name, r.id`,
      [accountId, environment],
    );
    return rows.map((row) => view(row, newest));
  }
}

function view(row: ReplicaRow, newest: number): ReplicaView {
  const hasReported = row.considered !== null;
  return {
    id: row.id,
    name: row.name,
    version: row.version,
    state: stateOf(row, newest),
    activeNumber: row.active_number,
    activeDigest: hasReported ? row.active_digest : row.folder_digest,
    problem: row.problem,
    testsPassed: row.tests_passed ?? 0,
    heartbeatAtMs: row.heartbeat_at_ms,
  };
}

function stateOf({ age_ms: ageMs, considered, problem }: ReplicaRow, newest: number): ReplicaState {
  if (ageMs > LOST_AFTER_MS) return 'lost';
  if ((considered ?? 0) < newest) return 'pending';
  return problem === null ? 'active' : 'failed';
}
