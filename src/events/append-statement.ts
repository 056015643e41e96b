/**
 * The one statement that stores a batch: it claims the idempotency ids and inserts the events of those who got theirs,
 * atomically, whatever else is in the batch. Values travel as text and are cast per row: `json_to_recordset` would
 * decode strings and fail on `\u0000`.
 */
import { randomInt } from 'node:crypto';
import type { LedgerStep } from '../core/index.js';
import type { AppendRequest, NewEvent } from './event.js';
import { firstEventIdAt } from './event-id.js';
import { EVENT_COLUMNS, eventRow } from './event-row.js';
import { joinedColumn, joinedValues } from './joined-values.js';
import { callOf, CALL_TYPES, latencySteps, rollupParts, stronger } from './rollups/rollup-statements.js';

/** Rows of sums are kept apart by it, so that processes that store at the same time do not wait for each other. */
const WRITER_NUMBER = randomInt(0, 32_768);

/** One append with its rows made: what the queue holds. */
export interface PreparedAppend {
  /** Values in the order of `EVENT_COLUMNS`: the event first, then its children. */
  readonly rows: readonly (readonly (string | null)[])[];
  readonly rowId: string;
  /** Absent when the answer is not to be remembered: then nothing is claimed and the id stays free. */
  readonly claim?: Claim;
  readonly size: number;
  readonly event: NewEvent;
  readonly ledger: readonly LedgerStep[];
}

export interface Claim {
  readonly accountId: string;
  readonly eventId: string;
  readonly appId: string;
  readonly environment: string;
  readonly fingerprint: string;
  readonly status: string;
  readonly body: string;
  readonly createdAt: string;
}

const CLAIM_FIELDS = [
  'accountId',
  'eventId',
  'appId',
  'environment',
  'fingerprint',
  'status',
  'body',
  'createdAt',
] as const satisfies readonly (keyof Claim)[];

const NAMES = EVENT_COLUMNS.map(({ name }) => name);
const CASTS = EVENT_COLUMNS.map(({ name, type }) => (type === 'text' ? `r.${name}` : `r.${name}::${type}`));

const ROOTS = joinedColumn(0);
const CLAIM_ROWS = joinedColumn(1);
const CLAIMS = CLAIM_FIELDS.map((_, index) => joinedColumn(2 + index));
const ROWS = EVENT_COLUMNS.map((_, index) => joinedColumn(2 + CLAIM_FIELDS.length + index));
/** After the columns: from which id on the requests of answers are looked for, and the number of this process. */
const AFTER_COLUMNS = 3 + 2 + CLAIM_FIELDS.length + EVENT_COLUMNS.length;
const FROM_ID = `$${AFTER_COLUMNS}`;
const WRITER = `$${AFTER_COLUMNS + 1}::smallint`;

/** Answers that are submitted longer after their request than this are calls of their own. */
const ANSWERED_WITHIN_MS = 24 * 3_600_000;

const SUMMED = [
  ...['account_id', 'id', 'type', 'app_id', 'key_id', 'environment', 'source', 'request_id', 'parent_id', 'session_id'],
  ...['model', 'outcome', 'prompt_tokens', 'completion_tokens', 'cost_nano_usd', 'latency_weir_ms', 'received_at'],
];
const columnsOf = (names: readonly string[]) => {
  const indexes = names.map((name) => NAMES.indexOf(name));
  return { casts: indexes.map((index) => `${CASTS[index]} AS ${NAMES[index]}`), rows: indexes.map((at) => ROWS[at]!) };
};
const CALLS = columnsOf(SUMMED);
const VIOLATIONS = columnsOf(['account_id', 'type', 'app_id', 'environment', 'rules', 'received_at']);
const WON = '(r.root_id IS NULL OR r.root_id::uuid IN (SELECT event_row_id FROM claims))';

/**
 * Answers one row per claimed id: the row id of its event. `ON CONFLICT DO NOTHING` waits for another transaction
 * that holds the same id, takes the first of equal ids within the batch, and returns only those that were inserted.
 *
 * `k` are the stored events that are calls or belong to one, with the call that each belongs to; `v` the violations. What
 * the sums beside the log are made of is therefore what is stored. Casts come before joins (`OFFSET 0`): row-level
 * security looks nothing up by a cast of another table's column.
 */
