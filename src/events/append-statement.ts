/**
 * The one statement that stores a batch: it claims the idempotency ids and inserts the events of the requests whose claim succeeded.
 * Each request is stored atomically and independently of the others in the batch. Values travel as text and are cast per row:
 * `json_to_recordset` would decode strings and fail on `\u0000`.
 *
 * To pass many values as few parameters, the values of each column are joined into one text with a boundary, at which PostgreSQL splits
 * it with `string_to_array`. In array literals, every quote and backslash would have to be escaped, which took seconds and gigabytes
 * for a 32 MiB body of quotes.
 */
import { randomInt } from 'node:crypto';
import { compareText, type LedgerStep } from '../core/index.js';
import { pooledRandom } from '../http/index.js';
import type { Lane } from './call-lanes.js';
import type { AppendRequest, NewEvent } from './event.js';
import { COLUMNS, type Column } from './fields/event-columns.js';
import type { SessionStepToWrite } from './sessions/session-key.js';
import { storable } from './search-index.js';
import type { CallPart } from './rollups/call-book.js';
import { countedStep, rollupParts, type AdditionalSums } from './rollups/rollup-statements.js';

/** Random bytes of a boundary: nobody can guess the next boundary and send a text that contains it. */
const BOUNDARY_BYTES = 16;

/** `$1` is the boundary, `$2` stands for null; the columns follow. */
const FIRST_COLUMN = 3;

/**
 * The SQL expression for column `index` (from 0) of `joinedValues`: a `text[]`. A single empty text would result in no value at all, so
 * empty texts must not be passed.
 */
export function joinedColumn(index: number): string {
  return `string_to_array($${FIRST_COLUMN + index}, $1, $2)`;
}

/** The parameters of a statement whose columns are `joinedColumn(0)`, `joinedColumn(1)`, … */
export function joinedValues(columns: readonly (readonly (string | null)[])[]): string[] {
  const marks = newMarks();
  return [marks.boundary, marks.absent, ...columns.map((values) => joined(values, (value) => value, marks))];
}

interface Marks {
  readonly boundary: string;
  readonly absent: string;
}

function newMarks(): Marks {
  const random = pooledRandom(BOUNDARY_BYTES).toString('base64url');
  return { boundary: `\u001e${random}`, absent: `\u001f${random}` };
}

/**
 * Joins one column of the rows into a text, or nothing if no row has a value: `unnest` then fills it with nulls, because another column,
 * such as the id, has a value for each row.
 */
function joinedIfAny<Item>(
  items: readonly Item[],
  valueOf: (item: Item) => string | null | undefined,
  marks: Marks,
): string {
  return items.some((item) => (valueOf(item) ?? null) !== null) ? joined(items, valueOf, marks) : '';
}

/** Joins one column of the items into a text, without building a list of its values. */
function joined<Item>(
  items: readonly Item[],
  valueOf: (item: Item) => string | null | undefined,
  { boundary, absent }: Marks,
): string {
  let text = '';
  for (let index = 0; index < items.length; index++) {
    if (index > 0) text += boundary;
    text += valueOf(items[index]!) ?? absent;
  }
  return text;
}

/** Even, so that the lane `main` of a process never writes the rows of another one's lane `beside`. */
const FIRST_WRITER = 2 * randomInt(0, 16_384);

/** Each lane of each process has its own rows of sums, so that statements that run at the same time do not wait for each other. */
const WRITER_NUMBERS: Readonly<Record<Lane, number>> = { main: FIRST_WRITER, beside: FIRST_WRITER + 1 };

/**
 * All columns of `events` except `event_id_claimed` and those of the call; the statement computes these
 * itself.
 */
const EVENT_COLUMNS: readonly ({ readonly name: string } & Column)[] = Object.entries<Column>(COLUMNS).map(
  ([name, column]) => ({ name, ...column }),
);

/** One append with its prepared rows, as stored in the queue. */
export interface PreparedAppend {
  /** Values in the order of `EVENT_COLUMNS`: the event first, then its children. */
  readonly rows: readonly (readonly (string | null)[])[];
  readonly rowId: string;
  /** Absent if the answer must not be stored: then the id is not claimed and stays free. */
  readonly claim?: Claim;
  readonly size: number;
  readonly event: NewEvent;
  /** The event first, then its children. */
  readonly events: readonly NewEvent[];
  readonly ledger: readonly LedgerStep[];
  readonly session?: SessionStepToWrite;
}

export interface Claim {
  readonly accountId: string;
  readonly eventId: string;
  readonly appId: string;
  readonly environment: string;
  readonly fingerprint: string;
  readonly status: string;
  readonly body: string;
  readonly remade: string | null;
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
  'remade',
  'createdAt',
] as const satisfies readonly (keyof Claim)[];

const NAMES = EVENT_COLUMNS.map(({ name }) => name);
const CASTS = EVENT_COLUMNS.map(({ name, type }) => (type === 'text' ? `r.${name}` : `r.${name}::${type}`));

