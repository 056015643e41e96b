import { Controller, HttpCode, Inject, Post, Req, Res } from '@nestjs/common';
import {
  ApiBearerAuth,
  ApiBody,
  ApiExtraModels,
  ApiOperation,
  ApiResponse,
  ApiTags,
  getSchemaPath,
} from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { answerSchema, bearerOf, noteCaller, noteSubject, readingJsonBody, settleRequestId } from '../http/index.js';
import { runCooperatively } from '../judgement/index.js';
import { REFUSED, SUBMITTED } from './answer-schema.js';
import { EVENT_DTOS } from './dto/event.dto.js';
import { IngestService } from './ingest.service.js';

const BODIES = Object.values(EVENT_DTOS);

@ApiTags('events')
@ApiBearerAuth('service_key')
@Controller('v1/events')
export class IngestController {
  constructor(@Inject(IngestService) private readonly ingest: IngestService) {}

  @Post()
  @HttpCode(200)
  @ApiOperation({
    operationId: 'submitEvent',
    summary:
      'Submit an event. It is judged and recorded; the answer is sent after the database has committed the record.',
  })
  @ApiExtraModels(...BODIES)
  @ApiBody({
    schema: {
      oneOf: BODIES.map((dto) => ({ $ref: getSchemaPath(dto) })),
      discriminator: {
        propertyName: 'type',
        mapping: Object.fromEntries(Object.entries(EVENT_DTOS).map(([type, dto]) => [type, getSchemaPath(dto)])),
      },
    },
  })
  @ApiResponse(
    answerSchema(
      200,
      'The event is recorded. For `ai.request`, the answer contains the decision and the redacted payload.',
      SUBMITTED,
    ),
  )
  @ApiResponse(answerSchema(400, 'Refused by a rule, or by a budget that blocks.', REFUSED))
  @ApiResponse({ status: 401, description: 'No valid service key.' })
  @ApiResponse({ status: 402, description: 'The subscription of the account has ended.' })
  @ApiResponse({ status: 409, description: 'The same event is being processed: try again.' })
  @ApiResponse({ status: 413, description: 'The body is over the limit.' })
  @ApiResponse({
    status: 422,
    description: 'The event is malformed or of a reserved type, or its `event_id` was used with another body.',
  })
  @ApiResponse({
    status: 429,
    description:
      'Over the rate limit of the app, or the rest of a budget is reserved by calls in flight: try again after `Retry-After` seconds. With `trial_limit_reached`, the trial is used up: there is no `Retry-After`, and a retry cannot help.',
  })
  @ApiResponse({
    status: 503,
    description: 'A guardrail or the log is unavailable, or the service is overloaded: try again.',
  })
  async submit(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const { answer, eventId, replayed } = await this.ingest.submit(
      {
        key: bearerOf(request),
        readBody: () => runCooperatively(readingJsonBody(request)),
        traceId: request.id,
        settleTraceId: (id) => settleRequestId(request, reply, id),
        client: reply.raw,
        setHeader: (name, value) => void reply.header(name, value),
      },
      (caller) => noteCaller(request, caller),
    );
    noteSubject(request, { ...(eventId === undefined ? {} : { eventId }), ...(replayed ? { replayed } : {}) });
    await reply.code(answer.status).headers(answer.headers).type('application/json; charset=utf-8').send(answer.body);
  }
}
