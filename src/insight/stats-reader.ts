/** Figures of calls over time, read from the sums that are stored in addition to the log. */
import type { Reach } from '../access/index.js';
import type { Environment } from '../core/index.js';
import type { SqlParameter, SqlRow, SqlSession, TenantSql } from '../database/index.js';
import { DAY_SECONDS, isHourOutsideDaySum, isUuid, OUTCOMES, percentile, type Outcome } from '../events/index.js';
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
  /** Calls that the cost leaves out, because their price is unknown. */
  readonly withoutPrice: number;
  readonly promptTokens: number;
  readonly completionTokens: number;
}

export interface StatsCell extends StatsSums {
  /** Index of the bucket. */
  readonly at: number;
  /** Null for all groups that were not asked for by name. */
  readonly group: string | null;
}

/** The groups with the most calls in a range. */
export interface Ranking {
  /** The groups, in descending order of their calls. */
  readonly names: readonly string[];
  /** The number of all groups that have calls in the range or in the one before it. */
  readonly groups: number;
}

/** How figures are grouped. */
export interface GroupedBy<By extends SumGrouping = SumGrouping> {
  readonly by: By;
  /** Groups to return by name: all others are added up. Absent: all groups are returned. */
  readonly names?: readonly string[];
}

interface SumRow extends SqlRow {
  readonly at: number;
  readonly group: string | null;
  readonly calls: number;
  readonly cost_nano_usd: string;
  readonly without_price: number;
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
  /** Null for all groups that were not asked for by name. */
  readonly group: string | null;
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
  `sum(t.unpriced_n)::double precision AS without_price`,
  `sum(t.prompt_tokens)::double precision AS prompt_tokens`,
  `sum(t.completion_tokens)::double precision AS completion_tokens`,
].join(', ');

export class StatsReader {
  constructor(private readonly sql: TenantSql) {}

  /** Sums per bucket and group; without a grouping one group. @throws DatabaseError | DatabaseUnavailable */
  cells(filter: StatsFilter, range: StatsRange, grouped?: GroupedBy): Promise<StatsCell[]> {
    return this.sums(filter, bucketsOf(range), grouped);
  }

  /** Cells that together cover the range, from the largest available sums. @throws DatabaseError | DatabaseUnavailable */
  totals(filter: StatsFilter, range: StatsRange, grouped?: GroupedBy): Promise<StatsCell[]> {
    return this.sums(filter, piecesOf(range), grouped);
  }

  /**
   * Ranks the groups by their calls. An account may have any number of groups, such as models with invented names, so they are ranked in
   * the database.
   *
   * @param before the range before `range`: groups that have calls only there come last
   * @throws DatabaseError | DatabaseUnavailable
   */
  async ranking(
    filter: StatsFilter,
    { range, before, by, top }: { range: StatsRange; before: StatsRange; by: SumGrouping; top: number },
  ): Promise<Ranking> {
    const scope = scopeOf(filter);
    const columns = `${GROUP_COLUMN[by]} AS group, sum(t.calls)::double precision AS calls`;
    const [now, earlier] = [range, before].map((each) =>
      addedUp('event_rollups', scope, { pieces: piecesOf(each), columns, groupedBy: '1' }),
    );
    const rows = await this.session(filter).query<{ group: string; groups: number }>(
      `SELECT r.group, r.groups FROM (
         SELECT g.group, sum(g.calls) AS calls, (count(*) OVER ())::integer AS groups
         FROM (SELECT n.group, n.calls FROM (${now}) n UNION ALL SELECT b.group, 0 FROM (${earlier}) b) g
         GROUP BY g.group) r
       ORDER BY r.calls DESC, r.group COLLATE "C" LIMIT ${top}`,
      scope.parameters,
    );
    return { names: rows.map(({ group }) => group), groups: rows[0]?.groups ?? 0 };
  }

  /**
   * Histogram of Weir's own processing time for each time bucket; not available per model or key.
   *
   * @throws DatabaseError | DatabaseUnavailable
   */
  latencies(filter: StatsFilter, range: StatsRange, grouped: GroupedBy<'environment' | 'app'>): Promise<LatencyCell[]> {
    return this.times(filter, bucketsOf(range), grouped);
  }

  /** Histogram of Weir's own processing time over the whole range. @throws DatabaseError | DatabaseUnavailable */
  totalLatencies(filter: StatsFilter, range: StatsRange): Promise<LatencyCell[]> {
    return this.times(filter, piecesOf(range));
  }

