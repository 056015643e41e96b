/** How often rules fired over time, from the hourly sums that are stored in addition to the log. */
import { ENVIRONMENTS } from '../core/index.js';
import type { SqlParameter, SqlRow, TenantSql } from '../database/index.js';
import { isUuid } from '../events/index.js';
import { RULES_WITH_HITS } from './rule-stats-reader.js';
import type { StatsRange } from './stats-query.js';
import type { StatsFilter } from './stats-reader.js';

/** Hits of one rule in one bucket. */
export interface RuleCell {
  /** Index of the bucket. */
  readonly at: number;
  readonly group: string;
  readonly calls: number;
}

interface HitRow extends SqlRow {
  readonly at: number;
  readonly rule: string;
  readonly hits: number;
}

export class RuleHitsReader {
  constructor(private readonly sql: TenantSql) {}

  /** @param range in steps of whole hours. @throws DatabaseError | DatabaseUnavailable */
  async cells(filter: StatsFilter, range: StatsRange): Promise<RuleCell[]> {
    const { manager, environment: asked } = filter;
    const own = manager.environment;
    const environments = ENVIRONMENTS.filter(
      (each) => (own === undefined || each === own) && (asked === undefined || each === asked),
    );
    const rows = await Promise.all(environments.map((environment) => this.hits(filter, environment, range)));
    return rows.flat().map(({ at, rule, hits }) => ({ at, group: rule, calls: hits }));
  }

  private hits(filter: StatsFilter, environment: string, { fromMs, toMs, stepSeconds }: StatsRange): Promise<HitRow[]> {
    const { accountId } = filter.manager;
    const parameters: SqlParameter[] = [accountId, environment, instant(fromMs), instant(toMs), stepSeconds];
    const value = (parameter: SqlParameter): string => `$${parameters.push(parameter)}`;
    const { app, rule } = filter;
    const ofApp =
      app === undefined
        ? ''
        : isUuid(app)
          ? `AND r.app_id = ${value(app)}::uuid`
          : `AND r.app_id IN (SELECT id FROM apps WHERE account_id = $1::uuid AND name = ${value(app)})`;
    const ofRule = rule === undefined ? '' : `AND i.rule = ${value(rule)}`;
    return this.sql.forAccounts(accountId).query<HitRow>(
      `${RULES_WITH_HITS}
SELECT i.rule, s.at, s.hits FROM ids i CROSS JOIN LATERAL (
  SELECT floor(date_part('epoch', r.hour - $3::timestamptz) / $5::double precision)::integer AS at,
         sum(r.hits)::double precision AS hits
  FROM rule_rollups r
  WHERE r.account_id = $1::uuid AND r.environment = $2 AND r.rule = i.rule
    AND r.hour >= $3::timestamptz AND r.hour < $4::timestamptz ${ofApp}
  GROUP BY 1) s
WHERE i.rule IS NOT NULL ${ofRule}`,
      parameters,
    );
  }
}

const instant = (ms: number): string => new Date(ms).toISOString();
