/**
 * Searches events in archived parts. DuckDB excludes events that cannot match. The others are loaded into a temporary table, which lasts
 * for one transaction, and the statements of the log's search run on this table. So every filter has the same meaning for an archived
 * event.
 */
import { compareText } from '../../core/index.js';
import { invalidRequest } from '../../http/index.js';
import type { SqlSession, TenantSql } from '../../database/index.js';
import type { EventFilters } from '../reading/event-filters.js';
import { EventReader, type EventPage } from '../reading/event-reader.js';
import type { EventRecord, EventSummary } from '../reading/event-record.js';
import { UNHURRIED } from '../reading/event-windows.js';
import type { Archive } from './archive.js';
import { partsWhere, type ArchivePart } from './catalogue.js';
import { literal, type ParquetQueries } from './duckdb.js';
import { narrowed } from './narrowed.js';
import type { PartCopies } from './part-copies.js';
import type { PartRows } from './part-file.js';
import { PartChanged } from './rewrite-part.js';
import { insteadOfLog } from './scratch-events.js';

/**
 * Limits of the candidates that the database evaluates at once: their number, and their characters unless a
 * single one has more.
 */
const CANDIDATES = 500;
const CHARACTERS = 8 * 1024 * 1024;
const LOWEST = '00000000-0000-0000-0000-000000000000';
const HIGHEST = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

export type Shown = EventRecord | EventSummary;

export interface ArchiveSearchParts {
  readonly sql: TenantSql;
  readonly archive: Archive;
  readonly queries: ParquetQueries;
}

export interface ArchiveQuery {
  readonly filters: EventFilters;
  /** The search continues after this id. */
  readonly after: string | undefined;
  /** The last id to search, inclusive; null: to the end. */
  readonly until: string | null;
  /** Maximum number of results. */
  readonly most: number;
  /** Time after which no further batch is begun. */
  readonly ms: number;
}

export interface ArchiveFound {
  readonly events: readonly Shown[];
  /** The search covered everything up to this id; null: everything. */
  readonly reached: string | null;
}

/**
 * @throws {WeirError} 422 if no archive is configured, or DuckDB is missing; PartChanged | NotStored | DatabaseError |
 * DatabaseUnavailable
 */
export async function searchArchive(parts: ArchiveSearchParts, query: ArchiveQuery): Promise<ArchiveFound> {
  const { filters, until, most, ms } = query;
  const { accountId } = filters.manager;
  const copies = copiesOf(parts.archive);
  const isDown = filters.order !== 'asc';
  const startedMs = performance.now();
  const session = parts.sql.forAccounts(accountId);
  const events: Shown[] = [];
  const from = query.after ?? (isDown ? HIGHEST : LOWEST);
  let position = from;
  const all = await partsWhere(
    session,
    `p.account_id = $1::uuid AND p.state = 'archived' AND ($2::text IS NULL OR p.environment = $2)`,
    [accountId, filters.manager.environment ?? null],
  );
  const end = until ?? (isDown ? LOWEST : HIGHEST);
  for (;;) {
    const window = windowAt(all, { position, end, isDown });
    if (window === undefined) return { events, reached: null };
    const reading = copies.reading(window.parts, async (files) => {
      for (;;) {
        const rows = await candidates(parts.queries, files, filters, { position, window, isDown });
        const last = rows?.values[rows.columns.indexOf('id')]?.at(-1);
        if (rows === undefined || last === null || last === undefined) {
          position = window.edge;
          return performance.now() - startedMs > ms;
        }
        const page = await decided(session, rows, { ...filters, limit: Math.min(most - events.length, MOST_OF_PAGE) });
        events.push(...page.data);
        position = page.nextCursor === null ? last : (page.data.at(-1)?.id ?? last);
        // Checked at this point, so that each search gets further than the one before.
        if (events.length >= most || performance.now() - startedMs > ms) return true;
      }
    });
    const isEnough = await reading.catch((error: unknown) => {
      // A part was replaced after the parts were listed. Everything before it is searched, and the next page lists them again.
      if (error instanceof PartChanged && position !== from) return true;
      throw error;
    });
    if (isEnough) return { events, reached: position };
  }
}

