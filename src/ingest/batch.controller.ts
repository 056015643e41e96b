import { Controller, HttpCode, Inject, Post, Req, Res } from '@nestjs/common';
import { ApiBearerAuth, ApiBody, ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { answerSchema, bearerOf, LINES_TYPES, loggedIdOf, noteCaller, settleRequestId } from '../http/index.js';
import { BATCHED } from './answer-schema.js';
import { eventTexts, MOST_EVENTS } from './batch-events.js';
import { BatchService, type BatchedAnswer } from './batch.service.js';
import { MONITOR_IGNORED } from './event-processor.js';

const EVENTS = {
  type: 'array' as const,
  minItems: 1,
  maxItems: MOST_EVENTS,
  // Every item is accepted: an invalid event does not refuse the batch.
  items: { description: 'An event as for `POST /v1/events`. An invalid event gets its own answer with status 422.' },
};

/** Many events in one request. */
@ApiTags('events')
@ApiBearerAuth('service_key')
@Controller('v1')
export class BatchController {
  constructor(@Inject(BatchService) private readonly batches: BatchService) {}

  // Two colons are an escaped colon: a single colon would begin the name of a parameter.
  @Post('events::batch')
  @HttpCode(200)
  @ApiOperation({
    operationId: 'submitEvents',
    summary: 'Submit many events at once: each is judged, recorded and answered separately.',
    description: `At most ${MOST_EVENTS} events, as a JSON array or one per line (\`${LINES_TYPES[0]}\`). Each event is answered as by \`POST /v1/events\`, even if other events are refused, and may be sent again with the same \`event_id\`. Events with the same \`request_id\` are processed in their order. Each event counts as one for the limit \`batch\` and for the trial; a batch that exceeds the limit is refused as a whole.`,
  })
  @ApiBody({ required: true, schema: EVENTS })
  @ApiResponse(answerSchema(200, 'The results, one per event.', BATCHED))
  @ApiResponse({ status: 401, description: 'No valid service key.' })
  @ApiResponse({ status: 413, description: 'The body is over the limit.' })
  @ApiResponse({
    status: 422,
    description:
      'The body is neither a JSON array nor JSON Lines, or contains too many events. No event was processed.',
  })
  @ApiResponse({ status: 429, description: 'Over the rate limit of the app: try again after `Retry-After` seconds.' })
  @ApiResponse({ status: 503, description: 'The service is overloaded, or keys cannot be looked up: try again.' })
  async submit(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const answers = await this.batches.submit(
      {
        client: reply.raw,
        key: bearerOf(request),
        readTexts: () => eventTexts(request),
        traceId: request.id,
        loggedId: () => loggedIdOf(request),
        settleTraceId: (id) => settleRequestId(request, reply, id),
        setHeader: (name, value) => void reply.header(name, value),
      },
      (caller) => noteCaller(request, caller),
    );
    const body = `{"answers":[${answers.map(textOf).join(',')}]}`;
    await reply.type('application/json; charset=utf-8').send(body);
  }
}

/** Bodies are inserted unchanged: they are JSON text, in part the exact text of a client. */
function textOf({ answer: { status, headers, body }, replayed }: BatchedAnswer): string {
  const retryAfter = headers['retry-after'];
  const monitoring = Object.keys(MONITOR_IGNORED).flatMap((name) => headers[name] ?? []);
  const head = JSON.stringify({
    status,
    ...(retryAfter === undefined ? {} : { retry_after: Number(retryAfter) }),
    ...(replayed ? { replayed } : {}),
    ...(monitoring.length === 0 ? {} : { monitor_mode: monitoring[0] }),
  });
  return `${head.slice(0, -1)},"body":${body}}`;
}
