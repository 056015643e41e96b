import { Controller, Get, Inject, Req, Res } from '@nestjs/common';
import { ApiOperation, ApiParam, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiManagers, ManagementAccess, type Reach } from '../../access/index.js';
import { answerSchema, ApiQueries, invalidRequest, readQuery } from '../../http/index.js';
import { EventMarks } from '../marks/event-marks.js';
import { markView } from '../marks/mark-view.js';
import { ApiEventQueries } from './api-queries.js';
import { EventFigures, type EventCount } from './event-figures.js';
import { FACET_PARAMETERS, readEventQuery } from './event-query.js';
import { InvalidEventQuery } from './event-reader.js';
import type { Facets } from './facet-sum.js';
import { EVENT_PLACE_QUERY, namedEvent } from './named-event.js';
import { EVENT, EVENT_COUNT, EVENT_FACETS, EVENT_PAGE } from './record-schema.js';
import { ReplicaEventReader } from './replica-event-reader.js';

/** Parameters of a page that statistics do not have. */
const UNPAGED = ['limit', 'cursor', 'order', 'fields', 'archive'];

@ApiTags('events')
@ApiManagers()
@Controller('v1/events')
export class EventsController {
  constructor(
    @Inject(ManagementAccess) private readonly access: ManagementAccess,
    @Inject(ReplicaEventReader) private readonly reader: ReplicaEventReader,
    @Inject(EventFigures) private readonly figures: EventFigures,
    @Inject(EventMarks) private readonly marks: EventMarks,
  ) {}

  @Get()
  @ApiOperation({
    operationId: 'listEvents',
    summary: 'Read recorded events, newest first. Scope `events:read`.',
    description:
      'Besides the filters below, `metadata.<key>=<value>` matches a metadata value, and `not.metadata.<key>=<value>` excludes it; dots separate the keys of nested values. Values of a list are separated by commas, and any of them matches. A page that would take too long to fill ends early: `searched_to` contains the time of receipt that the search had reached, and `next_cursor` continues from there. With `view=calls`, a call matches if any of its events matches, and the calls are ordered by their matching events.',
  })
  @ApiEventQueries()
  @ApiResponse(answerSchema(200, 'A page of events.', EVENT_PAGE))
  @ApiResponse({ status: 403, description: 'The token lacks the scope `events:read`.' })
  @ApiResponse({ status: 422, description: 'A parameter is unknown or unreadable; `details` names it.' })
  async list(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const manager = await this.authorize(request);
    const { filters, cursor } = readEventQuery(request.query as Readonly<Record<string, unknown>>, manager);
    const page = await this.reader.page(filters, cursor).catch(refused);
    await sendJson(reply, {
      data: await this.marked(manager, page.data),
      next_cursor: page.nextCursor,
      searched_to: page.searchedTo,
    });
  }

  @Get('count')
  @ApiOperation({
    operationId: 'countEvents',
    summary: 'Count recorded events that match, up to 10,000. Scope `events:read`.',
    description:
      'The filters are those of `GET /v1/events`. A count that would take too long ends early; `searched_to` then contains the time of receipt that it had reached.',
  })
  @ApiEventQueries(UNPAGED)
  @ApiResponse(answerSchema(200, 'The number of events.', EVENT_COUNT))
  @ApiResponse({ status: 403, description: 'The token lacks the scope `events:read`.' })
  @ApiResponse({ status: 422, description: 'A parameter is unknown or unreadable; `details` names it.' })
  async count(@Req() request: FastifyRequest): Promise<EventCount> {
    const manager = await this.authorize(request);
    return this.figures.count(readEventQuery(queryWithout(request, UNPAGED), manager).filters);
  }

  @Get('facets')
  @ApiOperation({
    operationId: 'listEventFacets',
    summary: 'The most frequent values of fields among events that match. Scope `events:read`.',
    description:
      'The filters are those of `GET /v1/events`. Only the newest 10,000 matching events are counted, or 2,000 with `q`. A count that would take too long ends early; `searched_to` then contains the time of receipt that it had reached.',
  })
  @ApiQueries(FACET_PARAMETERS)
  @ApiEventQueries(UNPAGED)
  @ApiResponse(answerSchema(200, 'The values with their number of events, the most frequent first.', EVENT_FACETS))
  @ApiResponse({ status: 403, description: 'The token lacks the scope `events:read`.' })
  @ApiResponse({ status: 422, description: 'A parameter is unknown or unreadable; `details` names it.' })
  async facets(@Req() request: FastifyRequest): Promise<Facets> {
    const manager = await this.authorize(request);
    const { field, limit, ...others } = queryWithout(request, ['cursor', 'order', 'fields', 'archive']);
    const own = Object.fromEntries(Object.entries({ field, limit }).filter(([, value]) => value !== undefined));
    const { field: fields = ['app', 'model', 'rule', 'outcome'], limit: most = 20 } = readQuery(FACET_PARAMETERS, own);
    return this.figures.facets(readEventQuery(others, manager).filters, fields, most);
  }

  @Get(':id')
  @ApiOperation({
    operationId: 'getEvent',
    summary: 'Read one event by its `id` or its `event_id`. Scope `events:read`.',
  })
  @ApiParam({ name: 'id', description: "The service's `id`, or the client's `event_id`." })
  @ApiQueries(EVENT_PLACE_QUERY)
  @ApiResponse(answerSchema(200, 'The event.', EVENT))
  @ApiResponse({ status: 403, description: 'The token lacks the scope `events:read`.' })
  @ApiResponse({ status: 404, description: 'There is no such event, or the token may not read it.' })
  @ApiResponse({ status: 422, description: 'The `event_id` names several events: add `app`, `environment` or both.' })
  async get(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const manager = await this.authorize(request);
    const { id } = request.params as { readonly id: string };
    const event = await namedEvent(this.reader, manager, id, readQuery(EVENT_PLACE_QUERY, request.query));
    const [marked] = await this.marked(manager, [event]);
    await sendJson(reply, marked);
  }

  /** Adds to the events the marks that people gave them. */
  private async marked<T extends { readonly id: string }>({ accountId }: Reach, events: readonly T[]) {
    const found = await this.marks.of(
      accountId,
      events.map(({ id }) => id),
    );
    return events.map((event) => ({ ...event, marks: (found.get(event.id) ?? []).map(markView) }));
  }

  private authorize(request: FastifyRequest): Promise<Reach> {
    return this.access.authorize(request, 'events:read');
  }
}

/** @throws {WeirError} 422 naming each parameter that the route does not take */
function queryWithout(request: FastifyRequest, names: readonly string[]): Readonly<Record<string, unknown>> {
  const query = request.query as Readonly<Record<string, unknown>>;
  const details = names.filter((name) => Object.hasOwn(query, name));
  if (details.length > 0) {
    throw invalidRequest(details.map((path) => ({ path, message: 'is not a parameter here' })));
  }
  return query;
}

function refused(error: unknown): never {
  if (error instanceof InvalidEventQuery) throw invalidRequest([{ path: error.field, message: error.message }]);
  throw error;
}

/** Records contain numbers that only `JSON.stringify` writes unchanged. */
async function sendJson(reply: FastifyReply, value: unknown): Promise<void> {
  await reply.type('application/json; charset=utf-8').send(JSON.stringify(value));
}
