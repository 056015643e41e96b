import { Controller, Get, Inject, Req } from '@nestjs/common';
import { ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { ApiManagers, ManagementAccess } from '../access/index.js';
import { SessionFigureReader, sessionPlace, type SessionFigures } from '../events/index.js';
import { answerSchema, ApiQueries, readQuery } from '../http/index.js';
import { SESSIONS_QUERY } from './sessions-query.js';
import { SessionsReader, type SessionSums } from './sessions-reader.js';
import { CALL_SESSIONS, type CALL_SESSION } from './sessions-schema.js';

/** Conversations: calls with a common session. */
@ApiTags('events')
@ApiManagers()
@Controller('v1/sessions')
export class CallSessionsController {
  constructor(
    @Inject(ManagementAccess) private readonly access: ManagementAccess,
    @Inject(SessionsReader) private readonly reader: SessionsReader,
    @Inject(SessionFigureReader) private readonly figures: SessionFigureReader,
  ) {}

  @Get()
  @ApiOperation({
    operationId: 'listCallSessions',
    summary:
      'Sessions of calls with their outcomes; the session with the latest event comes first. Scope `events:read`.',
    description:
      'A call names its session in the header `X-Service-Session`, or in `session_id` of its metadata. New events move a session to the first page, even between the requests for two pages. With `session`, the answer also contains the time that Weir added and the rules that fired, without archived events.',
  })
  @ApiQueries(SESSIONS_QUERY)
  @ApiResponse(answerSchema(200, 'A page of sessions.', CALL_SESSIONS))
  @ApiResponse({ status: 403, description: 'The token lacks the scope `events:read`.' })
  @ApiResponse({ status: 422, description: 'A parameter is unknown or unreadable; `details` names it.' })
  async list(@Req() request: FastifyRequest): Promise<z.infer<typeof CALL_SESSIONS>> {
    const manager = await this.access.authorize(request, 'events:read');
    const query = readQuery(SESSIONS_QUERY, request.query);
    const [{ data, nextCursor }, figures] = await Promise.all([
      this.reader.list(manager, query),
      query.session === undefined ? undefined : this.figures.of(manager, query.session),
    ]);
    return { data: data.map((sums) => ({ ...view(sums), ...figuresView(sums, figures) })), next_cursor: nextCursor };
  }
}

function view(sums: SessionSums): z.infer<typeof CALL_SESSION> {
  return {
    session_id: sums.sessionId,
    app: sums.app,
    environment: sums.environment,
    first_at: sums.firstAt.toISOString(),
    last_at: sums.lastAt.toISOString(),
    calls: sums.calls,
    tool_calls: sums.toolCalls,
    outcomes: { ...sums.outcomes },
    models: [...sums.models],
    tokens: sums.tokens,
    cost_nano_usd: sums.costNanoUsd,
    without_price: sums.withoutPrice,
  };
}

/** @param figures null: they could not be read in time; undefined: nobody asked for one session */
function figuresView(
  { app, environment }: SessionSums,
  figures: ReadonlyMap<string, SessionFigures> | null | undefined,
): Pick<z.infer<typeof CALL_SESSION>, 'weir_ms' | 'rules'> {
  if (figures === undefined) return {};
  if (figures === null) return { weir_ms: null, rules: null };
  const own = figures.get(sessionPlace(app.id, environment));
  return { weir_ms: own?.weirMs ?? null, rules: [...(own?.rules ?? [])] };
}
