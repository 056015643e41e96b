/** The way out of the event log: pages of it, newest first, and single events. Reads only what the token may see. */
import type { Reach } from '../../access/index.js';
import { DatabaseError, type SqlRow, type TenantSql } from '../../database/index.js';
import { EventLogUnavailable } from '../event-log-errors.js';
import { isUuid } from '../event-id.js';
import { storable } from '../search-index.js';
import { decodeCursor, encodeCursor } from './cursor.js';
import { ACCOUNT, addApp, Conditions, filterConditions, type EventFilters } from './event-filters.js';
import { eventRecord, RECORD_COLUMNS, type EventRecord, type EventRow } from './event-record.js';

export const DEFAULT_LIMIT = 50;
export const MAX_LIMIT = 200;

/** A page ends early rather than grow beyond this; one event always fits. UTF-8 bytes of stored JSON. */
const PAGE_BYTES = 8 * 1024 * 1024;
/** Free text is looked for in this many events that match the other filters; the next page goes on after them. */
const TEXT_SCAN_EVENTS = 2_000;

export interface EventPage {
  readonly data: readonly EventRecord[];
  /** Null on the last page. With free text a page may be empty and still have one. */
  readonly nextCursor: string | null;
}

/** The query itself is wrong; `field` names the part. 422. */
export class InvalidEventQuery extends Error {
  override readonly name = 'InvalidEventQuery';

  constructor(
    readonly field: 'cursor' | 'limit',
    message: string,
  ) {
    super(message);
  }
}

interface Candidate extends SqlRow {
  readonly id: string;
  readonly bytes: number;
  readonly matches: boolean;
}

export class EventReader {
  constructor(private readonly sql: TenantSql) {}

  /**
   * A page of the events that match, newest first. A page that ends is followed by `nextCursor`; events that come in
   * meanwhile do not shift it.
   *
   * @throws InvalidEventQuery for a cursor that is none of ours, or a limit out of bounds; EventLogUnavailable
   */
  async list(filters: EventFilters, cursor?: string): Promise<EventPage> {
    const limit = filters.limit ?? DEFAULT_LIMIT;
    if (!Number.isInteger(limit) || limit < 1 || limit > MAX_LIMIT) {
      throw new InvalidEventQuery('limit', `must be a whole number from 1 to ${MAX_LIMIT}`);
    }
    const beforeId = cursor === undefined ? undefined : decodeCursor(cursor);
    if (beforeId === null) {
      throw new InvalidEventQuery('cursor', 'is not a cursor of this service');
    }
    const { ids, last, more } = pick(await this.candidates(filters, beforeId, limit), limit, filters.text);
    const rows = await this.rows(filters.manager.accountId, ids);
    return { data: rows.map(eventRecord), nextCursor: more && last !== undefined ? encodeCursor(last) : null };
  }

  /**
   * One event by the server's id, else by the client's `event_id`. An id that was sent again after an answer that is
   * not remembered names the event whose answer is; if there is none, the newest attempt.
   *
   * @param app id or name; needed when several apps or environments have used the same `event_id`
   * @returns null when there is no such event for this token; `ambiguous` when `event_id` names several
   * @throws EventLogUnavailable
   */
  async get(manager: Reach, idOrEventId: string, app?: string): Promise<EventRecord | null | 'ambiguous'> {
    if (isUuid(idOrEventId)) {
      const [row] = await this.select(manager.accountId, scope(manager, app, 'e.id = ?::uuid', idOrEventId));
      if (row !== undefined) {
        return eventRecord(row);
      }
    }
    const claimed = await this.select(
      manager.accountId,
      scope(
        manager,
        app,
        `e.id IN (SELECT event_row_id FROM event_ids WHERE account_id = ${ACCOUNT} AND event_id = ?)`,
        storable(idOrEventId),
      ),
    );
    const found = claimed.length > 0 ? claimed : await this.unclaimed(manager, idOrEventId, app);
    const [first, ...rest] = found;
    if (first === undefined) {
      return null;
    }
    return rest.length > 0 ? 'ambiguous' : eventRecord(first);
  }

  /**
   * Ids of the events from `fromId` on, oldest first: for following the log. Free text is not looked for.
   *
   * @throws EventLogUnavailable
   */
  async idsFrom(filters: EventFilters, fromId: string, limit: number): Promise<string[]> {
    const where = filterConditions(filters, undefined);
    where.add('e.id >= ?::uuid', fromId);
    const found = await this.query<{ readonly id: string }>(
      filters.manager.accountId,
      `SELECT e.id::text AS id FROM events e WHERE ${where.toString()} ORDER BY e.id ASC LIMIT ${limit}`,
      where,
    );
    return found.map(({ id }) => id);
  }

  /**
   * Events by ids of `idsFrom`, oldest first, at most `MAX_LIMIT` of them.
   *
   * @throws EventLogUnavailable
   */
  async byIds(manager: Reach, ids: readonly string[]): Promise<EventRecord[]> {
    return (await this.rows(manager.accountId, ids)).map(eventRecord).reverse();
  }