  private async sums(filter: StatsFilter, pieces: readonly Piece[], grouped?: GroupedBy): Promise<StatsCell[]> {
    const scope = scopeOf(filter);
    const columns = `${groupOf(scope, grouped)} AS group, ${SUM_COLUMNS}`;
    const statement = addedUp('event_rollups', scope, { pieces, columns, groupedBy: '1' });
    const rows = await this.session(filter).query<SumRow>(statement, scope.parameters);
    return rows.map((row) => ({
      at: row.at,
      group: row.group,
      calls: row.calls,
      outcomes: Object.fromEntries(OUTCOMES.map((each) => [each, row[each] as number])) as Record<Outcome, number>,
      costNanoUsd: BigInt(row.cost_nano_usd),
      withoutPrice: row.without_price,
      promptTokens: row.prompt_tokens,
      completionTokens: row.completion_tokens,
    }));
  }

  private async times(
    filter: StatsFilter,
    pieces: readonly Piece[],
    grouped?: GroupedBy<'environment' | 'app'>,
  ): Promise<LatencyCell[]> {
    const scope = scopeOf({ ...filter, model: undefined, key: undefined });
    const columns = `${groupOf(scope, grouped)} AS group, t.step, sum(t.n)::double precision AS n`;
    const statement = addedUp('latency_rollups', scope, { pieces, columns, groupedBy: '1, 2' });
    const rows = await this.session(filter).query<{ at: number; group: string | null; step: number; n: number }>(
      statement,
      scope.parameters,
    );
    const cells = new Map<string, { at: number; group: string | null; counts: number[] }>();
    for (const { at: bucket, group, step, n } of rows) {
      const name = `${bucket} ${group ?? ''}`;
      const cell = cells.get(name) ?? { at: bucket, group, counts: [] };
      while (cell.counts.length <= step) cell.counts.push(0);
      cell.counts[step] = n;
      cells.set(name, cell);
    }
    return [...cells.values()];
  }

  /** Names of these apps or keys by id. @throws DatabaseError | DatabaseUnavailable */
  async labels(accountId: string, by: 'app' | 'key', ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const statement =
      by === 'app'
        ? 'SELECT id::text AS id, name FROM apps WHERE account_id = $1::uuid AND id = ANY ($2::text[]::uuid[])'
        : 'SELECT key_id AS id, name FROM api_keys WHERE account_id = $1::uuid AND key_id = ANY ($2::text[])';
    const rows = await this.sql.forAccounts(accountId).query<{ id: string; name: string }>(statement, [accountId, ids]);
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
function addedUp(
  table: string,
  { where, value }: Scope,
  { pieces, columns, groupedBy }: { pieces: readonly Piece[]; columns: string; groupedBy: string },
): string {
  const listOf = (values: readonly (string | number)[]): string => `${value(values.map(String))}::text[]`;
  const instants = (times: readonly number[]): string => listOf(times.map((ms) => new Date(ms).toISOString()));
  const rows = (condition: string): string =>
    `SELECT t.* FROM ${table} t WHERE ${[...where, condition].join(' AND ')} AND t.bucket >= s.low AND t.bucket < s.high`;
  return `SELECT s.at, b.* FROM (
      SELECT p.at::integer AS at, p.low::timestamptz AS low, p.high::timestamptz AS high, p.grain::integer AS grain
      FROM unnest(${listOf(pieces.map(({ at }) => at))}, ${instants(pieces.map(({ lowMs }) => lowMs))},
        ${instants(pieces.map(({ highMs }) => highMs))}, ${listOf(pieces.map(({ grain }) => grain))})
        AS p (at, low, high, grain) OFFSET 0) s
    CROSS JOIN LATERAL (
      SELECT ${columns}
      FROM (${rows('t.grain = s.grain')}
        UNION ALL ${rows(`s.grain = ${DAY_SECONDS} AND ${isHourOutsideDaySum('t')}`)}) t
      GROUP BY ${groupedBy} OFFSET 0) b`;
}

/** The conditions of a filter, and the parameters of the statement that they are part of. */
interface Scope {
  readonly where: readonly string[];
  readonly parameters: readonly SqlParameter[];
  /** Adds a parameter and returns its name. */
  value(parameter: SqlParameter): string;
}

/** The group of a row `t`, as an SQL expression; null for a group that was not asked for by name. */
function groupOf({ value }: Scope, grouped: GroupedBy | undefined): string {
  if (grouped === undefined) return `''`;
  const { by, names } = grouped;
  const column = GROUP_COLUMN[by];
  return names === undefined ? column : `CASE WHEN ${column} = ANY (${value(names)}::text[]) THEN ${column} END`;
}

function scopeOf(filter: StatsFilter): Scope {
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
  return { where, parameters, value };
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
