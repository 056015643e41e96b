/** Figures of calls over time, read from the sums that are kept beside the log. */
import type { Reach } from '../access/index.js';
import type { Environment } from '../core/index.js';
import type { SqlParameter, SqlRow, SqlSession, TenantSql } from '../database/index.js';
import { isUuid, OUTCOMES, percentile, type Outcome } from '../events/index.js';
import type { GROUPINGS, StatsRange } from './stats-query.js';

export type Grouping = (typeof GROUPINGS)[number];

export interface StatsFilter {
  readonly manager: Reach;
  readonly environment?: Environment;
  readonly app?: string;
  readonly model?: string;
  readonly key?: string;
}

/** Sums of one bucket and one group. */
export interface StatsSums {
  readonly calls: number;
  readonly outcomes: Readonly<Record<Outcome, number>>;
  readonly costNanoUsd: bigint;
  readonly promptTokens: number;
  readonly completionTokens: number;
}

export interface StatsCell extends StatsSums {
  /** Index of the bucket. */
  readonly at: number;
  readonly group: string;
}

interface SumRow extends SqlRow {
  readonly at: number;
  readonly group: string;
  readonly calls: number;
  readonly cost_nano_usd: string;
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
}

/** Counted latencies of one bucket and group: index is the step. */
export interface LatencyCell {
  readonly at: number;
  readonly group: string;
  readonly counts: readonly number[];
}

const HOUR_SECONDS = 3_600;

const GROUP_COLUMN: Readonly<Record<Exclude<Grouping, 'outcome'>, string>> = {
  environment: 't.environment',
  app: 't.app_id::text',
  model: 't.model',
  key: 't.key_id',
};

const SUM_COLUMNS = [
  `sum(t.calls)::double precision AS calls`,
  ...OUTCOMES.map((outcome) => `sum(t.${outcome}_n)::double precision AS ${outcome}`),
  `sum(t.cost_nano_usd)::text AS cost_nano_usd`,
  `sum(t.prompt_tokens)::double precision AS prompt_tokens`,
  `sum(t.completion_tokens)::double precision AS completion_tokens`,
].join(', ');

export class StatsReader {
  constructor(private readonly sql: TenantSql) {}

  /** Sums per bucket and group; without a grouping one group. @throws DatabaseError | DatabaseUnavailable */
  async cells(filter: StatsFilter, range: StatsRange, by?: Exclude<Grouping, 'outcome'>): Promise<StatsCell[]> {
    const { where, parameters, buckets } = this.conditions(filter, range);
    const rows = await this.session(filter).query<SumRow>(
      `SELECT s.at, b.* FROM ${buckets} CROSS JOIN LATERAL (
         SELECT ${by === undefined ? `''` : GROUP_COLUMN[by]} AS group, ${SUM_COLUMNS}
         FROM event_rollups t WHERE ${where} GROUP BY 1 OFFSET 0) b`,
      parameters,
    );
    return rows.map((row) => ({
      at: row.at,
      group: row.group,
      calls: row.calls,
      outcomes: Object.fromEntries(OUTCOMES.map((each) => [each, row[each] as number])) as Record<Outcome, number>,
      costNanoUsd: BigInt(row.cost_nano_usd),
      promptTokens: row.prompt_tokens,
      completionTokens: row.completion_tokens,
    }));
  }

  /** Counts of Weir's own time; not known by model and key. @throws DatabaseError | DatabaseUnavailable */
  async latencies(filter: StatsFilter, range: StatsRange, by?: 'environment' | 'app'): Promise<LatencyCell[]> {
    const { where, parameters, buckets } = this.conditions({ ...filter, model: undefined, key: undefined }, range);
    const rows = await this.session(filter).query<{ at: number; group: string; step: number; n: number }>(
      `SELECT s.at, b.* FROM ${buckets} CROSS JOIN LATERAL (
         SELECT ${by === undefined ? `''` : GROUP_COLUMN[by]} AS group, t.step, sum(t.n)::double precision AS n
         FROM latency_rollups t WHERE ${where} GROUP BY 1, 2 OFFSET 0) b`,
      parameters,
    );
    const cells = new Map<string, { at: number; group: string; counts: number[] }>();
    for (const { at: bucket, group, step, n } of rows) {
      const name = `${bucket} ${group}`;
      const cell = cells.get(name) ?? { at: bucket, group, counts: [] };
      while (cell.counts.length <= step) cell.counts.push(0);
      cell.counts[step] = n;
      cells.set(name, cell);
    }
    return [...cells.values()];
  }

