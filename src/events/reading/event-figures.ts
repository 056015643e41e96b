/** How many events match, and what values they have: reads no payload unless text is looked for. */
import { DatabaseError, type SqlParameter, type SqlRow, type TenantSql } from '../../database/index.js';
import { EventLogUnavailable } from '../event-log-errors.js';
import type { EventFilters } from './event-filters.js';
import { FINAL_OUTCOME, ofCall, selectionOf } from './event-selection.js';
import { likePattern, TEXT_SCAN_EVENTS, textMatch } from './free-text.js';

/** Counting ends here: "10,000+". */
export const COUNT_CAP = 10_000;
/** Values are counted in so many of the newest events that match. */
const SAMPLE = 10_000;

export interface EventCount {
  readonly count: number;
  /** There are more. */
  readonly capped: boolean;
}

export interface Facet {
  readonly value: string;
  readonly label: string | null;
  readonly count: number;
}

export interface Facets {
  readonly sampled: boolean;
  /** How many were looked at. */
  readonly of: number;
  readonly data: Readonly<Record<string, readonly Facet[]>>;
}

/** Facet → the column of the sample that holds its values. */
const COLUMN_FACETS = {
  ...{ app: 's.app_id::text', model: 's.model', provider: 's.provider', environment: 's.environment', type: 's.type' },
  ...{ key: 's.key_id', decision: 's.decision', outcome: 's.outcome', session: 's.session_id' },
} as const;
export const FACETS = [...Object.keys(COLUMN_FACETS), 'rule', 'metadata'];

export class EventFigures {
  constructor(private readonly sql: TenantSql) {}

  /** Up to `COUNT_CAP`; text is looked for in the newest `TEXT_SCAN_EVENTS` that match otherwise. @throws EventLogUnavailable */
  async count(filters: EventFilters): Promise<EventCount> {
    const { from, where, at, shown } = selectionOf(filters);
    const { text } = filters;
    const alias = shown.slice(0, 1);
    const cap = text === undefined ? COUNT_CAP : TEXT_SCAN_EVENTS;
    const pattern = text === undefined ? undefined : where.parameter(likePattern(text));
    const matches =
      pattern === undefined
        ? 'true'
        : filters.view === 'calls'
          ? `EXISTS (SELECT 1 FROM events p WHERE ${ofCall('p', 'r.id')} AND ${textMatch('p', pattern)})`
          : textMatch(alias, pattern);
    const [row] = await this.query<{ readonly scanned: number; readonly count: number }>(
      filters,
      `SELECT count(*)::integer AS scanned, least(${cap}, count(*) FILTER (WHERE m.matches))::integer AS count
       FROM (SELECT ${matches} AS matches FROM ${from} WHERE ${where.toString()} ORDER BY ${at} DESC LIMIT ${cap + 1}) m`,
      where.parameters,
    );
    return { count: row?.count ?? 0, capped: (row?.scanned ?? 0) > cap };
  }

  /**
   * The most frequent values of each field among the newest events that match, or calls.
   *
   * @param fields of `FACETS`, or `metadata.<path>`
   * @throws EventLogUnavailable
   */
  async facets(filters: EventFilters, fields: readonly string[], limit: number): Promise<Facets> {
    const { from, where, at, shown } = selectionOf(filters);
    const alias = shown.slice(0, 1);
    const isCalls = filters.view === 'calls';
    const columns = ['account_id', 'id', 'app_id', 'model', 'provider', 'environment', 'type', 'key_id', 'decision'];
    const selected = [
      ...[...columns, 'session_id', 'metadata_index'].map((name) => `${alias}.${name}`),
      isCalls ? `${FINAL_OUTCOME} AS outcome` : `${alias}.outcome`,
      isCalls
        ? `ARRAY(SELECT DISTINCT x FROM events p, unnest(p.rules) x WHERE ${ofCall('p', 'r.id')}) AS rules`
        : `${alias}.rules`,
    ];
    if (filters.text !== undefined) {
      const pattern = where.parameter(likePattern(filters.text));
      where.addTerms([
        isCalls
          ? `EXISTS (SELECT 1 FROM events p WHERE ${ofCall('p', 'r.id')} AND ${textMatch('p', pattern)})`
          : textMatch(alias, pattern),
      ]);
    }
    const sample = filters.text === undefined ? SAMPLE : TEXT_SCAN_EVENTS;
    const parts = fields.map((field) => {
      const name = where.parameter(field);
      const [values, join] = valuesOf(field, (value) => where.parameter(value));
      return `(SELECT ${name}::text AS field, ${values} AS value, count(*)::integer AS n FROM sample s${join}
        WHERE ${values} IS NOT NULL GROUP BY 2 ORDER BY 3 DESC, 2 LIMIT ${limit})`;
    });
    const rows = await this.query<{ field: string | null; value: string | null; label: string | null; n: number }>(
      filters,
      `WITH sample AS MATERIALIZED (SELECT ${selected.join(', ')} FROM ${from} WHERE ${where.toString()}
         ORDER BY ${at} DESC LIMIT ${sample + 1}),
       counted AS (${['SELECT NULL::text AS field, NULL::text AS value, count(*)::integer AS n FROM sample', ...parts].join('\nUNION ALL ')})
       SELECT c.field, c.value, c.n,
              CASE WHEN c.field = 'app' THEN (SELECT a.name FROM apps a WHERE a.account_id = $1::uuid AND a.id = c.value::uuid) END AS label
       FROM counted c`,
      where.parameters,
    );
    const of = rows.find(({ field }) => field === null)?.n ?? 0;
    return {
      sampled: of > sample,
      of: Math.min(of, sample),
      data: Object.fromEntries(
        fields.map((field) => [
          field,
          rows.flatMap((row) =>
            row.field === field && row.value !== null ? [{ value: row.value, label: row.label, count: row.n }] : [],
          ),
        ]),
      ),
    };
  }

  private async query<Row extends SqlRow>(
    { manager }: EventFilters,
    statement: string,
    parameters: readonly SqlParameter[],
  ): Promise<Row[]> {
    try {
      return await this.sql.forAccounts(manager.accountId).query<Row>(statement, parameters);
    } catch (error) {
      throw error instanceof DatabaseError ? error : new EventLogUnavailable('the event log cannot be reached');
    }
  }
}

/** The expression of a field's values in the sample `s`, and what must be joined to it. */
function valuesOf(field: string, parameter: (value: string) => string): readonly [string, string] {
  if (field === 'rule') return ['x.value', ' CROSS JOIN LATERAL unnest(s.rules) AS x (value)'];
  if (field === 'metadata') return ['x.value', ' CROSS JOIN LATERAL jsonb_object_keys(s.metadata_index) AS x (value)'];
  if (field.startsWith('metadata.')) {
    const path = parameter(field.slice('metadata.'.length));
    return ['x.value', ` CROSS JOIN LATERAL jsonb_array_elements_text(s.metadata_index -> ${path}::text) AS x (value)`];
  }
  return [COLUMN_FACETS[field as keyof typeof COLUMN_FACETS], ''];
}
