/** Decisions that were marked wrong or missed, until the rule changes. */
import type { CompiledPolicy, Environment } from '../core/index.js';
import type { SqlRow, TenantSql } from '../database/index.js';
import { ruleState } from '../events/index.js';
import { itemId, type Item } from './item.js';

const MOST = 20;
/** Older marks are ignored. */
const DAYS = 90;

interface OpenRow extends SqlRow {
  readonly rule: string;
  readonly rule_state: string;
  readonly wrong: number;
  readonly missed: number;
  readonly since_ms: number;
}

export async function markItems(
  sql: TenantSql,
  policy: CompiledPolicy | undefined,
  accountId: string,
  environment: Environment,
): Promise<Item[]> {
  if (policy === undefined) return [];
  const rows = await sql.forAccounts(accountId).query<OpenRow>(
    `SELECT m.rule, m.rule_state, (count(*) FILTER (WHERE m.mark = 'wrong'))::integer AS wrong,
            (count(*) FILTER (WHERE m.mark = 'missed'))::integer AS missed,
            floor(extract(epoch FROM min(m.at)) * 1000)::double precision AS since_ms
     FROM event_marks m
     WHERE m.account_id = $1::uuid AND m.environment = $2 AND m.mark IN ('wrong', 'missed') AND m.rule_state IS NOT NULL
       AND m.at > now() - interval '${DAYS} days'
     GROUP BY m.rule, m.rule_state ORDER BY count(*) DESC, m.rule`,
    [accountId, environment],
  );
  return rows
    .filter(({ rule, rule_state: state }) => state === ruleState(policy, rule))
    .slice(0, MOST)
    .map(({ rule, wrong, missed, since_ms: sinceMs }) => ({
      ...{ id: itemId('marks_open', environment, rule), kind: 'marks_open', severity: 'info', environment },
      args: { rule, wrong, missed },
      // The number of calls that the link lists.
      ...{ count: wrong > 0 ? wrong : missed, sinceMs },
      link: `/events?env=${environment}&range=${DAYS}d&mark=${wrong > 0 ? 'wrong' : 'missed'}&rule=${encodeURIComponent(rule)}`,
    }));
}
