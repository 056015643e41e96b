/** Entries about the active policies and their replicas. */
import type { Environment } from '../core/index.js';
import type { ReplicaReports } from '../deployments/index.js';
import type { TenantSql } from '../database/index.js';
import type { PolicyStore } from '../policy-store/index.js';
import { itemId, type Item } from './item.js';

const DAY_MS = 86_400_000;
const EXCEPTION_DAYS = 14;
const EXCEPTION_WARN_DAYS = 3;
/** The time that replicas may take to test a deployment before they run it. */
const PENDING_MS = 2 * 60_000;
/** The maximum number of entries of one kind, so that a neglected policy does not hide all others. */
const MOST = 20;

export interface RuleOfPolicy {
  readonly id: string;
  readonly reviewBy?: string;
}

/** The active rules; none while this process does not know the policy. */
export function rulesInForce(
  policies: PolicyStore,
  accountId: string,
  environment: Environment,
): readonly RuleOfPolicy[] {
  return inForce(policies, accountId, environment)?.rules ?? [];
}

/** The active policy; undefined while this process does not know it. */
export function inForce(policies: PolicyStore, accountId: string, environment: Environment) {
  try {
    return policies.active(accountId, environment).policy;
  } catch {
    // The replica cannot judge for this account: this is reported as a replica that is behind.
    return undefined;
  }
}

/** Exceptions that end within two weeks, and rules past their review date. */
export function policyItems(policies: PolicyStore, accountId: string, environment: Environment, nowMs: number): Item[] {
  const policy = inForce(policies, accountId, environment);
  if (policy === undefined) return [];
  const ending = policy.exceptions
    .filter(({ expiresAtMs }) => expiresAtMs > nowMs && expiresAtMs - nowMs <= EXCEPTION_DAYS * DAY_MS)
    .sort((a, b) => a.expiresAtMs - b.expiresAtMs)
    .map(({ id, expiresAtMs }): Item => {
      const days = Math.ceil((expiresAtMs - nowMs) / DAY_MS);
      return {
        ...{ id: itemId('exception_ending', environment, id), kind: 'exception_ending', environment },
        severity: days <= EXCEPTION_WARN_DAYS ? 'warn' : 'info',
        args: { exception: id, days, ends_at: new Date(expiresAtMs).toISOString() },
        ...{ count: null, sinceMs: null },
        link: `/policies/${environment}/exceptions?env=${environment}`,
      };
    });
  const today = new Date(nowMs).toISOString().slice(0, 10);
  const overdue = policy.rules
    .filter(({ reviewBy }) => reviewBy !== undefined && reviewBy < today)
    .map(({ id, reviewBy = '' }): Item => ({
      ...{ id: itemId('review_overdue', environment, id), kind: 'review_overdue', severity: 'info', environment },
      args: { rule: id, review_by: reviewBy },
      ...{ count: null, sinceMs: Date.parse(reviewBy) },
      link: `/policies/${environment}/rules/${encodeURIComponent(id)}?env=${environment}`,
    }));
  return [...ending.slice(0, MOST), ...overdue.slice(0, MOST)];
}

interface Newest {
  readonly number: number;
  readonly action: string;
  readonly age_ms: number;
  readonly at_ms: number;
  [column: string]: unknown;
}

/** Entries about replicas that do not run the newest deployment, and about emergency changes. */
export async function deploymentItems(
  sql: TenantSql,
  reports: ReplicaReports,
  accountId: string,
  environment: Environment,
): Promise<Item[]> {
  const [newest] = await sql.forAccounts(accountId).query<Newest>(
    `SELECT number, action, (extract(epoch FROM clock_timestamp() - created_at) * 1000)::double precision AS age_ms,
            floor(extract(epoch FROM created_at) * 1000)::double precision AS at_ms
     FROM policy_deployments WHERE account_id = $1::uuid AND environment = $2 ORDER BY number DESC LIMIT 1`,
    [accountId, environment],
  );
  if (newest === undefined) return [];
  const { number, action, age_ms: ageMs, at_ms: sinceMs } = newest;
  const replicas = await reports.list(accountId, environment, number);
  const behind = replicas
    .filter(({ state }) => state === 'failed' || (state === 'pending' && ageMs > PENDING_MS))
    .slice(0, MOST)
    .map(({ id, name, state, problem }): Item => ({
      id: itemId('replica_behind', environment, id, String(number)),
      ...{ kind: 'replica_behind', severity: state === 'failed' ? 'critical' : 'warn', environment },
      args: { replica: name, deployment: number, state, problem },
      ...{ count: null, sinceMs },
      link: `/policies?env=${environment}`,
    }));
  if (action !== 'emergency') return behind;
  return [
    ...behind,
    {
      id: itemId('emergency_change', environment, String(number)),
      ...{ kind: 'emergency_change', severity: 'warn', environment },
      args: { deployment: number },
      ...{ count: null, sinceMs },
      link: `/policies/${environment}/history?env=${environment}`,
    },
  ];
}
