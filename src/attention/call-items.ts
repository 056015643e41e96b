/** Entries about the calls of the last days, derived from sums and from at most a hundred events. */
import type { Environment } from '../core/index.js';
import type { SqlRow, TenantSql } from '../database/index.js';
import { firstUuidAt } from '../http/index.js';
import { itemId, type Item } from './item.js';

const HOUR_MS = 3_600_000;
/** Fewer hits in a day are not a spike, however few there were before. */
const LEAST_HITS = 20;
/** The minimum ratio of the hits of a day to those of an average day of the week before. */
const SPIKE = 3;
const MOST = 20;
const DETECTOR_HOURS = 1;
const EVENTS_LOOKED_AT = 100;

interface SpikeRow extends SqlRow {
  readonly rule: string;
  readonly hits: number;
  readonly before: number;
  readonly since_ms: number;
}

/** Rules that fired at least three times as often in the last day as on an average day of the week before. */
export async function ruleSpikes(
  sql: TenantSql,
  accountId: string,
  environment: Environment,
  rules: readonly string[],
): Promise<Item[]> {
  if (rules.length === 0) return [];
  // A week without calls cannot serve as a baseline.
  const rows = await sql.forAccounts(accountId).query<SpikeRow>(
    `SELECT s.* FROM (
       SELECT r.rule, (sum(r.hits) FILTER (WHERE r.hour > now() - interval '24 hours'))::double precision AS hits,
              (coalesce(sum(r.hits) FILTER (WHERE r.hour <= now() - interval '24 hours'), 0) / 7.0)::double precision AS before,
              floor(extract(epoch FROM min(r.first_at) FILTER (WHERE r.hour > now() - interval '24 hours')) * 1000)::double precision AS since_ms
       FROM rule_rollups r
       WHERE r.account_id = $1::uuid AND r.environment = $2 AND r.rule = ANY ($3::text[])
         AND r.hour > now() - interval '8 days'
       GROUP BY r.rule) s
     WHERE s.hits >= ${LEAST_HITS} AND s.hits >= ${SPIKE} * s.before AND EXISTS (
       SELECT 1 FROM event_rollups e WHERE e.account_id = $1::uuid AND e.grain = 3600 AND e.environment = $2
         AND e.bucket > now() - interval '8 days' AND e.bucket <= now() - interval '24 hours')
     ORDER BY s.hits / (s.before + 1) DESC, s.rule LIMIT ${MOST}`,
    [accountId, environment, rules],
  );
  return rows.map(({ rule, hits, before, since_ms: sinceMs }) => ({
    ...{ id: itemId('rule_spike', environment, rule), kind: 'rule_spike', severity: 'warn', environment },
    args: { rule, times: before === 0 ? null : Math.round(hits / before) },
    ...{ count: hits, sinceMs },
    link: `/events?env=${environment}&range=24h&rule=${encodeURIComponent(rule)}`,
  }));
}

interface FailingRow extends SqlRow {
  readonly detector: string;
  readonly reason: string | null;
  readonly n: number;
  readonly since_ms: number;
}

/** Finds the detectors that failed in those calls of the last hour that were refused as unavailable. */
export async function failingDetectors(
  sql: TenantSql,
  accountId: string,
  environment: Environment,
  nowMs: number,
): Promise<Item[]> {
  const rows = await sql.forAccounts(accountId).query<FailingRow>(
    `SELECT d ->> 'key' AS detector, min(d ->> 'status') AS reason, count(*)::integer AS n,
            floor(extract(epoch FROM min(e.received_at)) * 1000)::double precision AS since_ms
     FROM (SELECT v.detectors, v.received_at FROM events v
           WHERE v.account_id = $1::uuid AND v.call_outcome = 'unavailable' AND v.id >= $3::uuid AND v.environment = $2
           ORDER BY v.id DESC LIMIT ${EVENTS_LOOKED_AT}) e,
       LATERAL json_array_elements(e.detectors) d
     WHERE d ->> 'status' IN ('failed', 'timeout')
     GROUP BY 1 ORDER BY n DESC, 1 LIMIT ${MOST}`,
    [accountId, environment, firstUuidAt(nowMs - DETECTOR_HOURS * HOUR_MS)],
  );
  return rows.map(({ detector, reason, n, since_ms: sinceMs }) => ({
    id: itemId('detector_failing', environment, detector),
    ...{ kind: 'detector_failing', severity: 'critical', environment },
    args: { detector, reason },
    ...{ count: n, sinceMs },
    link: `/events?env=${environment}&range=1h&outcome=unavailable`,
  }));
}