export const APPEND_STATEMENT = `
WITH claims AS (
  INSERT INTO event_ids (account_id, event_id, app_id, environment, fingerprint, answer_status, answer_body, created_at, event_row_id)
  SELECT c.account_id::uuid, c.event_id, c.app_id::uuid, c.environment, decode(c.fingerprint, 'hex'),
         c.status::smallint, c.body, c.created_at::timestamptz, c.row_id::uuid
  FROM unnest(${CLAIMS.join(', ')}, ${CLAIM_ROWS})
    AS c (account_id, event_id, app_id, environment, fingerprint, status, body, created_at, row_id)
  ON CONFLICT DO NOTHING
  RETURNING event_row_id
), own AS MATERIALIZED (
  SELECT r.*, c.root, c.received_at AS root_at, c.model AS root_model, c.key_id AS root_key,
         c.latency_weir_ms AS root_weir_ms, c.before, c.root IS NULL AS is_root
  FROM (SELECT ${CALLS.casts.join(', ')} FROM unnest(${CALLS.rows.join(', ')}, ${ROOTS}) AS r (${SUMMED.join(', ')}, root_id)
        WHERE r.type IN ${CALL_TYPES} AND ${WON} OFFSET 0) r
  LEFT JOIN ${callOf(FROM_ID)} c ON true
), k AS MATERIALIZED (
  SELECT id, account_id, type, app_id, environment, is_root, coalesce(root, id) AS call_id, before,
    ${stronger('outcome', 'before')} AS after, coalesce(root_at, received_at) AS at,
    CASE WHEN is_root THEN coalesce(model, '') ELSE coalesce(root_model, '') END AS model,
    coalesce(root_key, key_id) AS key_id, cost_nano_usd, prompt_tokens, completion_tokens, session_id,
    received_at AS own_at, model AS own_model, ${latencySteps('latency_weir_ms', 'root_weir_ms')}
  FROM own
), v AS (
  SELECT r.account_id, r.app_id, r.environment, r.rules[1] AS rule, r.received_at, r.first->>'action' AS action,
         (r.first->>'enforced')::boolean AS enforced
  FROM (SELECT ${VIOLATIONS.casts.join(', ')}, r.violations::json->0 AS first
        FROM unnest(${VIOLATIONS.rows.join(', ')}, ${ROWS[NAMES.indexOf('violations')]}, ${ROOTS})
          AS r (account_id, type, app_id, environment, rules, received_at, violations, root_id)
        WHERE r.type = 'policy.violation' AND ${WON}) r
), stored AS (
  INSERT INTO events (${NAMES.join(', ')}, event_id_claimed, call_id, call_outcome, call_before)
  SELECT ${CASTS.join(', ')}, r.root_id IS NOT NULL, k.call_id, k.after, k.before
  FROM unnest(${ROWS.join(', ')}, ${ROOTS}) AS r (${NAMES.join(', ')}, root_id)
  LEFT JOIN k ON k.id = r.id::uuid
  WHERE ${WON}
), ${rollupParts(WRITER)}
SELECT event_row_id::text AS row_id FROM claims`;

/** Makes the rows of one request. */
export function prepareAppend(request: AppendRequest): PreparedAppend {
  const { event, children, idempotency } = request;
  const rows = [event, ...children].map(eventRow);
  const size = rows.reduce((sum, row) => sum + row.size, idempotency.answer?.body.length ?? 0);
  return {
    rows: rows.map(({ values }) => values),
    rowId: event.id,
    size,
    event,
    ledger: request.ledger ?? [],
    ...(idempotency.answer === undefined
      ? {}
      : {
          claim: {
            accountId: event.accountId,
            eventId: event.eventId,
            appId: event.appId,
            environment: event.environment,
            fingerprint: idempotency.fingerprint.toString('hex'),
            status: String(idempotency.answer.status),
            body: idempotency.answer.body,
            createdAt: event.receivedAt.toISOString(),
          },
        }),
  };
}

/** The statement's parameters for a batch. */
export function appendParameters(batch: readonly PreparedAppend[]): string[] {
  const rows = batch.flatMap((item) => item.rows);
  const claims = batch.filter(hasClaim).sort(byClaim);
  const firstMs = Math.min(...batch.map(({ event }) => event.receivedAt.getTime()));
  const values = joinedValues([
    batch.flatMap((item) => item.rows.map(() => (item.claim === undefined ? null : item.rowId))),
    claims.map(({ rowId }) => rowId),
    ...CLAIM_FIELDS.map((field) => claims.map(({ claim }) => claim[field])),
    ...EVENT_COLUMNS.map((_, column) => rows.map((row) => row[column] ?? null)),
  ]);
  return [...values, firstEventIdAt(firstMs - ANSWERED_WITHIN_MS), String(WRITER_NUMBER)];
}

function hasClaim(item: PreparedAppend): item is PreparedAppend & { claim: Claim } {
  return item.claim !== undefined;
}

/** Two servers that claim the same ids in the same order wait for each other; in different orders they would deadlock. */
function byClaim(left: { claim: Claim }, right: { claim: Claim }): number {
  const key = ({ claim }: { claim: Claim }): string =>
    `${claim.accountId} ${claim.eventId} ${claim.appId} ${claim.environment}`;
  const [a, b] = [key(left), key(right)];
  return a < b ? -1 : a > b ? 1 : 0;
}
