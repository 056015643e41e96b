/**
 * The one statement that stores a batch: it claims the idempotency ids and inserts the events of those who got theirs,
 * atomically, whatever else is in the batch. Values travel as text and are cast per row: `json_to_recordset` would
 * decode strings and fail on `\u0000`.
 */
import type { LedgerStep } from '../core/index.js';
import type { AppendRequest, NewEvent } from './event.js';
import { EVENT_COLUMNS, eventRow } from './event-row.js';
import { joinedColumn, joinedValues } from './joined-values.js';

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

/**
 * Answers one row per claimed id: the row id of its event. `ON CONFLICT DO NOTHING` waits for another transaction
 * that holds the same id, takes the first of equal ids within the batch, and returns only those that were inserted.
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
), stored AS (
  INSERT INTO events (${NAMES.join(', ')}, event_id_claimed)
  SELECT ${CASTS.join(', ')}, r.root_id IS NOT NULL
  FROM unnest(${ROWS.join(', ')}, ${ROOTS}) AS r (${NAMES.join(', ')}, root_id)
  WHERE r.root_id IS NULL OR r.root_id::uuid IN (SELECT event_row_id FROM claims)
)
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
  return joinedValues([
    batch.flatMap((item) => item.rows.map(() => (item.claim === undefined ? null : item.rowId))),
    claims.map(({ rowId }) => rowId),
    ...CLAIM_FIELDS.map((field) => claims.map(({ claim }) => claim[field])),
    ...EVENT_COLUMNS.map((_, column) => rows.map((row) => row[column] ?? null)),
  ]);
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
