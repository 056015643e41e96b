/** Figures of calls over time, read from the sums that are stored in addition to the log. */
import type { Reach } from '../access/index.js';
import type { Environment } from '../core/index.js';
import type { SqlParameter, SqlRow, SqlSession, TenantSql } from '../database/index.js';
import { DAY_SECONDS, hourBesideItsDay, isUuid, OUTCOMES, percentile, type Outcome } from '../events/index.js';
import type { GROUPINGS, StatsRange } from './stats-query.js';

export type Grouping = (typeof GROUPINGS)[number];
/** The groupings in which sums of calls are stored. */
export type SumGrouping = Exclude<Grouping, 'outcome' | 'rule'>;

export interface StatsFilter {
  readonly manager: Reach;
  readonly environment?: Environment;
  readonly app?: string;
  readonly model?: string;
  readonly key?: string;
  /** For hits of rules: only this rule. */
  readonly rule?: string;
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

interface DeploymentRow extends SqlRow {
  readonly environment: Environment;
  readonly number: number;
  readonly at_ms: number;
  readonly because: string | null;
  readonly by_person: boolean;
  readonly by_token: boolean;
  readonly by_name: string | null;
}

function whoOf({ by_person: isPerson, by_token: isToken, by_name: name }: DeploymentRow) {
  if (!isPerson && !isToken) return null;
  return { kind: isPerson ? ('person' as const) : ('token' as const), name };
}

/** Latency counts of one bucket and group, indexed by the step of the scale. */
export interface LatencyCell {
  readonly at: number;
  readonly group: string;
  readonly counts: readonly number[];
}

/** Lengths of the stored sums in seconds, largest first. */
const GRAINS = [DAY_SECONDS, 3_600, 60] as const;

/** An interval whose sums of one grain are added up: from `low` inclusive to `high` exclusive. */
interface Piece {
  readonly at: number;
  readonly lowMs: number;
  readonly highMs: number;
  readonly grain: number;
}

const GROUP_COLUMN: Readonly<Record<SumGrouping, string>> = {
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
  cells(filter: StatsFilter, range: StatsRange, by?: SumGrouping): Promise<StatsCell[]> {
    return this.sums(filter, bucketsOf(range), by);
  }

  /** Cells that together cover the range, from the largest available sums. @throws DatabaseError | DatabaseUnavailable */
  totals(filter: StatsFilter, range: StatsRange, by?: SumGrouping): Promise<StatsCell[]> {
    return this.sums(filter, piecesOf(range), by);
  }

  /**
   * Histogram of Weir's own processing time for each time bucket; not available per model or key.
   *
   * @throws DatabaseError | DatabaseUnavailable
   */
  latencies(filter: StatsFilter, range: StatsRange, by: 'environment' | 'app'): Promise<LatencyCell[]> {
    return this.times(filter, bucketsOf(range), by);
  }

  /** Histogram of Weir's own processing time over the whole range. @throws DatabaseError | DatabaseUnavailable */
  totalLatencies(filter: StatsFilter, range: StatsRange): Promise<LatencyCell[]> {
    return this.times(filter, piecesOf(range));
  }

  private async sums(filter: StatsFilter, pieces: readonly Piece[], by?: SumGrouping): Promise<StatsCell[]> {
    const group = by === undefined ? `''` : GROUP_COLUMN[by];
    const { statement, parameters } = addedUp(
      'event_rollups',
      filter,
      pieces,
      `${group} AS group, ${SUM_COLUMNS}`,
      '1',
    );
    const rows = await this.session(filter).query<SumRow>(statement, parameters);
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

  private async times(filter: StatsFilter, pieces: readonly Piece[], by?: 'environment' | 'app') {
    const group = by === undefined ? `''` : GROUP_COLUMN[by];
    const columns = `${group} AS group, t.step, sum(t.n)::double precision AS n`;
    const all = { ...filter, model: undefined, key: undefined };
    const { statement, parameters } = addedUp('latency_rollups', all, pieces, columns, '1, 2');
    const rows = await this.session(filter).query<{ at: number; group: string; step: number; n: number }>(
      statement,
      parameters,
    );
    const cells = new Map<string, { at: number; group: string; counts: number[] }>();
    for (const { at: bucket, group: name, step, n } of rows) {
      const cell = cells.get(`${bucket} ${name}`) ?? { at: bucket, group: name, counts: [] };
      while (cell.counts.length <= step) cell.counts.push(0);
      cell.counts[step] = n;
      cells.set(`${bucket} ${name}`, cell);
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

  /** The deployments in the range, oldest first. @throws DatabaseError | DatabaseUnavailable */
  async deployments(filter: StatsFilter, { fromMs, toMs }: StatsRange) {
    const environment = filter.manager.environment ?? filter.environment ?? null;
    const rows = await this.session(filter).query<DeploymentRow>(
      `SELECT d.environment, d.number, floor(extract(epoch FROM d.created_at) * 1000)::double precision AS at_ms,
              d.because, d.person_id IS NOT NULL AS by_person, d.token_id IS NOT NULL AS by_token,
              CASE WHEN d.person_id IS NOT NULL THEN (SELECT p.email FROM people p JOIN memberships m ON m.person_id = p.id
                  WHERE m.account_id = d.account_id AND p.id = d.person_id)
                ELSE (SELECT t.name FROM management_tokens t
                  WHERE t.account_id = d.account_id AND t.token_id = d.token_id) END AS by_name
       FROM policy_deployments d
       WHERE d.account_id = $1::uuid AND d.created_at >= $2::timestamptz AND d.created_at < $3::timestamptz
         AND ($4::text IS NULL OR d.environment = $4)
       ORDER BY d.created_at DESC LIMIT 200`,
      [filter.manager.accountId, new Date(fromMs).toISOString(), new Date(toMs).toISOString(), environment],
    );
    return rows.reverse().map((row) => ({
      environment: row.environment,
      number: row.number,
      at: new Date(row.at_ms).toISOString(),
      by: whoOf(row),
      because: row.because,
    }));
  }

  private session({ manager }: StatsFilter): SqlSession {
    return this.sql.forAccounts(manager.accountId);
  }
}

/**
 * Adds up the rows of each piece. `OFFSET 0` makes PostgreSQL look up the sums of each piece separately along the key. Otherwise it
 * estimates so many rows that it reads and sorts the whole table, including other grains and times.
 */
function addedUp(table: string, filter: StatsFilter, pieces: readonly Piece[], columns: string, groupedBy: string) {
  const { where, parameters } = conditions(filter);
  const value = (parameter: SqlParameter): string => `$${parameters.push(parameter)}`;
  const listOf = (values: readonly (string | number)[]): string => `${value(values.map(String))}::text[]`;
  const instants = (times: readonly number[]): string => listOf(times.map((ms) => new Date(ms).toISOString()));
  const rows = (condition: string): string =>
    `SELECT t.* FROM ${table} t WHERE ${[...where, condition].join(' AND ')} AND t.bucket >= s.low AND t.bucket < s.high`;
  const statement = `SELECT s.at, b.* FROM (
      SELECT p.at::integer AS at, p.low::timestamptz AS low, p.high::timestamptz AS high, p.grain::integer AS grain
      FROM unnest(${listOf(pieces.map(({ at }) => at))}, ${instants(pieces.map(({ lowMs }) => lowMs))},
        ${instants(pieces.map(({ highMs }) => highMs))}, ${listOf(pieces.map(({ grain }) => grain))})
        AS p (at, low, high, grain) OFFSET 0) s
    CROSS JOIN LATERAL (
      SELECT ${columns}
      FROM (${rows('t.grain = s.grain')}
        UNION ALL ${rows(`s.grain = ${DAY_SECONDS} AND ${hourBesideItsDay('t')}`)}) t
      GROUP BY ${groupedBy} OFFSET 0) b`;
  return { statement, parameters };
}

function conditions(filter: StatsFilter): { readonly where: readonly string[]; readonly parameters: SqlParameter[] } {
  const parameters: SqlParameter[] = [];
  const value = (parameter: SqlParameter): string => `$${parameters.push(parameter)}`;
  const account = `${value(filter.manager.accountId)}::uuid`;
  const where = [`t.account_id = ${account}`];
  if (filter.manager.environment !== undefined) where.push(`t.environment = ${value(filter.manager.environment)}`);
  if (filter.environment !== undefined) where.push(`t.environment = ${value(filter.environment)}`);
  if (filter.model !== undefined) where.push(`t.model = ${value(filter.model)}`);
  if (filter.key !== undefined) where.push(`t.key_id = ${value(filter.key)}`);
  if (filter.app !== undefined) {
    where.push(
      isUuid(filter.app)
        ? `t.app_id = ${value(filter.app)}::uuid`
        : `t.app_id IN (SELECT id FROM apps WHERE account_id = ${account} AND name = ${value(filter.app)})`,
    );
  }
  return { where, parameters };
}

/** One piece per bucket, of the largest grain that divides a bucket. */
function bucketsOf({ fromMs, toMs, stepSeconds }: StatsRange): Piece[] {
  const stepMs = stepSeconds * 1_000;
  const grain = GRAINS.find((seconds) => stepSeconds % seconds === 0) ?? 60;
  return Array.from({ length: Math.ceil((toMs - fromMs) / stepMs) }, (_, at) => {
    const lowMs = fromMs + at * stepMs;
    return { at, lowMs, highMs: lowMs + stepMs, grain };
  });
}

/** The whole range in as few pieces as possible: whole days, then hours and finally minutes at both ends. */
function piecesOf({ fromMs, toMs }: StatsRange): Piece[] {
  const pieces = piecesBetween(fromMs, toMs, GRAINS);
  return pieces.map((piece, at) => ({ at, ...piece }));
}

function piecesBetween(lowMs: number, highMs: number, [grain, ...finer]: readonly number[]): Omit<Piece, 'at'>[] {
  if (lowMs >= highMs || grain === undefined) return [];
  const grainMs = grain * 1_000;
  const [fromMs, toMs] = [Math.ceil(lowMs / grainMs) * grainMs, Math.floor(highMs / grainMs) * grainMs];
  if (fromMs >= toMs) return piecesBetween(lowMs, highMs, finer);
  return [
    ...piecesBetween(lowMs, fromMs, finer),
    { lowMs: fromMs, highMs: toMs, grain },
    ...piecesBetween(toMs, highMs, finer),
  ];
}

/** The percentiles of the sum of latency counts. */
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
