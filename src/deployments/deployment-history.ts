import type { Actor, AdminActionName, AdminAudit } from '../admin-audit/index.js';
import type { Bundle, BundleSignature, Environment } from '../core/index.js';
import { bundleText, readBundle } from '../core/index.js';
import { bundleDigest } from '../bundles/index.js';
import { DatabaseError, type SqlExecutor, type SqlRow, type TenantSql } from '../database/index.js';
import { WeirError } from '../http/index.js';
import {
  StaleBase,
  type Deployment,
  type DeploymentAction,
  type NamedDeployer,
  type NewDeployment,
} from './deployment.js';

/** The channel by which other processes are notified of a deployment. */
export const DEPLOYMENT_CHANNEL = 'weir_policy_deployments';

const UNIQUE_VIOLATION = '23505';

const DAY_MS = 24 * 3_600_000;
/** The bytes of new bundles that an account may store within a day: 16 bundles of the maximum size, or a thousand usual ones. */
const MOST_BYTES_PER_DAY = 128 * 1024 * 1024;
const RETRY_AFTER_SECONDS = 3_600;

/** The name of the deployer: a person or a token of the account, if it still exists. */
const DEPLOYER_NAME = `coalesce((SELECT p.email FROM people p JOIN memberships m ON m.person_id = p.id
   WHERE m.account_id = policy_deployments.account_id AND p.id = policy_deployments.person_id),
  (SELECT t.name FROM management_tokens t
   WHERE t.account_id = policy_deployments.account_id AND t.token_id = policy_deployments.token_id)) AS deployer_name`;

const COLUMNS = `${DEPLOYER_NAME}, account_id::text AS account_id, environment, number, action, bundle_digest, policy_digest, base_number,
  base_digest, restores, because, array_to_json(changed_files)::text AS changed_files,
  array_to_json(waived_tests)::text AS waived_tests, untested, array_to_json(signed_by)::text AS signed_by,
  serial::double precision AS serial, signatures,
  source_commit, source_clean, token_id, person_id::text AS person_id, floor(extract(epoch FROM tests_at) * 1000)::double precision AS tests_at_ms,
  floor(extract(epoch FROM created_at) * 1000)::double precision AS created_at_ms`;

interface Row extends SqlRow {
  readonly account_id: string;
  readonly environment: Environment;
  readonly number: number;
  readonly action: DeploymentAction;
  readonly bundle_digest: string | null;
  readonly policy_digest: string | null;
  readonly base_number: number;
  readonly base_digest: string;
  readonly restores: number | null;
  readonly because: string | null;
  readonly changed_files: string;
  readonly waived_tests: string;
  readonly untested: boolean;
  readonly tests_at_ms: number;
  readonly signed_by: string;
  readonly serial: number | null;
  /** JSON. */
  readonly signatures: string | null;
  readonly source_commit: string | null;
  readonly source_clean: boolean;
  readonly token_id: string | null;
  readonly person_id: string | null;
  readonly deployer_name: string | null;
  readonly created_at_ms: number;
}

const RECORDED_AS = {
  deploy: 'policy.deployed',
  promote: 'policy.deployed',
  rollback: 'policy.rolled_back',
  emergency: 'policy.changed_in_emergency',
} as const satisfies Record<DeploymentAction, AdminActionName>;

/** The number of the newest deployment of an account's environment. */
export interface Newest {
  readonly accountId: string;
  readonly environment: Environment;
  readonly number: number;
}

/** The history of deployments and their bundles. Both are append-only: the database itself refuses anything else. */
export class DeploymentHistory {
  constructor(
    private readonly sql: TenantSql,
    private readonly audit: AdminAudit,
    private readonly now: () => Date = () => new Date(),
    private readonly mostBytesPerDay = MOST_BYTES_PER_DAY,
  ) {}

  /** The newest deployment of every account and environment that has one. */
  async newest(): Promise<Newest[]> {
    const rows = await this.sql
      .forDuty('watch')
      .query<{ account_id: string; environment: Environment; number: number }>(
        `SELECT account_id::text AS account_id, environment, max(number) AS number
       FROM policy_deployments GROUP BY account_id, environment ORDER BY account_id, environment`,
        [],
        { prepareAs: 'weir_newest_deployments' },
      );
    return rows.map((row) => ({ accountId: row.account_id, environment: row.environment, number: row.number }));
  }

