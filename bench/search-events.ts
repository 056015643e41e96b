import type { Database, SqlSession } from '../src/database/index.js';
import { ensurePartitions } from '../src/events/partitions.js';
import {
  countedStep,
  latencyRows,
  ROLLUP_SUMS,
  rollupRows,
  ruleRows,
  sessionRows,
} from '../src/events/rollups/rollup-statements.js';

/**
 * A year of an account's log that nobody sent: calls with answers, blocks and errors, of several apps and models, some of
 * them common and some rare, with metadata, sessions and texts of all sizes; with the sums that are kept beside it.
 */
export interface YearOfEvents {
  readonly accountId: string;
  readonly events: number;
  readonly months: number;
  /** The end of it. */
  readonly now: Date;
}

export const APPS = ['checkout', 'support', 'search', 'ads', 'hr-desk', 'legal', 'lab', 'retired'] as const;
export const MODELS = ['gpt-4o', 'gpt-4o-mini', 'claude-sonnet-4', 'gpt-4.1', 'gemini-2.5-pro', 'o3'] as const;
export const TEAMS = ['growth', 'platform', 'care', 'finance', 'people', 'research'] as const;
export const RULES = [
  'secrets.block-live-credential',
  'pii.redact-contact',
  'injection.flag',
  'topics.no-advice',
] as const;
/** One word in that share of the texts. */
export const WORDS = [
  ...'the team looked at the release plan and agreed to move the review to thursday'.split(' '),
  ...'invoice refund customer delivery contract summary question deadline meeting budget'.split(' '),
  ...'please write translate explain compare list improve shorten answer check'.split(' '),
] as const;
export const RARE_WORD = 'xylophone';

const DAY_MS = 86_400_000;
const MONTH_MS = 30.4 * DAY_MS;
const BATCH_CALLS = 10_000;
/** Events per call, about: an answer for most, a violation for some. */
const EVENTS_PER_CALL = 1.95;
const TEXTS = 4_000;

/** Seeds the log. @returns how many events it has then */
export async function seedYear(database: Database, { accountId, events, months, now }: YearOfEvents): Promise<number> {
  const sql = database.sql.forMaintenance();
  const startMs = now.getTime() - months * MONTH_MS;
  for (let ms = startMs; ms < now.getTime() + 7 * DAY_MS; ms += 7 * DAY_MS) {
    await ensurePartitions(database.sql, new Date(ms));
  }
  const account = accountId;
  for (const name of APPS) {
    await sql.query(
      `INSERT INTO apps (account_id, id, name, created_at) VALUES ($1::uuid, gen_random_uuid(), $2, now())`,
      [account, name],
    );
  }
  const calls = Math.round(events / EVENTS_PER_CALL);
  await unhurried(sql, `CREATE UNLOGGED TABLE bench_texts AS ${TEXT_TABLE}`, []);
  for (let from = 0; from < calls; from += BATCH_CALLS) {
    const to = Math.min(calls, from + BATCH_CALLS) - 1;
    await unhurried(sql, CALLS, [
      account,
      String(startMs),
      String((now.getTime() - startMs) / calls),
      String(from),
      String(to),
    ]);
  }
  await sql.query('DROP TABLE bench_texts');
  for (const statement of SUMS) await unhurried(sql, statement, [account]);
  for (const table of ['events', 'event_rollups', 'latency_rollups', 'rule_rollups', 'session_rollups']) {
    await database.sql.query(`VACUUM ANALYZE ${table}`).catch(() => undefined);
  }
  const [row] = await sql.query<{ n: number }>(
    `SELECT count(*)::double precision AS n FROM events WHERE account_id = $1::uuid`,
    [account],
  );
  return row?.n ?? 0;
}

/** Without a limit of time. */
function unhurried(sql: SqlSession, statement: string, parameters: readonly string[]): Promise<void> {
  return sql.transaction(async (transaction) => {
    await transaction.query(`SELECT set_config('statement_timeout', '0', true)`);
    await transaction.query(statement, parameters);
  });
}

const quoted = (texts: readonly string[]): string => `ARRAY[${texts.map((text) => `'${text}'`).join(', ')}]`;
/** 0 to 999,999, always the same for the same call and purpose. */
const dice = (purpose: string): string => `(('x' || substr(md5(n || '${purpose}'), 1, 7))::bit(28)::integer % 1000000)`;
/** The first is the most common: each next one is about half as common. */
const common = (items: readonly string[], purpose: string): string =>
  `(${quoted(items)})[least(${items.length}, 1 + floor(-ln((${dice(purpose)} + 1) / 1000001.0) / ln(2)))::integer]`;

