/** How often rules fired, read from the sums that are stored in addition to the log, and people's marks on them. */
import type { Environment } from '../core/index.js';
import type { SqlRow, TenantSql } from '../database/index.js';
import { firstUuidAt } from '../http/index.js';
import { exceptedByRule, WITHOUT_COMPILING } from './exception-stats-reader.js';
import { SPARKS } from './rule-stats-schema.js';

export interface HitRange {
  readonly fromMs: number;
  readonly toMs: number;
}

export interface RuleHits {
  readonly hits: number;
  readonly enforced: number;
  readonly monitored: number;
  /** Number of matches that an exception exempted. */
  readonly excepted: number;
  readonly firstMs: number | null;
  readonly lastMs: number | null;
  readonly marks: { readonly right: number; readonly wrong: number; readonly missed: number };
  readonly spark: readonly number[];
}

interface HitRow extends SqlRow {
  readonly rule: string;
  readonly part: number;
  readonly hits: number;
  readonly enforced: number;
  readonly monitored: number;
  readonly first_ms: number;
  readonly last_ms: number;
}

interface MarkRow extends SqlRow {
  readonly rule: string;
  readonly right_n: number;
  readonly wrong_n: number;
  readonly missed_n: number;
}

const NONE: RuleHits = {
  ...{ hits: 0, enforced: 0, monitored: 0, excepted: 0, firstMs: null, lastMs: null },
  marks: { right: 0, wrong: 0, missed: 0 },
  spark: Array<number>(SPARKS).fill(0),
};

/**
 * The rules that have sums are found by stepping along the index, from one to the next; then each rule is summed from the start of the
 * range. Sums outside the range are not read, regardless of the length of the log.
 */
export const RULES_WITH_HITS = `
WITH RECURSIVE ids AS (
  (SELECT r.rule FROM rule_rollups r WHERE r.account_id = $1::uuid AND r.environment = $2 ORDER BY r.rule LIMIT 1)
  UNION ALL
  SELECT (SELECT r.rule FROM rule_rollups r
          WHERE r.account_id = $1::uuid AND r.environment = $2 AND r.rule > i.rule ORDER BY r.rule LIMIT 1)
  FROM ids i WHERE i.rule IS NOT NULL)`;

const HITS = `${RULES_WITH_HITS}
SELECT i.rule, s.* FROM ids i CROSS JOIN LATERAL (
  SELECT floor(date_part('epoch', r.hour - $3::timestamptz) * ${SPARKS} / date_part('epoch', $4::timestamptz - $3::timestamptz))::integer AS part,
         sum(r.hits)::double precision AS hits, sum(r.enforced)::double precision AS enforced,
         sum(r.monitored)::double precision AS monitored,
         floor(extract(epoch FROM min(r.first_at)) * 1000)::double precision AS first_ms,
         floor(extract(epoch FROM max(r.last_at)) * 1000)::double precision AS last_ms
  FROM rule_rollups r
  WHERE r.account_id = $1::uuid AND r.environment = $2 AND r.rule = i.rule
    AND r.hour >= $3::timestamptz AND r.hour < $4::timestamptz
  GROUP BY 1) s
WHERE i.rule IS NOT NULL`;

const MARKS = `
SELECT m.rule, (count(*) FILTER (WHERE m.mark = 'right'))::integer AS right_n,
       (count(*) FILTER (WHERE m.mark = 'wrong'))::integer AS wrong_n,
       (count(*) FILTER (WHERE m.mark = 'missed'))::integer AS missed_n
FROM event_marks m
WHERE m.account_id = $1::uuid AND m.environment = $2 AND m.event_id >= $3::uuid AND m.event_id < $4::uuid
GROUP BY m.rule`;

export class RuleStatsReader {
  constructor(private readonly sql: TenantSql) {}

  /**
   * The figures by id of the rule, as events name it. Rules without hits, marks and exceptions are absent.
   *
   * @param range whole hours
   * @throws DatabaseError | DatabaseUnavailable
   */
  async read(
    accountId: string,
    environment: Environment,
    { fromMs, toMs }: HitRange,
  ): Promise<ReadonlyMap<string, RuleHits>> {
    const [from, to] = [new Date(fromMs).toISOString(), new Date(toMs).toISOString()];
    const { hits, marks, excepted } = await this.sql.forAccounts(accountId).transaction(async (transaction) => {
      await transaction.query(WITHOUT_COMPILING);
      return {
        hits: await transaction.query<HitRow>(HITS, [accountId, environment, from, to]),
        marks: await transaction.query<MarkRow>(MARKS, [
          ...[accountId, environment, firstUuidAt(fromMs), firstUuidAt(toMs)],
        ]),
        excepted: await exceptedByRule(transaction, accountId, environment, from, to),
      };
    });
    const found = new Map<string, RuleHits>();
    const add = (rule: string, more: RuleHits): void => void found.set(rule, joined(found.get(rule) ?? NONE, more));
    for (const { rule, part, hits: n, enforced, monitored, first_ms: firstMs, last_ms: lastMs } of hits) {
      const spark = NONE.spark.map((_, at) => (at === part ? n : 0));
      add(rule, { ...NONE, hits: n, enforced, monitored, firstMs, lastMs, spark });
    }
    for (const { rule, right_n: right, wrong_n: wrong, missed_n: missed } of marks) {
      add(rule, { ...NONE, marks: { right, wrong, missed } });
    }
    for (const [rule, n] of excepted) add(rule, { ...NONE, excepted: n });
    return found;
  }
}

/** The sum of the hits of several ids. */
export function hitsOf(found: ReadonlyMap<string, RuleHits>, ids: readonly string[]): RuleHits {
  return ids.reduce((sum, id) => joined(sum, found.get(id) ?? NONE), NONE);
}

function joined(a: RuleHits, b: RuleHits): RuleHits {
  const times = (which: 'firstMs' | 'lastMs'): number[] => [a[which], b[which]].filter((ms) => ms !== null);
  return {
    hits: a.hits + b.hits,
    enforced: a.enforced + b.enforced,
    monitored: a.monitored + b.monitored,
    excepted: a.excepted + b.excepted,
    firstMs: times('firstMs').sort((x, y) => x - y)[0] ?? null,
    lastMs: times('lastMs').sort((x, y) => y - x)[0] ?? null,
    marks: {
      right: a.marks.right + b.marks.right,
      wrong: a.marks.wrong + b.marks.wrong,
      missed: a.marks.missed + b.marks.missed,
    },
    spark: a.spark.map((n, at) => n + (b.spark[at] ?? 0)),
  };
}
