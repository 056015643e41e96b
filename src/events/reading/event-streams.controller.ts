import { Readable } from 'node:stream';
import { Controller, Get, Inject, Req, Res, type OnModuleDestroy } from '@nestjs/common';
import { ApiHeader, ApiOperation, ApiProduces, ApiQuery, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiManagers, ManagementAccess, type Reach } from '../../access/index.js';
import type { ErrorDetail } from '../../core/index.js';
import { DatabaseClock } from '../../database/index.js';
import { invalidRequest } from '../../http/index.js';
import { isUuid } from '../event-id.js';
import { ApiEventQueries } from './api-queries.js';
import { encodeCursor } from './cursor.js';
import { EXPORT_FORMATS, EXPORT_MEDIA_TYPES, exportPieces, type ExportPiece } from './event-export.js';
import { readEventQuery } from './event-query.js';
import { FILE_COLUMN_NAMES } from './file-columns.js';
import { EventReader } from './event-reader.js';
import { ReplicaEventReader } from './replica-event-reader.js';
import { TAIL_DEFAULTS, tailEvents } from './event-tail.js';
import { OpenStreams } from './open-streams.js';
import { ParquetPacker } from './parquet-packer.js';
import { TailReads } from './tail-reads.js';

/** Limits of connected tails: each queries the log twice a second. */
const TAILS = { all: 100, ofAccount: 50, kind: 'event streams' };
/** Limits of running exports: each has a page of events in memory, whether or not its client reads. */
const EXPORTS = { all: 20, ofAccount: 10, kind: 'exports' };

/** Parameters of pages, which streams do not have. */
const PAGING = ['limit', 'cursor', 'order', 'view', 'fields'];

/** The log as a stream: all matching events, or new ones as they arrive. */
@ApiTags('events')
@ApiManagers()
@ApiResponse({ status: 403, description: 'The token lacks the scope `events:read`.' })
@ApiResponse({ status: 422, description: 'A parameter is unknown or unreadable; `details` names it.' })
@Controller('v1/events')
export class EventStreamsController implements OnModuleDestroy {
  private readonly tails = new OpenStreams(TAILS);
  private readonly exports = new OpenStreams(EXPORTS);
  private readonly tailReads: TailReads;

  constructor(
    @Inject(ManagementAccess) private readonly access: ManagementAccess,
    @Inject(EventReader) reader: EventReader,
    @Inject(ReplicaEventReader) private readonly replica: ReplicaEventReader,
    @Inject(ParquetPacker) private readonly packer: ParquetPacker,
    @Inject(DatabaseClock) private readonly clock: DatabaseClock,
  ) {
    this.tailReads = new TailReads(reader);
  }

  @Get('export')
  @ApiOperation({
    operationId: 'exportEvents',
    summary: 'All events that match, newest first, as JSON lines, CSV or Parquet. Scope `events:read`.',
    description:
      'The answer is streamed. If the connection ends without the end of the chunked body, the export is incomplete; continue it with `before=<id of the last whole line>`. The filters are those of `GET /v1/events`. A Parquet file cannot be continued. CSV cells that a spreadsheet would interpret as a formula start with an apostrophe.',
  })
  @ApiQuery({ name: 'format', required: false, enum: EXPORT_FORMATS, description: 'Format; default `jsonl`.' })
  @ApiQuery({
    name: 'before',
    required: false,
    description: 'Only events older than the one with this `id`.',
    schema: { type: 'string', format: 'uuid' },
  })
  @ApiQuery({
    name: 'bom',
    required: false,
    schema: { type: 'boolean' },
    description: 'Begin CSV with a byte order mark, so that Excel reads it as UTF-8.',
  })
  @ApiQuery({
    name: 'columns',
    required: false,
    style: 'form',
    explode: false,
    schema: { type: 'array', items: { type: 'string', enum: [...FILE_COLUMN_NAMES] } },
    description: 'Columns of CSV and Parquet, in this order; all of them when absent.',
  })
  @ApiEventQueries(PAGING)
  @ApiProduces('application/x-ndjson', 'text/csv', 'application/vnd.apache.parquet')
  @ApiResponse({ status: 200, description: 'The events, one per line or row.', schema: { type: 'string' } })
  @ApiResponse({
    status: 429,
    description:
      'The account has 10 exports, or all accounts have 20 exports, running on this server; the message names the limit, and `Retry-After` says when to try again.',
  })
  async export(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const manager = await this.authorize(request);
    const { chosen, before, mark, columns, filters } = exportOf(request, manager);
    const { packer } = this;
    opened(this.exports, manager.accountId, reply);
    const reader = await this.replica.upTo(this.clock.nowMs());
    const soFar = before === undefined ? undefined : { cursor: encodeCursor(before), bytes: 0, about: [] };
    const all = exportPieces({
      reader,
      packer,
      filters,
      format: chosen,
      mark,
      ...(columns && { columns }),
      ...(soFar && { soFar }),
    });
    const pieces = this.access.whileAllowed(request, 'events:read', all);
    await reply
      .type(EXPORT_MEDIA_TYPES[chosen])
      .header('cache-control', 'no-store')
      .header('content-disposition', `attachment; filename="events.${chosen}"`)
      .send(Readable.from(await startedOf(pieces), { objectMode: false, highWaterMark: 64 * 1024 }));
  }

