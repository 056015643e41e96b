/** Writes any number of events as a file, with only one page of events in memory at a time, or one group of rows for Parquet. */
import { csvLine, csvText } from '../../http/index.js';
import { columnsNamed, type FileColumn } from './file-columns.js';
import type { EventFilters } from './event-filters.js';
import { MAX_LIMIT, type EventReader } from './event-reader.js';
import type { EventRecord } from './event-record.js';
import type { SearchLimits } from './event-windows.js';
import type { ColumnValues } from './parquet-file.js';
import type { ParquetPacker } from './parquet-packer.js';

export const EXPORT_FORMATS = ['jsonl', 'csv', 'parquet'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

export const EXPORT_MEDIA_TYPES: Readonly<Record<ExportFormat, string>> = {
  jsonl: 'application/x-ndjson; charset=utf-8',
  csv: 'text/csv; charset=utf-8; header=present',
  parquet: 'application/vnd.apache.parquet',
};

/**
 * A piece of the file; the pieces come in the order of the file. A piece may be empty: the search goes on, and has found nothing new.
 */
export interface ExportPiece {
  /** Texts and bytes in the order of the file; texts are written as UTF-8. */
  readonly content: readonly (string | Uint8Array)[];
  readonly rows: number;
  /**
   * Position after this piece, from which the file can be continued; null: the listing has ended; undefined: it can only be begun again.
   */
  readonly cursor: string | null | undefined;
  /** Data about this piece for the end of the file. */
  readonly about?: Uint8Array;
  /** Whether the file ends with this piece. */
  readonly isLast: boolean;
}

/** The state of a file that is continued. */
export interface ExportedSoFar {
  /** `cursor` of the last piece. */
  readonly cursor: string | null;
  readonly bytes: number;
  /** `about` of all pieces that have one, in order. */
  readonly about: readonly Uint8Array[];
}

export interface ExportOptions {
  readonly reader: EventReader;
  readonly packer: ParquetPacker;
  readonly filters: EventFilters;
  readonly format: ExportFormat;
  /** Names of columns; absent: all. Without effect on JSON Lines, which are whole records. */
  readonly columns?: readonly string[];
  /** Whether CSV begins with a byte order mark, so that Excel reads it as UTF-8. */
  readonly mark?: boolean;
  readonly soFar?: ExportedSoFar;
  /** Maximum number of rows of a Parquet group; groups of large rows have fewer. For tests. */
  readonly groupRows?: number;
}

const GROUP_ROWS = 5_000;
const GROUP_CHARACTERS = 1024 * 1024;
/** A group that is not full is written after this time, so that a file whose filters match few events can be continued. */
const GROUP_MS = 10_000;
/**
 * A page ends after this time, even if it is not full: otherwise a search that finds little could not be stopped for hours. No window of
 * it is abandoned.
 */
const PAGE_LIMITS: SearchLimits = { ms: 1_000, rows: 2_000 };
const BYTE_ORDER_MARK = '\ufeff';

/**
 * Yields the matching events, newest first, as pieces of a file. The same events result in the same bytes, even if the file is
 * continued after any of its pieces; only the row groups of Parquet depend on the time if few events match.
 *
 * @throws EventLogUnavailable, WorkerFailure
 */
export async function* exportPieces(options: ExportOptions): AsyncGenerator<ExportPiece> {
  if (options.format === 'parquet') yield* parquetPieces(options);
  else yield* linePieces(options);
}

async function* linePieces({
  format,
  columns: names,
  mark,
  soFar,
  ...from
}: ExportOptions): AsyncGenerator<ExportPiece> {
  const columns = columnsNamed(names);
  const begins = format === 'csv' && soFar === undefined;
  const lineOf = (event: EventRecord): string => (format === 'csv' ? csvRow(columns, event) : jsonLine(event));
  let head = begins ? `${mark === true ? BYTE_ORDER_MARK : ''}${csvLine(columns.map(({ name }) => name))}` : '';
  for await (const { data, cursor } of pages(from, soFar)) {
    yield { content: [...textsOf(head, data, lineOf)], rows: data.length, cursor, isLast: cursor === null };
    head = '';
  }
}

/** Below 128 KiB: V8 keeps a larger text until a full garbage collection, which is rare. */
const TEXT_LENGTH = 32 * 1024;

function* textsOf(
  head: string,
  events: readonly EventRecord[],
  lineOf: (event: EventRecord) => string,
): Generator<string> {
  let text = head;
  for (const event of events) {
    text += lineOf(event);
    if (text.length < TEXT_LENGTH) continue;
    yield text;
    text = '';
  }
  if (text !== '') yield text;
}

async function* parquetPieces({
  columns: names,
  soFar,
  groupRows = GROUP_ROWS,
  ...from
}: ExportOptions): AsyncGenerator<ExportPiece> {
  const { packer, filters } = from;
  const { accountId } = filters.manager;
  const chosen = columnsNamed(names);
  const columns = chosen.map(({ name, type }) => ({ name, type }));
  const about = [...(soFar?.about ?? [])];
  let at = soFar?.bytes ?? 0;
  let gathered = new Gathered(chosen);
  let begunMs = performance.now();
  /** All events up to this position are in pieces. */
  let position = soFar?.cursor;
  for await (const { data, cursor } of pages(from, soFar)) {
    for (const event of data) gathered.add(event);
    if (gathered.rows === 0) {
      position = cursor;
      begunMs = performance.now();
    }
    const isLate = performance.now() - begunMs >= GROUP_MS;
    const isFull = isLate || gathered.rows >= groupRows || gathered.characters >= GROUP_CHARACTERS;
    if (gathered.rows === 0 || (!isFull && cursor !== null)) {
      yield { content: [], rows: 0, cursor: position, isLast: false };
      continue;
    }
    const group = await packer.rowGroup({ columns, values: gathered.values, at }, accountId);
    about.push(group.about);
    at += group.bytes.length;
    position = cursor;
    yield { content: [group.bytes], about: group.about, rows: gathered.rows, cursor, isLast: false };
    gathered = new Gathered(chosen);
    begunMs = performance.now();
  }
  // A file without rows still has its header.
  const begun = at > 0 ? undefined : await packer.rowGroup({ columns, values: columns.map(() => []), at }, accountId);
  const end = await packer.fileEnd({ columns, groups: about, at: at + (begun?.bytes.length ?? 0) }, accountId);
  const content = begun === undefined ? [end] : [begun.bytes, end];
  yield { content, rows: 0, cursor: null, isLast: true };
}

/** Rows to be packed, by column. */
class Gathered {
  readonly values: ColumnValues[number][][];
  rows = 0;
  characters = 0;

  constructor(private readonly columns: readonly FileColumn[]) {
    this.values = columns.map(() => []);
  }

  add(event: EventRecord): void {
    this.rows++;
    this.columns.forEach(({ value }, index) => {
      const cell = value(event) ?? null;
      if (typeof cell === 'string') this.characters += cell.length;
      this.values[index]!.push(cell);
    });
  }
}

interface Events {
  readonly data: readonly EventRecord[];
  readonly cursor: string | null;
}

async function* pages(
  { reader, filters }: Pick<ExportOptions, 'reader' | 'filters'>,
  soFar: ExportedSoFar | undefined,
): AsyncGenerator<Events> {
  let cursor = soFar?.cursor;
  while (cursor !== null) {
    const page = await reader.list({ ...filters, limit: MAX_LIMIT }, cursor, PAGE_LIMITS);
    cursor = page.nextCursor;
    yield { data: page.data, cursor };
  }
}

function jsonLine(event: EventRecord): string {
  return `${JSON.stringify(event)}\n`;
}

function csvRow(columns: readonly FileColumn[], event: EventRecord): string {
  return csvLine(
    columns.map(({ value, type }) => {
      const cell = value(event) ?? '';
      const text = typeof cell === 'object' ? cell.join(' ') : String(cell);
      return type === 'text' || type === 'list' ? csvText(text) : text;
    }),
  );
}
