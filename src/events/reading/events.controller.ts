import { Controller, Get, Inject, Req, Res } from '@nestjs/common';
import { ApiOperation, ApiParam, ApiQuery, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiManagers, ManagementAccess, type Reach } from '../../access/index.js';
import { answerSchema, invalidRequest, WeirError } from '../../http/index.js';
import { ApiEventQueries } from './api-queries.js';
import { readEventQuery } from './event-query.js';
import { EventReader, InvalidEventQuery } from './event-reader.js';
import { EVENT, EVENT_PAGE } from './record-schema.js';

@ApiTags('events')
@ApiManagers()
@Controller('v1/events')
export class EventsController {
  constructor(
    @Inject(ManagementAccess) private readonly access: ManagementAccess,
    @Inject(EventReader) private readonly reader: EventReader,
  ) {}

  @Get()
  @ApiOperation({
    operationId: 'listEvents',
    summary: 'Read recorded events, newest first. Scope `events:read`.',
    description:
      'Besides the filters below, `metadata.<key>=<value>` compares a metadata value; keys may be nested with dots.',
  })
  @ApiEventQueries()
  @ApiResponse(answerSchema(200, 'A page of events.', EVENT_PAGE))
  @ApiResponse({ status: 403, description: 'The token lacks the scope `events:read`.' })
  @ApiResponse({ status: 422, description: 'A parameter is unknown or unreadable; `details` names it.' })
  async list(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const manager = await this.authorize(request);
    const { filters, cursor } = readEventQuery(request.query as Readonly<Record<string, unknown>>, manager);
    const page = await this.reader.list(filters, cursor).catch(refused);
    await sendJson(reply, { data: page.data, next_cursor: page.nextCursor });
  }

  @Get(':id')
  @ApiOperation({
    operationId: 'getEvent',
    summary: "Read one event by the service's id or by its event_id. Scope `events:read`.",
  })
  @ApiParam({ name: 'id', description: "The service's `id`, or the client's `event_id`." })
  @ApiQuery({
    name: 'app',
    required: false,
    description: 'Id or name of an app; needed when several apps or environments have used the same `event_id`.',
    schema: { type: 'string' },
  })
  @ApiResponse(answerSchema(200, 'The event.', EVENT))
  @ApiResponse({ status: 403, description: 'The token lacks the scope `events:read`.' })
  @ApiResponse({ status: 404, description: 'No such event for this token.' })
  @ApiResponse({ status: 422, description: 'The `event_id` names several events: add `app`.' })
  async get(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const manager = await this.authorize(request);
    const { id } = request.params as { readonly id: string };
    const event = await this.reader.get(manager, id, appOf(request.query as Readonly<Record<string, unknown>>));
    if (event === null) throw new WeirError('not_found');
    if (event === 'ambiguous') {
      throw invalidRequest([{ path: 'app', message: 'is required: several events have this event_id' }]);
    }
    await sendJson(reply, event);
  }

  private authorize(request: FastifyRequest): Promise<Reach> {
    return this.access.authorize(request, 'events:read');
  }
}

function appOf(query: Readonly<Record<string, unknown>>): string | undefined {
  const unknown = Object.keys(query).filter((name) => name !== 'app');
  if (unknown.length > 0) throw invalidRequest([{ path: 'query', message: 'only `app` is a parameter here' }]);
  const { app } = query;
  if (app !== undefined && (typeof app !== 'string' || app === '')) {
    throw invalidRequest([{ path: 'app', message: 'must be the id or name of one app' }]);
  }
  return app;
}

function refused(error: unknown): never {
  if (error instanceof InvalidEventQuery) throw invalidRequest([{ path: error.field, message: error.message }]);
  throw error;
}

/** Records hold numbers that only `JSON.stringify` writes as they were. */
async function sendJson(reply: FastifyReply, value: unknown): Promise<void> {
  await reply.type('application/json; charset=utf-8').send(JSON.stringify(value));
}
