/** Reads the event log: pages, newest first, and single events. Returns only data that the token may read. */
import type { Reach } from '../../access/index.js';
import type { Environment } from '../../core/index.js';
import type { SqlRow, TenantSql } from '../../database/index.js';
import { isUuid } from '../event-id.js';
import { storable } from '../search-index.js';
import { decodeCursor, encodeCursor } from './cursor.js';
import { ANSWER_COLUMNS, callRecord, type AnswerRow } from './call-record.js';
import {
  accountConditions,
  ACCOUNT,
  appTerm,
  Conditions,
  filterConditions,
  type EventFilters,
} from './event-filters.js';
import type { EventRow } from '../fields/event-columns.js';
import {
  eventRecord,
  eventSummary,
  RECORD_COLUMNS,
  SUMMARY_COLUMNS,
  type EventRecord,
  type EventSummary,
} from './event-record.js';
import { answersOf, eventsById } from './event-look-up.js';
import { searchedTo, searchEvents, shownBytes, type Found } from './event-search.js';
import { askingAccounts, type AskAccount } from './ask-account.js';
import { PAGE_PATIENCE, UNHURRIED, type SearchLimits } from './event-windows.js';

export const DEFAULT_LIMIT = 50;

/** Several events have the `event_id`; they differ in the fields of `by`. */
export interface Ambiguous {
  readonly by: readonly ('app' | 'environment')[];
}

/** Where to look for an event. */
export interface Place {
  readonly app?: string;
  readonly environment?: Environment;
}

export const MAX_LIMIT = 200;

/** Maximum size of a page in UTF-8 bytes of stored JSON; a single event may exceed it. */
const PAGE_BYTES = 8 * 1024 * 1024;
/** The time after which the database ends a query for the records of a tail. */
const RECORDS_END_MS = 5_000;

/** The next part of the log for a reader that follows it. */
export interface FollowedIds {
  /** The ids of matching events, oldest first. */
  readonly ids: readonly string[];
  /** Everything up to this id was searched. */
  readonly reached: string;
  /** Whether everything was searched. */
  readonly isComplete: boolean;
}

export interface EventPage<T = EventRecord> {
  readonly data: readonly T[];
  /** Null on the last page. A page that ends early may be empty and still have a cursor. */
  readonly nextCursor: string | null;
  /** RFC 3339: the page ended early, after searching back to this time. Null for other pages. */
  readonly searchedTo: string | null;
}

/** An invalid query, answered with 422; `field` names the invalid part. */
export class InvalidEventQuery extends Error {
  override readonly name = 'InvalidEventQuery';

  constructor(
    readonly field: 'cursor' | 'limit',
    message: string,
  ) {
    super(message);
  }
}

const WITH_APPS = 'LEFT JOIN apps a ON a.account_id = e.account_id AND a.id = e.app_id';

export class EventReader {
  private readonly ask: AskAccount;

  constructor(sql: TenantSql) {
    this.ask = askingAccounts(sql);
  }

  /**
   * Reads a page of the matching events, newest first. `nextCursor` leads to the next page, which events received meanwhile do not shift.
   *
   * @param patience by default, the page is always full
   * @throws InvalidEventQuery for a foreign cursor, or a limit out of bounds; EventLogUnavailable
   */
  async list(filters: EventFilters, cursor?: string, patience: SearchLimits = UNHURRIED): Promise<EventPage> {
    return (await this.page({ ...filters, fields: 'all' }, cursor, patience)) as EventPage;
  }

  /**
   * Like `list`, with the requested `fields`, and limited to what can be searched while a user waits: a page that ends early because of
   * this limit has `searchedTo` and a cursor for the rest.
   *
   * @throws as `list`
   */
  async page(
    filters: EventFilters,
    cursor?: string,
    patience: SearchLimits = PAGE_PATIENCE,
  ): Promise<EventPage<EventRecord | EventSummary>> {
    const limit = filters.limit ?? DEFAULT_LIMIT;
    if (!Number.isInteger(limit) || limit < 1 || limit > MAX_LIMIT) {
      throw new InvalidEventQuery('limit', `must be a whole number from 1 to ${MAX_LIMIT}`);
    }
    const beforeId = cursor === undefined ? undefined : decodeCursor(cursor);
    if (beforeId === null) {
      throw new InvalidEventQuery('cursor', 'is not a cursor of this service');
    }
    const search = await searchEvents(this.ask, filters, { patience, most: limit + 1, after: beforeId });
    const { ids, last, more } = pick(search.found, limit);
    const end = more ? last : search.isComplete ? undefined : search.reached;
    return {
      data: await this.shown(filters, ids),
      nextCursor: end === undefined ? null : encodeCursor(end),
      searchedTo: more ? null : searchedTo(search),
    };
  }

