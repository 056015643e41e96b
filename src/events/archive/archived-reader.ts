/** Pages of the log and the archive together, in one order, each event once. */
import type { SqlSession, TenantSql } from '../../database/index.js';
import { WeirError } from '../../http/index.js';
import { NotStored } from '../../object-storage/index.js';
import { timeOfEventId } from '../event-id.js';
import { decodeCursor, encodeCursor } from '../reading/cursor.js';
import type { EventFilters } from '../reading/event-filters.js';
import { DEFAULT_LIMIT, EventReader, type EventPage } from '../reading/event-reader.js';
import type { SearchLimits } from '../reading/event-windows.js';
import { PartDiffers } from './archive-week.js';
import { searchArchive, type ArchiveFound, type ArchiveSearchParts, type Shown } from './archive-search.js';
import { whilePartsChange, PartChanged } from './rewrite-part.js';

/** Time limit for a page, whose objects have to be fetched while a person waits. */
const PAGE_MS = 10_000;

const AWAY = 'The archive cannot be reached; omit archive=true to search only the log';
const AWAY_SECONDS = 5;
const MOVING = 'Events are being archived or restored; try again';
const DAMAGED = 'A part of the archive is damaged or missing; to find the part, run weir archive verify on the server';

/** Events were archived or restored while a page was read: the page could lack them, or contain them twice. */
class EventsMoved extends PartChanged {}

export type LivePage = (filters: EventFilters, cursor?: string) => Promise<EventPage<Shown>>;

/**
 * A page of archived events together with those of the log.
 *
 * @param live a page of the log
 * @param patience limits of the search in the log
 * @throws as `EventReader.page`, and as `searchArchive`
 */
export function pageWithArchive(
  parts: ArchiveSearchParts,
  live: LivePage,
  filters: EventFilters,
  cursor: string | undefined,
  patience: SearchLimits | undefined,
): Promise<EventPage<Shown>> {
  const session = parts.sql.forAccounts(filters.manager.accountId);
  return withArchiveErrors(async () => {
    const before = await movesOf(session, filters);
    const inLog = await live({ ...filters, archive: undefined }, cursor);
    const until = inLog.nextCursor === null ? null : decodeCursor(inLog.nextCursor);
    const archived = await searchArchive(parts, {
      filters,
      after: cursor === undefined ? undefined : (decodeCursor(cursor) ?? undefined),
      until,
      most: (filters.limit ?? DEFAULT_LIMIT) + 1,
      ms: patience?.ms === Number.POSITIVE_INFINITY ? patience.ms : PAGE_MS,
    });
    const { archivedAt, restored } = await movesOf(session, filters);
    if (archivedAt > before.archivedAt || restored !== before.restored) throw new EventsMoved('the archive changed');
    return merged(filters, inLog, until, archived);
  });
}

/**
 * Reports a failure of the archive to the client without details, which are in the server's log: the request was valid.
 */
async function withArchiveErrors<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await whilePartsChange(work);
  } catch (cause) {
    if (cause instanceof NotStored) {
      throw new WeirError('unavailable', { message: AWAY, retryAfterSeconds: AWAY_SECONDS, cause });
    }
    if (cause instanceof EventsMoved) {
      throw new WeirError('unavailable', { message: MOVING, retryAfterSeconds: AWAY_SECONDS, cause });
    }
    if (cause instanceof PartChanged || cause instanceof PartDiffers) {
      throw new WeirError('internal_error', { message: DAMAGED, cause });
    }
    throw cause;
  }
}

interface Moves {
  /** When a week of the account was last archived, in seconds. */
  readonly archivedAt: number;
  /** Differs if something was restored, or if restored events were archived again or deleted. */
  readonly restored: string;
}

/**
 * What has moved between log and archive so far. A part that an erasure or the retention rewrites moves nothing, and has no sum of its rows:
 * its week was archived before.
 */
async function movesOf(session: SqlSession, { manager }: EventFilters): Promise<Moves> {
  const [row] = await session.query<Moves & Record<string, unknown>>(
    `SELECT coalesce(extract(epoch FROM max(state_at) FILTER (WHERE state = 'archived' AND rows_sum IS NOT NULL)), 0)::double precision
       AS "archivedAt",
       count(*) FILTER (WHERE state = 'restored') || ' ' || coalesce((max(state_at) FILTER (WHERE state = 'restored'))::text, '')
       AS restored
     FROM archive_parts WHERE account_id = $1::uuid AND state IN ('archived', 'restored')`,
    [manager.accountId],
  );
  if (row === undefined) throw new Error('a count has no row');
  return row;
}

function merged(
  filters: EventFilters,
  inLog: EventPage<Shown>,
  until: string | null,
  archived: ArchiveFound,
): EventPage<Shown> {
  const isDown = filters.order !== 'asc';
  const first = (a: string, b: string): boolean => (isDown ? a > b : a < b);
  const reached =
    until === null || archived.reached === null
      ? (until ?? archived.reached)
      : first(until, archived.reached)
        ? until
        : archived.reached;
  const byId = new Map([...archived.events, ...inLog.data].map((event) => [event.id, event]));
  const events = [...byId.values()]
    .filter(({ id }) => reached === null || !first(reached, id))
    .sort((a, b) => (first(a.id, b.id) ? -1 : 1));
  const limit = filters.limit ?? DEFAULT_LIMIT;
  const data = events.slice(0, limit);
  const isMore = events.length > limit;
  const next = isMore ? (data.at(-1)?.id ?? null) : reached;
  const isFull = data.length === limit || next === null;
  return {
    data,
    nextCursor: next === null ? null : encodeCursor(next),
    searchedTo: isFull || next === null ? null : new Date(timeOfEventId(next)).toISOString(),
  };
}

/** A reader of the log that also reads the archive if the filters ask for it. */
export class ArchivedEventReader extends EventReader {
  constructor(
    sql: TenantSql,
    private readonly parts: ArchiveSearchParts,
  ) {
    super(sql);
  }

  /** @throws as `EventReader.page`, and as `searchArchive` */
  override async page(filters: EventFilters, cursor?: string, patience?: SearchLimits): Promise<EventPage<Shown>> {
    const live: LivePage = (asked, from) => super.page(asked, from, patience);
    if (filters.archive !== 'true') return live(filters, cursor);
    return pageWithArchive(this.parts, live, filters, cursor, patience);
  }

  /** Null also if the archive is included, because it would have to be read completely. @throws as `EventReader.countAll` */
  override async countAll(filters: EventFilters): Promise<number | null> {
    return filters.archive === 'true' ? null : super.countAll(filters);
  }
}