const ROOTS = joinedColumn(0);
const CLAIM_ROWS = joinedColumn(1);
const CLAIMS = CLAIM_FIELDS.map((_, index) => joinedColumn(2 + index));
const ROWS = EVENT_COLUMNS.map((_, index) => joinedColumn(2 + CLAIM_FIELDS.length + index));

/**
 * Each row's part in its call, in addition to `EVENT_COLUMNS`; all null in rows that only report about another
 * event.
 */
const PART_COLUMNS = ['call_id', 'call_outcome', 'call_before', 'call_at', 'call_model', 'call_key'] as const;
const PARTS = PART_COLUMNS.map((_, index) => joinedColumn(2 + CLAIM_FIELDS.length + EVENT_COLUMNS.length + index));
/** The number of this process's lane. */
const WRITER = `$${3 + 2 + CLAIM_FIELDS.length + EVENT_COLUMNS.length + PART_COLUMNS.length}::smallint`;

const columnsOf = (names: readonly string[]) => {
  const indexes = names.map((name) => NAMES.indexOf(name));
  return { casts: indexes.map((index) => `${CASTS[index]} AS ${NAMES[index]}`), rows: indexes.map((at) => ROWS[at]!) };
};
const SUMMED = [
  ...['account_id', 'id', 'type', 'app_id', 'environment', 'source', 'session_id', 'model'],
  ...['prompt_tokens', 'completion_tokens', 'cost_nano_usd', 'latency_weir_ms', 'received_at'],
];
const CALLS = columnsOf(SUMMED);
const EXCEPTED = columnsOf(['account_id', 'id', 'app_id', 'environment', 'excepted', 'received_at']);
const VIOLATIONS = columnsOf(['account_id', 'type', 'app_id', 'environment', 'rules', 'received_at']);
const WON = '(r.root_id IS NULL OR r.root_id::uuid IN (SELECT event_row_id FROM claims))';

const STEP = countedStep({
  ...{ type: 'r.type', source: 'r.source', outcome: 'r.after', isRoot: 'r.is_root', ms: 'r.latency_weir_ms' },
});

const VIOLATION_PART = `v AS (
  SELECT r.account_id, r.app_id, r.environment, r.rules[1] AS rule, r.received_at, r.first->>'action' AS action,
         (r.first->>'enforced')::boolean AS enforced
  FROM (SELECT ${VIOLATIONS.casts.join(', ')}, r.violations::json->0 AS first
        FROM unnest(${VIOLATIONS.rows.join(', ')}, ${ROWS[NAMES.indexOf('violations')]}, ${ROOTS})
          AS r (account_id, type, app_id, environment, rules, received_at, violations, root_id)
        WHERE r.type = 'policy.violation' AND ${WON}) r
), `;

const EXCEPTED_PART = `x AS (
  SELECT r.*
  FROM (SELECT ${EXCEPTED.casts.join(', ')}
        FROM unnest(${EXCEPTED.rows.join(', ')}, ${ROOTS})
          AS r (account_id, id, app_id, environment, excepted, received_at, root_id)
        WHERE r.excepted IS NOT NULL AND ${WON}) r
), `;

/**
 * Returns one row per claimed id: the row id of its event. `ON CONFLICT DO NOTHING` waits for another transaction that holds the same
 * id, accepts the first of equal ids within the batch, and returns only inserted ids.
 *
 * `k` are the stored events that are calls or belong to one, `v` the violations, `x` those in which an exception was
 * applied to a rule: the sums are therefore computed from the stored rows.
 */
const statement = (too: AdditionalSums): string => `
WITH claims AS (
  INSERT INTO event_ids (account_id, event_id, app_id, environment, fingerprint, answer_status, answer_body, answer_remade, created_at, event_row_id)
  SELECT c.account_id::uuid, c.event_id, c.app_id::uuid, c.environment, decode(c.fingerprint, 'hex'),
         c.status::smallint, c.body, c.remade, c.created_at::timestamptz, c.row_id::uuid
  FROM unnest(${CLAIMS.join(', ')}, ${CLAIM_ROWS})
    AS c (account_id, event_id, app_id, environment, fingerprint, status, body, remade, created_at, row_id)
  ON CONFLICT DO NOTHING
  RETURNING event_row_id
), k AS MATERIALIZED (
  SELECT r.*, r.received_at AS own_at, ${STEP}
  FROM (SELECT ${CALLS.casts.filter((cast) => !cast.endsWith(' AS model')).join(', ')}, r.model AS own_model,
               coalesce(r.call_model, '') AS model, r.call_key AS key_id, r.call_at::timestamptz AS at,
               r.call_before IS NULL AS is_root, r.call_before AS before, r.call_outcome AS after
        FROM unnest(${CALLS.rows.join(', ')}, ${PARTS.join(', ')}, ${ROOTS})
          AS r (${SUMMED.join(', ')}, ${PART_COLUMNS.join(', ')}, root_id)
        WHERE r.call_id IS NOT NULL AND ${WON}) r
), ${too.rules ? VIOLATION_PART : ''}${too.exceptions ? EXCEPTED_PART : ''}stored AS (
  INSERT INTO events (${NAMES.join(', ')}, event_id_claimed, call_id, call_outcome, call_before)
  SELECT ${CASTS.join(', ')}, r.root_id IS NOT NULL, r.call_id::uuid, r.call_outcome, r.call_before
  FROM unnest(${ROWS.join(', ')}, ${PARTS.slice(0, 3).join(', ')}, ${ROOTS})
    AS r (${NAMES.join(', ')}, call_id, call_outcome, call_before, root_id)
  WHERE ${WON}
), ${rollupParts(WRITER, too)}
SELECT event_row_id::text AS row_id FROM claims`;