  /**
   * One event by the server's id, else by the client's `event_id`. If several attempts have the same id, the id refers to the event
   * whose answer is stored, else the newest attempt.
   *
   * @param place app (id or name) and environment; needed when several of them have used the same `event_id`
   * @returns null if the token may read no such event; the fields that differ if several events have the `event_id`
   * @throws EventLogUnavailable
   */
  async get(manager: Reach, idOrEventId: string, place: Place = {}): Promise<EventRecord | null | Ambiguous> {
    if (isUuid(idOrEventId)) {
      const [row] = await this.select(manager.accountId, scope(manager, place, 'e.id = ?::uuid', idOrEventId));
      if (row !== undefined) {
        return eventRecord(row);
      }
    }
    const claimed = await this.places(
      manager.accountId,
      scope(
        manager,
        place,
        `e.id IN (SELECT event_row_id FROM event_ids WHERE account_id = ${ACCOUNT} AND event_id = ?)`,
        storable(idOrEventId),
      ),
    );
    const found = claimed.length > 0 ? claimed : await this.unclaimed(manager, idOrEventId, place);
    const [first, ...rest] = found;
    if (first === undefined) {
      return null;
    }
    if (rest.length > 0) return ambiguous(found);
    const [row] = await this.rows(manager.accountId, [first.id]);
    return row === undefined ? null : eventRecord(row);
  }

  /**
   * Whether an event that is not in the log may be in the archive: an archived part that the token may read has a range that includes its
   * id.
   *
   * @throws EventLogUnavailable
   */
  async isArchived(manager: Reach, idOrEventId: string, { environment }: Place = {}): Promise<boolean> {
    const rows = await this.ask(
      manager.accountId,
      `SELECT 1 AS one FROM archive_parts p WHERE p.account_id = $1::uuid AND p.state = 'archived'
         AND ($2::text IS NULL OR p.environment = $2) AND ($3::text IS NULL OR p.environment = $3)
         AND EXISTS (SELECT 1 FROM (
           SELECT $4::text::uuid AS id WHERE $4::text IS NOT NULL
           UNION ALL SELECT i.event_row_id FROM event_ids i
             WHERE i.account_id = $1::uuid AND i.event_id = $5 AND i.environment = p.environment) k
         WHERE k.id >= p.first_id AND k.id <= p.last_id) LIMIT 1`,
      [
        ...[manager.accountId, manager.environment ?? null, environment ?? null],
        ...[isUuid(idOrEventId) ? idOrEventId : null, storable(idOrEventId)],
      ],
    );
    return rows.length > 0;
  }

  /**
   * Ids of at most `most` events after `afterId`, oldest first: for following the log. Free text is not searched. The search has the
   * time limits of a page: it may end before it has found an event, and is then continued from `reached`.
   *
   * @throws EventLogUnavailable
   */
  async idsAfter(filters: EventFilters, afterId: string, most: number): Promise<FollowedIds> {
    const oldestFirst = { ...filters, order: 'asc', fields: 'summary' } as const;
    const search = await searchEvents(this.ask, oldestFirst, { patience: PAGE_PATIENCE, most, after: afterId });
    const { found, reached = afterId, isComplete } = search;
    return { ids: found.map(({ id }) => id), reached, isComplete };
  }

  /**
   * Events by ids of `idsAfter`, oldest first: as many as fit into `maxBytes` of stored JSON, and at least the first one.
   *
   * @param ids at most `MAX_LIMIT`
   * @throws EventLogUnavailable; DatabaseUnavailable if the query takes too long
   */
  async firstOf(manager: Reach, ids: readonly string[], maxBytes: number): Promise<EventRecord[]> {
    const where = new Conditions();
    const events = eventsById(where, manager.accountId, ids, 's');
    const sized = `SELECT s.*, ${shownBytes('s')} AS shown_bytes FROM ${events}`;
    const statement = `SELECT ${RECORD_COLUMNS}
      FROM (SELECT o.*, sum(o.shown_bytes) OVER (ORDER BY o.id) AS bytes_so_far FROM (${sized}) o) e ${WITH_APPS}
      WHERE e.bytes_so_far <= ${maxBytes} OR e.bytes_so_far = e.shown_bytes ORDER BY e.id`;
    const options = { endAfterMs: RECORDS_END_MS };
    const rows = await this.ask<EventRow>(manager.accountId, statement, where.parameters, options);
    return rows.map(eventRecord);
  }

  /**
   * Counts all matching events, for work that takes long anyway. Null with free text, which would require a search.
   *
   * @throws EventLogUnavailable
   */
  async countAll(filters: EventFilters): Promise<number | null> {
    if (filters.text !== undefined) return null;
    const where = filterConditions(filters);
    const statement = `SELECT count(*)::double precision AS n FROM events e WHERE ${where.toString()}`;
    const [row] = await this.query<{ readonly n: number }>(filters.manager.accountId, statement, where);
    return row?.n ?? 0;
  }

