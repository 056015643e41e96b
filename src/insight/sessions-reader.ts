/** Sessions and their outcomes, read from the sums that are stored in addition to the log. */
import type { Reach } from '../access/index.js';
import type { Environment } from '../core/index.js';
import type { SqlParameter, SqlRow, TenantSql } from '../database/index.js';
import { isUuid, OUTCOMES, type Outcome } from '../events/index.js';
import type { QueryOf } from '../http/index.js';
import { encodePlace, type SESSIONS_QUERY } from './sessions-query.js';

export interface SessionSums {
  readonly sessionId: string;
  readonly app: { readonly id: string; readonly name: string | null };
  readonly environment: Environment;
  readonly firstAt: Date;
  readonly lastAt: Date;
  readonly calls: number;
  readonly toolCalls: number;
  readonly outcomes: Readonly<Record<Outcome, number>>;
  readonly models: readonly string[];
  readonly tokens: number;
  readonly costNanoUsd: string;
  readonly withoutPrice: number;
}

interface Row extends SqlRow {
  readonly session_id: string;
  readonly app_id: string;
  readonly app_name: string | null;
  readonly environment: Environment;
  readonly first_at_ms: number;
  readonly last_at_us: string;
  readonly calls: number;
  readonly tool_calls: number;
  readonly models: string;
  readonly tokens: number;
  readonly cost_nano_usd: string;
  readonly without_price: number;
}

const DEFAULT_LIMIT = 50;
const COLUMNS = [
  's.session_id',
  's.app_id::text AS app_id',
  'a.name AS app_name',
  's.environment',
  'floor(extract(epoch FROM s.first_at) * 1000)::double precision AS first_at_ms',
  '(extract(epoch FROM s.last_at) * 1000000)::bigint::text AS last_at_us',
  's.calls::double precision AS calls',
  's.tool_calls::double precision AS tool_calls',
  ...OUTCOMES.map((outcome) => `s.${outcome}_n::double precision AS ${outcome}`),
  'array_to_json(s.models)::text AS models',
  '(s.prompt_tokens + s.completion_tokens)::double precision AS tokens',
  's.cost_nano_usd::text AS cost_nano_usd',
  's.unpriced_n::double precision AS without_price',
].join(', ');

export class SessionsReader {
  constructor(private readonly sql: TenantSql) {}

  /** A page of sessions, in descending order of their latest event. @throws DatabaseError | DatabaseUnavailable */
  async list(
    manager: Reach,
    query: QueryOf<typeof SESSIONS_QUERY>,
  ): Promise<{ data: SessionSums[]; nextCursor: string | null }> {
    const limit = query.limit ?? DEFAULT_LIMIT;
    const { where, parameters } = conditions(manager, query);
    const rows = await this.sql.forAccounts(manager.accountId).query<Row>(
      `SELECT ${COLUMNS}
       FROM session_rollups s LEFT JOIN apps a ON a.account_id = s.account_id AND a.id = s.app_id
       WHERE ${where}
       ORDER BY s.last_at DESC, s.environment DESC, s.app_id DESC, s.session_id DESC LIMIT ${limit + 1}`,
      parameters,
    );
    const shown = rows.slice(0, limit);
    const last = shown.at(-1);
    const nextCursor =
      rows.length <= limit || last === undefined
        ? null
        : encodePlace({
            ...{ lastAt: last.last_at_us, environment: last.environment },
            ...{ appId: last.app_id, sessionId: last.session_id },
          });
    return { data: shown.map(sumsOf), nextCursor };
  }
}

function conditions(
  manager: Reach,
  query: QueryOf<typeof SESSIONS_QUERY>,
): { where: string; parameters: SqlParameter[] } {
  const parameters: SqlParameter[] = [];
  const value = (parameter: SqlParameter): string => `$${parameters.push(parameter)}`;
  const terms = [`s.account_id = ${value(manager.accountId)}::uuid`];
  const { environment, app, model, outcome, session, from, to, cursor } = query;
  if (manager.environment !== undefined) terms.push(`s.environment = ${value(manager.environment)}`);
  if (environment !== undefined) terms.push(`s.environment = ANY (${value(environment)}::text[])`);
  if (app !== undefined) {
    terms.push(
      isUuid(app)
        ? `s.app_id = ${value(app)}::uuid`
        : `s.app_id IN (SELECT id FROM apps WHERE account_id = $1::uuid AND name = ${value(app)})`,
    );
  }
  if (model !== undefined) terms.push(`${value(model)} = ANY (s.models)`);
  if (outcome !== undefined) terms.push(`(${outcome.map((each) => `s.${each}_n > 0`).join(' OR ')})`);
  if (session !== undefined) terms.push(`s.session_id = ${value(session)}`);
  if (from !== undefined) terms.push(`s.last_at >= ${value(from.toISOString())}::timestamptz`);
  if (to !== undefined) terms.push(`s.first_at < ${value(to.toISOString())}::timestamptz`);
  if (cursor !== undefined) {
    const at = `(timestamptz 'epoch' + ${value(cursor.lastAt)}::text::bigint * interval '1 microsecond')`;
    const after = `${at}, ${value(cursor.environment)}, ${value(cursor.appId)}::uuid, ${value(cursor.sessionId)}`;
    // The first term finds the place in the index.
    terms.push(`s.last_at <= ${at}`, `(s.last_at, s.environment, s.app_id, s.session_id) < (${after})`);
  }
  return { where: terms.join(' AND '), parameters };
}

function sumsOf(row: Row): SessionSums {
  return {
    sessionId: row.session_id,
    app: { id: row.app_id, name: row.app_name },
    environment: row.environment,
    firstAt: new Date(row.first_at_ms),
    lastAt: new Date(Math.floor(Number(row.last_at_us) / 1000)),
    calls: row.calls,
    toolCalls: row.tool_calls,
    outcomes: Object.fromEntries(OUTCOMES.map((each) => [each, row[each] as number])) as Record<Outcome, number>,
    models: JSON.parse(row.models) as string[],
    tokens: row.tokens,
    costNanoUsd: row.cost_nano_usd,
    withoutPrice: row.without_price,
  };
}