  /**
   * How many events match, all of them counted: for work that takes long anyway. Null with free text, which would have
   * to be looked for.
   *
   * @throws EventLogUnavailable
   */
  async countAll(filters: EventFilters): Promise<number | null> {
    if (filters.text !== undefined) return null;
    const where = filterConditions(filters, undefined);
    const statement = `SELECT count(*)::double precision AS n FROM events e WHERE ${where.toString()}`;
    const [row] = await this.query<{ readonly n: number }>(filters.manager.accountId, statement, where);
    return row?.n ?? 0;
  }

  /** Events whose answers were not remembered: the newest per app and environment. */
  private async unclaimed(manager: Reach, eventId: string, app: string | undefined): Promise<EventRow[]> {
    const rows = await this.select(
      manager.accountId,
      scope(manager, app, 'e.event_id = ? AND NOT e.event_id_claimed AND e.parent_id IS NULL', storable(eventId)),
    );
    const newest = new Map<string, EventRow>();
    for (const row of rows) {
      const place = `${row.app_id} ${row.environment}`;
      if (!newest.has(place)) {
        newest.set(place, row);
      }
    }
    return [...newest.values()];
  }

  private candidates(filters: EventFilters, beforeId: string | undefined, limit: number): Promise<Candidate[]> {
    const where = filterConditions(filters, beforeId);
    const scan = filters.text === undefined ? limit + 1 : TEXT_SCAN_EVENTS + 1;
    const matches = filters.text === undefined ? 'true' : textMatch(where.parameter(likePattern(filters.text)));
    return this.query<Candidate>(
      filters.manager.accountId,
      `SELECT c.id::text AS id, ${matches} AS matches,
              (coalesce(octet_length(c.payload::text), 0) + coalesce(octet_length(c.facts::text), 0)
               + coalesce(octet_length(c.metadata::text), 0))::integer AS bytes
       FROM (SELECT e.id, e.payload, e.facts, e.metadata FROM events e
             WHERE ${where.toString()} ORDER BY e.id DESC LIMIT ${scan}) c
       ORDER BY c.id DESC`,
      where,
    );
  }

  private async rows(accountId: string, ids: readonly string[]): Promise<EventRow[]> {
    if (ids.length === 0) {
      return [];
    }
    const where = new Conditions();
    where.add('e.account_id = ?::uuid', accountId);
    where.add('e.id = ANY (?::text[]::uuid[])', ids);
    return this.select(accountId, where);
  }

  private select(accountId: string, where: Conditions): Promise<EventRow[]> {
    return this.query<EventRow>(
      accountId,
      `SELECT ${RECORD_COLUMNS}
       FROM events e LEFT JOIN apps a ON a.account_id = e.account_id AND a.id = e.app_id
       WHERE ${where.toString()} ORDER BY e.id DESC LIMIT ${MAX_LIMIT}`,
      where,
    );
  }

  private async query<Row extends SqlRow>(accountId: string, statement: string, where: Conditions): Promise<Row[]> {
    try {
      return await this.sql.forAccounts(accountId).query<Row>(statement, where.parameters);
    } catch (error) {
      // A statement that the database refuses is a fault of ours, not an outage.
      throw error instanceof DatabaseError ? error : new EventLogUnavailable('the event log cannot be reached');
    }
  }
}

/** Account, the token's environment, the app if given, and one more term with its value. */
function scope(manager: Reach, app: string | undefined, term: string, value: string): Conditions {
  const where = filterConditions({ manager }, undefined);
  if (app !== undefined) {
    addApp(where, app);
  }
  where.add(term, value);
  return where;
}

/** Those candidates that make the page: by number, by size and, with free text, by content. */
function pick(
  candidates: readonly Candidate[],
  limit: number,
  text: string | undefined,
): { ids: string[]; last: string | undefined; more: boolean } {
  const ids: string[] = [];
  const scanned = text === undefined ? candidates : candidates.slice(0, TEXT_SCAN_EVENTS);
  let bytes = 0;
  let last: string | undefined;
  for (const candidate of scanned) {
    if (candidate.matches) {
      if (ids.length === limit || (ids.length > 0 && bytes + candidate.bytes > PAGE_BYTES)) {
        return { ids, last, more: true };
      }
      ids.push(candidate.id);
      bytes += candidate.bytes;
    }
    last = candidate.id;
  }
  return { ids, last, more: candidates.length > scanned.length };
}

function textMatch(pattern: string): string {
  return `(coalesce(c.payload::text ILIKE ${pattern}, false) OR coalesce(c.metadata::text ILIKE ${pattern}, false))`;
}

/** Looked for as it stands in JSON text: quotes and line breaks escaped, and LIKE's own signs taken literally. */
function likePattern(text: string): string {
  const inJson = JSON.stringify(storable(text)).slice(1, -1);
  return `%${inJson.replace(/[\\%_]/g, '\\$&')}%`;
}