  /** Events whose answers were not stored: the newest per app and environment. */
  private async unclaimed(manager: Reach, eventId: string, place: Place): Promise<PlaceRow[]> {
    const rows = await this.places(
      manager.accountId,
      scope(manager, place, 'e.event_id = ? AND NOT e.event_id_claimed AND e.parent_id IS NULL', storable(eventId)),
    );
    const newest = new Map<string, PlaceRow>();
    for (const row of rows) {
      const place = `${row.app_id} ${row.environment}`;
      if (!newest.has(place)) {
        newest.set(place, row);
      }
    }
    return [...newest.values()];
  }

  /** The records of the page, in the order of `ids`. */
  private async shown(filters: EventFilters, ids: readonly string[]): Promise<(EventRecord | EventSummary)[]> {
    const { accountId } = filters.manager;
    const isSummary = filters.fields === 'summary';
    const rows = await this.rows(accountId, ids, isSummary ? SUMMARY_COLUMNS : RECORD_COLUMNS);
    const answers = filters.view === 'calls' ? await this.answers(accountId, ids) : new Map<string, AnswerRow[]>();
    const byId = new Map(rows.map((row) => [row.id, row]));
    return ids.flatMap((id) => {
      const row = byId.get(id);
      if (row === undefined) return [];
      const record = isSummary ? eventSummary(row) : eventRecord(row);
      return [callRecord(record, answers.get(id) ?? [])];
    });
  }

  /** The later events of each call, oldest first. */
  private async answers(accountId: string, ids: readonly string[]): Promise<Map<string, AnswerRow[]>> {
    if (ids.length === 0) return new Map();
    const where = new Conditions();
    const answers = answersOf(where, accountId, ids, 'e');
    const statement = `SELECT ${ANSWER_COLUMNS} FROM ${answers} ORDER BY e.id LIMIT 10000`;
    const rows = await this.query<AnswerRow>(accountId, statement, where);
    return Map.groupBy(rows, ({ call_id }) => call_id);
  }

  /** Rows in no particular order. */
  private async rows(accountId: string, ids: readonly string[], columns = RECORD_COLUMNS): Promise<EventRow[]> {
    if (ids.length === 0) return [];
    const where = new Conditions();
    const events = eventsById(where, accountId, ids, 'e');
    return this.query<EventRow>(accountId, `SELECT ${columns} FROM ${events} ${WITH_APPS}`, where);
  }

  /** The apps and environments of events, newest first. Their records are not read: together they may be large. */
  private places(accountId: string, where: Conditions): Promise<PlaceRow[]> {
    const statement = `SELECT e.id::text AS id, e.app_id::text AS app_id, e.environment FROM events e
      WHERE ${where.toString()} ORDER BY e.id DESC LIMIT ${MAX_LIMIT}`;
    return this.query<PlaceRow>(accountId, statement, where);
  }

  private select(accountId: string, where: Conditions): Promise<EventRow[]> {
    const statement = `SELECT ${RECORD_COLUMNS} FROM events e ${WITH_APPS} WHERE ${where.toString()} ORDER BY e.id DESC LIMIT ${MAX_LIMIT}`;
    return this.query<EventRow>(accountId, statement, where);
  }

  private query<Row extends SqlRow>(accountId: string, statement: string, where: Conditions): Promise<Row[]> {
    return this.ask(accountId, statement, where.parameters);
  }
}

/** The app and the environment of an event. */
interface PlaceRow extends SqlRow {
  readonly id: string;
  readonly app_id: string;
  readonly environment: string;
}

/** The fields in which events with one `event_id` differ. */
function ambiguous(rows: readonly PlaceRow[]): Ambiguous {
  const differ = (value: (row: PlaceRow) => unknown): boolean => new Set(rows.map(value)).size > 1;
  return {
    by: [
      ...(differ((row) => row.app_id) ? (['app'] as const) : []),
      ...(differ((row) => row.environment) ? (['environment'] as const) : []),
    ],
  };
}

/** Conditions on the account, the token's environment, app and environment if given, and one more term with its value. */
function scope(manager: Reach, { app, environment }: Place, term: string, value: string): Conditions {
  const where = accountConditions(manager, 'e');
  if (environment !== undefined) where.add('e.environment = ?', environment);
  if (app !== undefined) where.addTerms([appTerm(where, [app], 'e')]);
  where.add(term, value);
  return where;
}

/** Selects the events of the page, limited by number and size. */
function pick(found: readonly Found[], limit: number): { ids: string[]; last: string | undefined; more: boolean } {
  const ids: string[] = [];
  let bytes = 0;
  let last: string | undefined;
  for (const each of found) {
    if (ids.length === limit || (ids.length > 0 && bytes + each.bytes > PAGE_BYTES)) return { ids, last, more: true };
    ids.push(each.id);
    bytes += each.bytes;
    last = each.at;
  }
  return { ids, last, more: false };
}
