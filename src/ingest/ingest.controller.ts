import { Controller, HttpCode, Post } from '@nestjs/common';
import {
  ApiBearerAuth,
  ApiBody,
  ApiExtraModels,
  ApiOperation,
  ApiResponse,
  ApiTags,
  getSchemaPath,
} from '@nestjs/swagger';
import { answerSchema } from '../http/index.js';
import { REFUSED, SUBMITTED } from './answer-schema.js';
import { EVENT_DTOS } from './dto/event.dto.js';

const BODIES = Object.values(EVENT_DTOS);

/** Describes `POST /v1/events`: `IngestRoutes` answers it. */
@ApiTags('events')
@ApiBearerAuth('service_key')
@Controller('v1/events')
export class IngestController {
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
  submit(): Promise<void> {
    return Promise.reject(new Error('IngestRoutes answers this route'));
  }
}