  @Get('tail')
  @ApiOperation({
    operationId: 'tailEvents',
    summary: 'Stream new events as server-sent events. Scope `events:read`.',
    description:
      'Each event is one message: `id` (for continuing the stream), `event` (its type) and `data` (the record as JSON). Events are sent in the order in which they are stored. An event that is stored late is still sent within seconds, unless it is stored more than ten minutes after its call was received, or is older than the last 15,000 sent events.',
  })
  @ApiHeader({
    name: 'Last-Event-ID',
    required: false,
    description: 'Id of the event after which the stream continues.',
  })
  @ApiEventQueries([...PAGING, 'archive', 'q', 'from', 'to'])
  @ApiProduces('text/event-stream')
  @ApiResponse({ status: 200, description: 'The stream ends when the client disconnects.', schema: { type: 'string' } })
  @ApiResponse({
    status: 429,
    description:
      'The account has 50 streams, or all accounts have 100 streams, connected to this server; the message names the limit, and `Retry-After` says when to try again.',
  })
  async tail(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const manager = await this.authorize(request);
    const details: ErrorDetail[] = [];
    const query = withoutPaging(queryOf(request), details, ['archive', 'q', 'from', 'to']);
    const last = request.headers['last-event-id'];
    if (last !== undefined && !(typeof last === 'string' && isUuid(last))) {
      details.push({ path: 'last-event-id', message: 'must be the id of an event' });
    }
    const { filters } = readEventQuery(query, manager);
    if (details.length > 0) throw invalidRequest(details);
    const gone = opened(this.tails, manager.accountId, reply);
    const allowed = (): Promise<boolean> => this.access.stillAllows(request, 'events:read');
    const options = { ...TAIL_DEFAULTS, nowMs: () => this.clock.nowMs() };
    const after = (last as string | undefined)?.toLowerCase();
    const reader = this.tailReads.until(gone.signal);
    await reply
      .type('text/event-stream; charset=utf-8')
      .header('cache-control', 'no-store')
      .header('x-accel-buffering', 'no')
      .send(Readable.from(tailEvents(reader, filters, after, allowed, gone.signal, options)));
  }

  /** Runs before the server closes its port: connected tails would keep it open forever. Their clients reconnect to another replica. */
  onModuleDestroy(): void {
    this.tails.endAll();
  }

  private authorize(request: FastifyRequest): Promise<Reach> {
    return this.access.authorize(request, 'events:read');
  }
}

/**
 * Registers a stream of the account until its answer is closed.
 * @returns aborted when it is closed
 * @throws {WeirError} 429 `rate_limit_exceeded`
 */
function opened(streams: OpenStreams, accountId: string, { raw }: FastifyReply): AbortController {
  const gone = streams.open(accountId);
  const close = (): void => streams.close(accountId, gone);
  raw.once('close', close);
  // The client may have disconnected while it was authorized: then `close` was emitted before.
  if (raw.destroyed) close();
  return gone;
}

/**
 * The requested export.
 * @throws {WeirError} 422 with all errors of the query
 */
function exportOf(request: FastifyRequest, manager: Reach) {
  const { format, before, bom, columns: asked, ...query } = queryOf(request);
  const details: ErrorDetail[] = [];
  const chosen = EXPORT_FORMATS.find((name) => name === (format ?? 'jsonl'));
  if (chosen === undefined) details.push({ path: 'format', message: `must be one of ${EXPORT_FORMATS.join(', ')}` });
  const isBefore = typeof before === 'string' && isUuid(before);
  if (before !== undefined && !isBefore) details.push({ path: 'before', message: 'must be the id of an event' });
  if (before !== undefined && chosen === 'parquet') {
    details.push({ path: 'before', message: 'cannot be used with Parquet: its footer describes the whole file' });
  }
  if (bom !== undefined && bom !== 'false' && !(bom === 'true' && chosen === 'csv')) {
    details.push({ path: 'bom', message: 'must be true or false, and is for CSV only' });
  }
  const columns = columnsOf(asked, chosen, details);
  const { filters } = readEventQuery(withoutPaging(query, details), manager);
  if (chosen === undefined || details.length > 0) throw invalidRequest(details);
  return { chosen, before: isBefore ? before : undefined, mark: bom === 'true', columns, filters };
}

function queryOf(request: FastifyRequest): Record<string, unknown> {
  return { ...(request.query as Readonly<Record<string, unknown>>) };
}

/** Removes parameters that a stream does not accept, and adds each to `details`. */
function withoutPaging(
  query: Record<string, unknown>,
  details: ErrorDetail[],
  more: readonly string[] = [],
): Record<string, unknown> {
  for (const name of [...PAGING, ...more]) {
    if (query[name] === undefined) continue;
    details.push({ path: name, message: 'is not a parameter here' });
    Reflect.deleteProperty(query, name);
  }
  return query;
}

/** Reads the first piece before the answer starts, so that an immediate failure is still answered with an error status. */
async function startedOf(pieces: AsyncGenerator<ExportPiece>): Promise<AsyncGenerator<string | Uint8Array>> {
  const first = await pieces.next();
  const begun = first.done === true ? [] : [first.value.content];
  return (async function* () {
    // Taken from the list, so that it does not stay in memory for as long as the stream.
    for (let content = begun.pop(); content !== undefined; content = begun.pop()) yield* content;
    for await (const { content } of pieces) yield* content;
  })();
}

/** The requested names of columns; undefined: all columns. Errors in them are added to `details`. */
function columnsOf(asked: unknown, format: string | undefined, details: ErrorDetail[]): readonly string[] | undefined {
  if (asked === undefined) return undefined;
  const names = typeof asked === 'string' ? asked.split(',') : [];
  const unknown = names.find((name) => !FILE_COLUMN_NAMES.includes(name));
  if (format === 'jsonl') {
    details.push({ path: 'columns', message: 'are for CSV and Parquet only: JSON Lines always contain whole events' });
  } else if (names.length === 0 || unknown !== undefined || new Set(names).size !== names.length) {
    details.push({ path: 'columns', message: `must be distinct names out of ${FILE_COLUMN_NAMES.join(', ')}` });
  }
  return names;
}
