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
import { OpenTails } from './open-tails.js';
import { ParquetPacker } from './parquet-packer.js';

/** Parameters of pages, which streams do not have. */
const PAGING = ['limit', 'cursor', 'order', 'view', 'fields'];

/** The log as a stream: all matching events, or new ones as they arrive. */
@ApiTags('events')
@ApiManagers()
@ApiResponse({ status: 403, description: 'The token lacks the scope `events:read`.' })
@ApiResponse({ status: 422, description: 'A parameter is unknown or unreadable; `details` names it.' })
@Controller('v1/events')
export class EventStreamsController implements OnModuleDestroy {
  private readonly tails = new OpenTails();

  constructor(
    @Inject(ManagementAccess) private readonly access: ManagementAccess,
    @Inject(EventReader) private readonly reader: EventReader,
    @Inject(ReplicaEventReader) private readonly replica: ReplicaEventReader,
    @Inject(ParquetPacker) private readonly packer: ParquetPacker,
    @Inject(DatabaseClock) private readonly clock: DatabaseClock,
  ) {}

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
  async export(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const manager = await this.authorize(request);
    const { format, before, bom, columns: asked, ...query } = queryOf(request);
    const details: ErrorDetail[] = [];
    const chosen = EXPORT_FORMATS.find((name) => name === (format ?? 'jsonl'));
    if (chosen === undefined) details.push({ path: 'format', message: `must be one of ${EXPORT_FORMATS.join(', ')}` });
    if (before !== undefined && !(typeof before === 'string' && isUuid(before))) {
      details.push({ path: 'before', message: 'must be the id of an event' });
    }
    if (before !== undefined && chosen === 'parquet') {
      details.push({ path: 'before', message: 'cannot be used with Parquet: its footer describes the whole file' });
    }
    if (bom !== undefined && bom !== 'false' && !(bom === 'true' && chosen === 'csv')) {
      details.push({ path: 'bom', message: 'must be true or false, and is for CSV only' });
    }
    const columns = columnsOf(asked, chosen, details);
    const { filters } = readEventQuery(withoutPaging(query, details), manager);
    if (chosen === undefined || details.length > 0) throw invalidRequest(details);
    const { packer } = this;
    const reader = await this.replica.upTo(this.clock.nowMs());
    const soFar = typeof before === 'string' ? { cursor: encodeCursor(before), bytes: 0, about: [] } : undefined;
    const pieces = exportPieces({
      reader,
      packer,
      filters,
      format: chosen,
      mark: bom === 'true',
      ...(columns && { columns }),
      ...(soFar && { soFar }),
    });
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
    const gone = this.tails.open(manager.accountId);
    const close = (): void => this.tails.close(manager.accountId, gone);
    reply.raw.once('close', close);
    // The client may have disconnected while it was authorized: then `close` was emitted before.
    if (reply.raw.destroyed) close();
    const allowed = (): Promise<boolean> => this.access.stillAllows(request, 'events:read');
    const options = { ...TAIL_DEFAULTS, nowMs: () => this.clock.nowMs() };
    const after = last as string | undefined;
    await reply
      .type('text/event-stream; charset=utf-8')
      .header('cache-control', 'no-store')
      .header('x-accel-buffering', 'no')
      .send(Readable.from(tailEvents(this.reader, filters, after, allowed, gone.signal, options)));
  }

  /** Runs before the server closes its port: connected tails would keep it open forever. Their clients reconnect to another replica. */
  onModuleDestroy(): void {
    this.tails.endAll();
  }

  private authorize(request: FastifyRequest): Promise<Reach> {
    return this.access.authorize(request, 'events:read');
  }
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
  return (async function* () {
    if (first.done === true) return;
    yield* first.value.content;
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