const STATEMENTS = [false, true].flatMap((sessions) =>
  [false, true].flatMap((rules) =>
    [false, true].map((exceptions) => ({
      ...{ sessions, rules, exceptions },
      sql: statement({ sessions, rules, exceptions }),
      prepareAs: `append${sessions ? '-sessions' : ''}${rules ? '-rules' : ''}${exceptions ? '-exceptions' : ''}`,
    })),
  ),
);

/** The statement for a batch, without the parts for sums to which the batch adds nothing. */
export function appendStatement(batch: readonly PreparedAppend[]): { sql: string; prepareAs: string } {
  const events = batch.flatMap((item) => item.events);
  const sessions = events.some(({ sessionId }) => sessionId !== undefined);
  const rules = events.some(({ type }) => type === 'policy.violation');
  const exceptions = events.some(({ excepted }) => excepted !== undefined);
  return STATEMENTS.find(
    (each) => each.sessions === sessions && each.rules === rules && each.exceptions === exceptions,
  )!;
}

/** Makes the rows of one request. */
export function prepareAppend(request: AppendRequest): PreparedAppend {
  const { event, children, idempotency } = request;
  const events = [event, ...children];
  const rows = events.map(eventRow);
  const size = rows.reduce((sum, row) => sum + row.size, idempotency.answer?.body.length ?? 0);
  return {
    rows: rows.map(({ values }) => values),
    rowId: event.id,
    size,
    event,
    events,
    ledger: request.ledger ?? [],
    ...(request.session === undefined ? {} : { session: request.session }),
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
            remade: idempotency.answer.remade ?? null,
            createdAt: event.receivedAt.toISOString(),
          },
        }),
  };
}

/** The values of one event in the order of `EVENT_COLUMNS`, and their length in UTF-16 units. */
function eventRow(event: NewEvent): { values: (string | null)[]; size: number } {
  const values: (string | null)[] = [];
  let size = 0;
  for (const column of EVENT_COLUMNS) {
    const value = column.write(event);
    values.push(value);
    if (value !== null) size += value.length;
  }
  return { values, size };
}

/** The statement's parameters for a batch in a lane; `parts` defines which of its rows are calls. */
export function appendParameters(
  batch: readonly PreparedAppend[],
  parts: readonly (CallPart | undefined)[],
  lane: Lane,
): string[] {
  const rows = batch.flatMap((item) => item.rows);
  const roots = batch.flatMap((item) => item.rows.map(() => (item.claim === undefined ? null : item.rowId)));
  const claims = inClaimOrder(batch.filter(hasClaim));
  const marks = newMarks();
  return [
    ...[marks.boundary, marks.absent],
    joinedIfAny(roots, (root) => root, marks),
    joined(claims, ({ rowId }) => rowId, marks),
    ...CLAIM_FIELDS.map((field) => joinedIfAny(claims, ({ claim }) => claim[field], marks)),
    ...EVENT_COLUMNS.map((_, column) => joinedIfAny(rows, (row) => row[column], marks)),
    ...PART_COLUMNS.map((column) => joinedIfAny(parts, (part) => part && partValue(part, column), marks)),
    String(WRITER_NUMBERS[lane]),
  ];
}

function partValue(part: CallPart, column: (typeof PART_COLUMNS)[number]): string | null {
  switch (column) {
    case 'call_id':
      return part.id;
    case 'call_outcome':
      return part.after;
    case 'call_before':
      return part.before;
    case 'call_at':
      return part.at;
    case 'call_model':
      return part.model === undefined || part.model === '' ? null : storable(part.model);
    case 'call_key':
      return part.keyId;
  }
}

function hasClaim(item: PreparedAppend): item is PreparedAppend & { claim: Claim } {
  return item.claim !== undefined;
}

/** Two servers that claim the same ids in the same order wait for each other; in different orders they would deadlock. */
function inClaimOrder<Item extends { readonly claim: Claim }>(items: readonly Item[]): readonly Item[] {
  if (items.length < 2) return items;
  const keyed = items.map((item) => ({ item, key: claimKey(item.claim) }));
  return keyed.sort((left, right) => compareText(left.key, right.key)).map(({ item }) => item);
}

function claimKey({ accountId, eventId, appId, environment }: Claim): string {
  return `${accountId} ${eventId} ${appId} ${environment}`;
}