  /** One deployment; without a number, the newest one. */
  async get(accountId: string, environment: Environment, number?: number): Promise<Deployment | null> {
    const [row] = await this.sql.forAccounts(accountId).query<Row>(
      `SELECT ${COLUMNS} FROM policy_deployments
       WHERE account_id = $1 AND environment = $2 AND ($3::integer IS NULL OR number = $3::integer)
       ORDER BY number DESC LIMIT 1`,
      [accountId, environment, number ?? null],
    );
    return row === undefined ? null : toDeployment(row);
  }

  /** The newest deployment of a policy, by the SHA-256 of its compiled form. */
  async withDigest(accountId: string, environment: Environment, digest: string): Promise<Deployment | null> {
    const [row] = await this.sql.forAccounts(accountId).query<Row>(
      `SELECT ${COLUMNS} FROM policy_deployments
       WHERE account_id = $1 AND environment = $2 AND policy_digest = $3 ORDER BY number DESC LIMIT 1`,
      [accountId, environment, digest],
    );
    return row === undefined ? null : toDeployment(row);
  }

  /** The deployments, newest first; with `before`, those with a lower number. */
  async list(accountId: string, environment: Environment, limit: number, before?: number): Promise<Deployment[]> {
    const rows = await this.sql.forAccounts(accountId).query<Row>(
      `SELECT ${COLUMNS} FROM policy_deployments
       WHERE account_id = $1 AND environment = $2 AND ($3::integer IS NULL OR number < $3::integer)
       ORDER BY number DESC LIMIT $4::integer`,
      [accountId, environment, before ?? null, limit],
    );
    return rows.map(toDeployment);
  }

  /** The highest serial number that was deployed, and its bundle; null if no signed bundle was deployed. */
  async highestSerial(
    accountId: string,
    environment: Environment,
  ): Promise<{ serial: number; bundleDigest: string } | null> {
    const [row] = await this.sql.forAccounts(accountId).query<{ serial: number; bundle_digest: string }>(
      `SELECT serial::double precision AS serial, bundle_digest FROM policy_deployments
       WHERE account_id = $1 AND environment = $2 AND serial IS NOT NULL ORDER BY serial DESC, number LIMIT 1`,
      [accountId, environment],
    );
    return row === undefined ? null : { serial: row.serial, bundleDigest: row.bundle_digest };
  }

  /**
   * The bundle of a deployment, with the signatures that it was deployed with.
   *
   * @throws Error when the stored text is not the bundle of this digest: a bundle that was tampered with is never activated
   */
  async bundle(
    accountId: string,
    { bundleDigest: digest, signatures }: { readonly bundleDigest: string } & Pick<Deployment, 'signatures'>,
  ): Promise<Bundle> {
    const [row] = await this.sql
      .forAccounts(accountId)
      .query<{ body: string }>('SELECT body FROM policy_bundles WHERE account_id = $1 AND digest = $2', [
        accountId,
        digest,
      ]);
    const read = row === undefined ? undefined : readBundle(JSON.parse(row.body) as unknown);
    if (read === undefined || !('bundle' in read) || bundleDigest(read.bundle) !== digest)
      throw new Error('the stored bundle is not the one that was deployed');
    return signatures === null ? read.bundle : { ...read.bundle, signatures: [...signatures] };
  }

  /**
   * Adds the next deployment if the newest one is still the base, together with its entry in the admin audit log.
   *
   * @throws StaleBase when it is not, also because of a concurrent deployment
   * @throws {WeirError} 429 if the account has stored as many bytes of bundles in a day as it may
   */
  async append(deployment: NewDeployment, bundle: Bundle | null, actor: Actor): Promise<Deployment> {
    try {
      return await this.sql.forAccounts(deployment.accountId).transaction(async (transaction) => {
        if (bundle !== null) await this.keepBundle(transaction, deployment.accountId, bundle);
        const row = await this.insert(transaction, deployment);
        if (row === undefined) throw new StaleBase();
        const appended = toDeployment(row);
        await this.audit.record(transaction, {
          accountId: appended.accountId,
          actor,
          action: RECORDED_AS[appended.action],
          subject: appended.environment,
          details: { number: appended.number, digest: appended.policyDigest, because: appended.because },
        });
        await transaction.query('SELECT pg_notify($1, $2)', [DEPLOYMENT_CHANNEL, '']);
        return appended;
      });
    } catch (error) {
      if (error instanceof DatabaseError && error.sqlState === UNIQUE_VIOLATION) throw new StaleBase();
      throw error;
    }
  }