/** Texts of 100 bytes to some tens of kilobytes. */
const TEXT_TABLE = `
  SELECT n AS id, (SELECT string_agg((${quoted(WORDS)})[1 + ('x' || substr(md5(n || '-' || i), 1, 7))::bit(28)::integer % ${WORDS.length}], ' ')
    FROM generate_series(1, (20 * exp(6 * power((n % 997) / 997.0, 3)))::integer) i) AS text
  FROM generate_series(0, ${TEXTS - 1}) n`;

const COLUMNS = [
  ...['account_id', 'id', 'event_id', 'event_id_claimed', 'type', 'app_id', 'key_id', 'environment'],
  ...['declared_environment', 'source', 'request_id', 'parent_id', 'session_id', 'provider', 'model', 'metadata'],
  ...['metadata_index', 'payload', 'capture', 'decision', 'reason', 'outcome', 'violations', 'rules', 'redactions'],
  ...['prompt_tokens', 'completion_tokens', 'cost_nano_usd', 'latency_total_ms', 'latency_provider_ms'],
  ...['latency_weir_ms', 'policy_id', 'policy_digest', 'policy_version', 'detectors', 'facts', 'received_at'],
  ...['call_id', 'call_outcome', 'call_before'],
];

const uuid = (part: string): string =>
  `(lpad(to_hex(ms), 12, '0') || '7' || lpad(to_hex(${part}), 3, '0') || '8' || substr(md5(n || '-${part}'), 1, 15))::uuid`;

const VIOLATION = `json_build_object('rule', rule, 'policy', 'production', 'category', 'privacy', 'severity', 'high',
  'action', CASE outcome WHEN 'blocked' THEN 'block' WHEN 'redacted' THEN 'redact' ELSE 'flag' END,
  'enforced', true, 'message', 'Not allowed here.', 'detector', 'pii', 'count', 1)`;