/** The reader's limit for a page. */
const MOST_OF_PAGE = 200;

interface Window {
  /** All parts that have events between the position and the edge. */
  readonly parts: readonly ArchivePart[];
  /** The last id that belongs to the window. */
  readonly edge: string;
}

interface Place {
  /** The id up to which the search has progressed. */
  readonly position: string;
  readonly isDown: boolean;
}

/**
 * The next part in the order of ids, and all parts whose ids overlap with it, such as those of other environments and of late events.
 */
function windowAt(
  all: readonly ArchivePart[],
  { position, end, isDown }: Place & { readonly end: string },
): Window | undefined {
  const left = all.filter(({ firstId, lastId }) =>
    isDown ? firstId < position && lastId >= end : lastId > position && firstId <= end,
  );
  const [next] = left.toSorted((a, b) =>
    isDown ? compareText(b.lastId, a.lastId) : compareText(a.firstId, b.firstId),
  );
  if (next === undefined) return undefined;
  const edge = isDown ? next.firstId : next.lastId;
  return { edge, parts: left.filter(({ firstId, lastId }) => (isDown ? lastId >= edge : firstId <= edge)) };
}

/** The next events of the window that may match. */
async function candidates(
  queries: ParquetQueries,
  files: readonly string[],
  filters: EventFilters,
  { position, window, isDown }: Place & { readonly window: Window },
): Promise<PartRows | undefined> {
  const from = `FROM read_parquet([${files.map(literal).join(', ')}], union_by_name = true)`;
  const [beyond, within, direction] = isDown ? ['<', '>=', 'DESC'] : ['>', '<=', 'ASC'];
  const where = `${narrowed(filters)} AND id ${beyond} ${literal(position)} AND id ${within} ${literal(window.edge)}`;
  const sizes = await queries.rows(
    `SELECT id, ${SIZE} AS characters ${from} WHERE ${where} ORDER BY id ${direction} LIMIT ${CANDIDATES}`,
  );
  let [characters, last] = [0, undefined as string | undefined];
  for (const [id, size] of sizes.rows as [string, number | bigint][]) {
    characters += Number(size);
    if (last !== undefined && characters > CHARACTERS) break;
    last = id;
  }
  if (last === undefined) return undefined;
  const { columns, rows } = await queries.rows(
    `SELECT * ${from} WHERE ${where} AND id ${within} ${literal(last)} ORDER BY id ${direction}`,
  );
  return {
    columns,
    values: columns.map((_, index) => rows.map((row) => (row[index] as string | null | undefined) ?? null)),
  };
}

const SIZE = ['payload', 'facts', 'masks', 'metadata', 'violations', 'detectors']
  .map((name) => `length(coalesce(${name}, ''))`)
  .join(' + ');

/** The candidates that match the filters, as on a page of the log. */
function decided(session: SqlSession, rows: PartRows, filters: EventFilters): Promise<EventPage<Shown>> {
  return session.transaction(async (transaction) => {
    await insteadOfLog(transaction, [rows]);
    const inTransaction: SqlSession = {
      query: (statement, parameters, options) => transaction.query(statement, parameters, options),
      transaction: (work) => work(transaction),
    };
    const reader = new EventReader({ forAccounts: () => inTransaction, forDuty: () => inTransaction });
    return reader.page({ ...filters, archive: undefined }, undefined, UNHURRIED);
  });
}

function copiesOf(archive: Archive): PartCopies {
  if (archive.copies !== undefined) return archive.copies;
  throw invalidRequest([
    { path: 'archive', message: 'needs an archive: set WEIR_ARCHIVE on the server, or omit the parameter' },
  ]);
}