  /** @throws {WeirError} 429 if the account has stored as much in a day as it may: bundles are kept for ever */
  private async keepBundle(transaction: SqlExecutor, accountId: string, bundle: Bundle): Promise<void> {
    const now = this.now();
    const kept = await transaction.query(
      `INSERT INTO policy_bundles (account_id, digest, body, created_at) VALUES ($1, $2, $3, $4::timestamptz)
       ON CONFLICT (account_id, digest) DO NOTHING RETURNING 1 AS one`,
      [accountId, bundleDigest(bundle), bundleText(bundle), now.toISOString()],
    );
    if (kept.length === 0) return;
    const [row] = await transaction.query<{ bytes: number }>(
      `SELECT coalesce(sum(octet_length(body)), 0)::double precision AS bytes FROM policy_bundles
       WHERE account_id = $1 AND created_at > $2::timestamptz`,
      [accountId, new Date(now.getTime() - DAY_MS).toISOString()],
    );
    if ((row?.bytes ?? 0) <= this.mostBytesPerDay) return;
    const message = `The bundles that this account has deployed within a day exceed ${this.mostBytesPerDay} bytes`;
    throw new WeirError('rate_limit_exceeded', { message, retryAfterSeconds: RETRY_AFTER_SECONDS });
  }

  private async insert(transaction: SqlExecutor, one: NewDeployment): Promise<Row | undefined> {
    const [row] = await transaction.query<Row>(
      `INSERT INTO policy_deployments (account_id, environment, number, action, bundle_digest, policy_digest, base_number,
         base_digest, restores, because, changed_files, waived_tests, untested, signed_by, source_commit, source_clean,
         token_id, person_id, created_at, tests_at, serial, signatures)
       SELECT $1::uuid, $2::text, $3::integer + 1, $4::text, $5::text, $6::text, $3::integer, $7::text, $8::integer,
         $9::text, $10::text[], $11::text[], $12::boolean, $13::text[], $14::text, $15::boolean, $16::text,
         $17::uuid, $18::timestamptz, $19::timestamptz, $20::double precision::bigint, $21::text
       WHERE (SELECT coalesce(max(number), 0) FROM policy_deployments WHERE account_id = $1::uuid AND environment = $2::text)
         = $3::integer
       RETURNING ${COLUMNS}`,
      [
        one.accountId,
        one.environment,
        one.base.number,
        one.action,
        one.bundleDigest,
        one.policyDigest,
        one.base.digest,
        one.restores,
        one.because,
        one.changedFiles,
        one.waivedTests,
        one.untested,
        one.signedBy,
        one.sourceCommit,
        one.sourceClean,
        one.by.kind === 'token' ? one.by.id : null,
        one.by.kind === 'person' ? one.by.id : null,
        this.now().toISOString(),
        new Date(one.testsAtMs).toISOString(),
        one.serial,
        one.signatures === null ? null : JSON.stringify(one.signatures),
      ],
    );
    return row;
  }
}

/** @throws Error for a row without a deployer, which the database does not accept */
function deployer({ token_id: token, person_id: person, deployer_name: name }: Row): NamedDeployer {
  if (token !== null) return { kind: 'token', id: token, name };
  if (person !== null) return { kind: 'person', id: person, name };
  throw new Error('a deployment must name its author');
}

function toDeployment(row: Row): Deployment {
  return {
    accountId: row.account_id,
    environment: row.environment,
    number: row.number,
    action: row.action,
    bundleDigest: row.bundle_digest,
    policyDigest: row.policy_digest,
    base: { number: row.base_number, digest: row.base_digest },
    restores: row.restores,
    because: row.because,
    changedFiles: JSON.parse(row.changed_files) as string[],
    waivedTests: JSON.parse(row.waived_tests) as string[],
    untested: row.untested,
    testsAtMs: row.tests_at_ms,
    signedBy: JSON.parse(row.signed_by) as string[],
    serial: row.serial,
    signatures: row.signatures === null ? null : (JSON.parse(row.signatures) as BundleSignature[]),
    sourceCommit: row.source_commit,
    sourceClean: row.source_clean,
    by: deployer(row),
    createdAtMs: row.created_at_ms,
  };
}