  /** Names of apps and keys by id. @throws DatabaseError | DatabaseUnavailable */
  async labels(accountId: string, by: 'app' | 'key'): Promise<ReadonlyMap<string, string>> {
    const column = by === 'app' ? 'id::text' : 'key_id';
    const rows = await this.sql
      .forAccounts(accountId)
      .query<{ id: string; name: string }>(
        `SELECT ${column} AS id, name FROM ${by === 'app' ? 'apps' : 'api_keys'} WHERE account_id = $1::uuid`,
        [accountId],
      );
    return new Map(rows.map(({ id, name }) => [id.trim(), name]));
  }

  /** What was deployed in the range, oldest first. @throws DatabaseError | DatabaseUnavailable */
  async deployments(filter: StatsFilter, { fromMs, toMs }: StatsRange) {
    const environment = filter.manager.environment ?? filter.environment ?? null;
    const rows = await this.session(filter).query<{ environment: Environment; number: number; at_ms: number }>(
      `SELECT environment, number, floor(extract(epoch FROM created_at) * 1000)::double precision AS at_ms
       FROM policy_deployments
       WHERE account_id = $1::uuid AND created_at >= $2::timestamptz AND created_at < $3::timestamptz
         AND ($4::text IS NULL OR environment = $4)
       ORDER BY created_at DESC LIMIT 200`,
      [filter.manager.accountId, new Date(fromMs).toISOString(), new Date(toMs).toISOString(), environment],
    );
    return rows.reverse().map((row) => ({
      environment: row.environment,
      number: row.number,
      at: new Date(row.at_ms).toISOString(),
    }));
  }

  private session({ manager }: StatsFilter): SqlSession {
    return this.sql.forAccounts(manager.accountId);
  }

  /**
   * `OFFSET 0` above: the sums of each bucket are looked up by themselves along the key. Taken together they look like so
   * much of the table that PostgreSQL reads all of it, other grains and times too, and sorts what it finds.
   */
  private conditions(filter: StatsFilter, { fromMs, toMs, stepSeconds }: StatsRange) {
    const parameters: SqlParameter[] = [];
    const value = (parameter: SqlParameter): string => `$${parameters.push(parameter)}`;
    const grain = stepSeconds % HOUR_SECONDS === 0 ? HOUR_SECONDS : 60;
    const from = value(new Date(fromMs).toISOString());
    const account = `${value(filter.manager.accountId)}::uuid`;
    const terms = [`t.account_id = ${account}`, `t.grain = ${grain}`, 't.bucket >= s.low', 't.bucket < s.high'];
    if (filter.manager.environment !== undefined) terms.push(`t.environment = ${value(filter.manager.environment)}`);
    if (filter.environment !== undefined) terms.push(`t.environment = ${value(filter.environment)}`);
    if (filter.model !== undefined) terms.push(`t.model = ${value(filter.model)}`);
    if (filter.key !== undefined) terms.push(`t.key_id = ${value(filter.key)}`);
    if (filter.app !== undefined) {
      terms.push(
        isUuid(filter.app)
          ? `t.app_id = ${value(filter.app)}::uuid`
          : `t.app_id IN (SELECT id FROM apps WHERE account_id = ${account} AND name = ${value(filter.app)})`,
      );
    }
    const after = (count: string): string => `${from}::timestamptz + ${count} * interval '${stepSeconds} seconds'`;
    const buckets = `(SELECT n AS at, ${after('n')} AS low, ${after('(n + 1)')} AS high
      FROM generate_series(0, ${Math.ceil((toMs - fromMs) / 1_000 / stepSeconds) - 1}) n) s`;
    return { where: terms.join(' AND '), parameters, buckets };
  }
}

/** Adds counts of latencies. */
export function percentilesOf(cells: readonly LatencyCell[]): {
  p50: number | null;
  p95: number | null;
  p99: number | null;
} {
  const counts: number[] = [];
  for (const cell of cells) cell.counts.forEach((count, step) => (counts[step] = (counts[step] ?? 0) + count));
  const known = Array.from(counts, (count) => count ?? 0);
  return { p50: percentile(known, 0.5), p95: percentile(known, 0.95), p99: percentile(known, 0.99) };
}