/** `$1` account, `$2` start and `$3` step in milliseconds, `$4` to `$5` numbers of calls. */
const CALLS = `
WITH c AS MATERIALIZED (
  SELECT n, ($2::text::double precision + n * $3::text::double precision)::bigint AS ms,
    ${common(APPS, 'app')} AS app, ${common(MODELS, 'model')} AS model, ${common(TEAMS, 'team')} AS team,
    CASE WHEN ${dice('environment')} < 700000 THEN 'production' WHEN ${dice('environment')} < 900000 THEN 'staging' ELSE 'development' END AS environment,
    floor(5000 * power(${dice('user')} / 1000000.0, 3))::integer AS user_id,
    's-' || n / 7 AS session_id,
    CASE WHEN ${dice('outcome')} < 4000 THEN 'blocked' WHEN ${dice('outcome')} < 50000 THEN 'redacted'
         WHEN ${dice('outcome')} < 70000 THEN 'flagged' ELSE 'allowed' END AS outcome,
    ${common(RULES, 'rule')} AS rule, ${dice('error')} < 8000 AS fails, ${dice('text')} % ${TEXTS} AS text_id,
    ${dice('rare')} < 20 AS is_rare, 1 + ${dice('weir')} / 1000000.0 * ${dice('weir2')} / 100000.0 AS weir_ms
  FROM generate_series($4::text::integer, $5::text::integer) n
), r AS (
  SELECT c.*, a.id AS app_id, t.text, ${uuid('1')} AS root, ${uuid('2')} AS answer, ${uuid('3')} AS child,
    outcome <> 'allowed' AS judged, 'key' || lpad(left(c.app, 9), 9, '0') AS key_id,
    json_build_object('team', team, 'user', json_build_object('id', user_id), 'feature', 'f' || n % 40) AS metadata,
    jsonb_build_object('team', jsonb_build_array(team), 'user.id', jsonb_build_array(user_id::text),
      'feature', jsonb_build_array('f' || n % 40)) AS metadata_index
  FROM c JOIN apps a ON a.account_id = $1::uuid AND a.name = c.app JOIN bench_texts t ON t.id = c.text_id
), e AS (
  SELECT r.*, x.* FROM r CROSS JOIN LATERAL (
    SELECT 'ai.request' AS type, root AS id, NULL::uuid AS parent_id, 0 AS after_ms, outcome AS own, root AS call_id,
      outcome AS call_outcome, NULL::text AS call_before, NULL::bigint AS cost
    UNION ALL
    SELECT CASE WHEN fails THEN 'ai.error' ELSE 'ai.response' END, answer, root, 800, CASE WHEN fails THEN 'error' ELSE 'allowed' END,
      root, CASE WHEN fails THEN 'error' ELSE outcome END, outcome, CASE WHEN NOT fails THEN 200000 + n % 997 * 3011 END
    WHERE outcome <> 'blocked' AND n % 11 <> 0
    UNION ALL
    SELECT 'policy.violation', child, root, 1, NULL, NULL, NULL, NULL, NULL WHERE judged) x
)
INSERT INTO events (${COLUMNS.join(', ')})
SELECT $1::uuid, id, id::text, false, type, app_id, key_id, environment, environment, 'proxy', 'req-' || n, parent_id,
  session_id, CASE WHEN model LIKE 'claude%' THEN 'anthropic' ELSE 'openai' END, model, metadata, metadata_index,
  CASE type
    WHEN 'ai.request' THEN json_build_object('model', model, 'messages', json_build_array(
      json_build_object('role', 'system', 'content', 'You are a careful assistant of ' || app || '.'),
      json_build_object('role', 'user', 'content', text || CASE WHEN is_rare THEN ' ${RARE_WORD}' ELSE '' END || ' number ' || n)))
    WHEN 'ai.response' THEN json_build_object('choices', json_build_array(json_build_object('message',
      json_build_object('role', 'assistant', 'content', left(text, 600)))))
  END,
  'redacted', CASE WHEN type = 'ai.request' THEN CASE outcome WHEN 'blocked' THEN 'block' WHEN 'redacted' THEN 'redact' ELSE 'allow' END END,
  CASE WHEN type = 'ai.request' AND outcome = 'blocked' THEN 'policy_violation' WHEN type = 'ai.error' THEN 'timeout' END,
  own, CASE WHEN judged AND type IN ('ai.request', 'policy.violation') THEN json_build_array(${VIOLATION}) ELSE '[]' END,
  CASE WHEN judged AND type IN ('ai.request', 'policy.violation') THEN ARRAY[rule] END,
  CASE WHEN outcome = 'redacted' AND type = 'ai.request' THEN '[{"type":"EMAIL","count":1}]' ELSE '[]' END::json,
  CASE WHEN cost IS NOT NULL THEN 200 + n % 4000 END, CASE WHEN cost IS NOT NULL THEN 20 + n % 700 END, cost,
  CASE WHEN after_ms = 800 THEN 300 + n % 2500 END, CASE WHEN after_ms = 800 THEN 298 + n % 2500 END, weir_ms,
  'production', md5('policy' || n / 50000), '1.' || n / 50000,
  '[{"key":"pii","plugin":"pii","version":"1.4","revision":1,"status":"scanned"},{"key":"secrets","plugin":"secrets","version":"2.1","revision":1,"status":"scanned"}]',
  json_build_object('stages', json_build_array(json_build_object('stage', 'input', 'findings', json_build_array(), 'text', json_build_object('characters', length(text))))),
  to_timestamp((ms + after_ms) / 1000.0), call_id, call_outcome, call_before
FROM e`;

/** What the sums are made of; see `rollup-statements.ts`. */
const SCANNED = `(SELECT s.*, ${countedStep({ type: 's.type', source: 's.source', outcome: 's.after', isRoot: 's.is_root', ms: 's.latency_weir_ms' })}
  FROM (SELECT e.account_id, e.type, e.app_id, e.environment, e.source, e.session_id, e.call_id = e.id AS is_root,
          e.call_before AS before, e.call_outcome AS after, r.received_at AS at, e.received_at AS own_at, r.model,
          e.model AS own_model, r.key_id, e.cost_nano_usd, e.prompt_tokens, e.completion_tokens, e.latency_weir_ms
        FROM events e JOIN events r ON r.account_id = e.account_id AND r.id = e.call_id
        WHERE e.account_id = $1::uuid AND e.call_id IS NOT NULL) s)`;
const VIOLATED = `(SELECT e.account_id, e.environment, e.app_id, e.rules[1] AS rule, e.received_at,
    e.violations->0->>'action' AS action, (e.violations->0->>'enforced')::boolean AS enforced
  FROM events e WHERE e.account_id = $1::uuid AND e.type = 'policy.violation')`;
const SUMS = [
  `INSERT INTO event_rollups ${rollupRows(SCANNED, '0')}`,
  `INSERT INTO latency_rollups ${latencyRows(SCANNED, '0')}`,
  `INSERT INTO session_rollups (account_id, environment, app_id, session_id, first_at, last_at, models, ${ROLLUP_SUMS.join(', ')}) ${sessionRows(SCANNED)}`,
  `INSERT INTO rule_rollups ${ruleRows(VIOLATED, '0')}`,
];
