/**
 * The bodies of `POST /v1/events`, one class per type of event, and their JSON Schemas. Unknown keys of payloads are
 * kept.
 */

/** The body of `POST /v1/events`, one class per type. */
import { ENVIRONMENTS, type Environment } from '../../core/index.js';
import type { ClientEventType } from '../../events/index.js';
import { IdentifierField, NestedField, OpenObjectField, PatternField, WordField } from './fields.js';
import { AiErrorPayloadDto, AiRequestPayloadDto, AiResponsePayloadDto, ToolCallPayloadDto } from './payloads.dto.js';

const REQUEST_ID = 'Id shared by the request, response and error of one provider call.';
const PAYLOAD = 'Content of the event. Unknown keys are kept.';
const MAX_ID = 256;

abstract class EventDto {
  @PatternField('^[A-Za-z0-9_.:-]{1,128}$', '1 to 128 characters of A-Z a-z 0-9 _ . : -', {
    description: 'Idempotency key. If it is absent, the service generates a key.',
    example: 'order-4711:request:1',
  })
  event_id?: string | null;

  @WordField(ENVIRONMENTS, {
    description:
      'Environment that the caller declares. It is only recorded: the key alone decides the effective environment. Default: `production`.',
  })
  environment?: Environment | null;

  @PatternField('^[a-z0-9][a-z0-9._-]{0,63}$', 'a lower-case name of 1 to 64 characters of a-z 0-9 . _ -', {
    description: 'Provider, in lower case.',
    example: 'openai',
  })
  provider?: string | null;

  @IdentifierField(MAX_ID, { description: 'Model name.', example: 'gpt-4o' })
  model?: string | null;

  @OpenObjectField({
    description:
      'Any key/value pairs (user, session, feature, …). They are shown in the dashboard and usable in rules.',
    example: { user: 'u-42', feature: 'summary' },
  })
  metadata?: Record<string, unknown> | null;
}

export class AiRequestEventDto extends EventDto {
  @WordField(['ai.request'], { description: 'A call before it is sent to its provider. It is judged.', required: true })
  type: 'ai.request';

  @IdentifierField(MAX_ID, { description: REQUEST_ID, required: true, example: 'req-4711' })
  request_id: string;

  @NestedField(() => AiRequestPayloadDto, { description: PAYLOAD })
  payload?: AiRequestPayloadDto | null;
}

export class AiResponseEventDto extends EventDto {
  @WordField(['ai.response'], { description: 'The answer to a call. It is judged, but never refused.', required: true })
  type: 'ai.response';

  @IdentifierField(MAX_ID, { description: REQUEST_ID, required: true, example: 'req-4711' })
  request_id: string;

  @NestedField(() => AiResponsePayloadDto, { description: PAYLOAD })
  payload?: AiResponsePayloadDto | null;
}

export class AiErrorEventDto extends EventDto {
  @WordField(['ai.error'], { description: 'A failed call. It is recorded.', required: true })
  type: 'ai.error';

  @IdentifierField(MAX_ID, { description: REQUEST_ID, required: true, example: 'req-4711' })
  request_id: string;

  @NestedField(() => AiErrorPayloadDto, { description: PAYLOAD })
  payload?: AiErrorPayloadDto | null;
}

export class ToolCallEventDto extends EventDto {
  @WordField(['agent.tool_call'], {
    description: 'A tool call, sent before the tool runs. It is judged.',
    required: true,
  })
  type: 'agent.tool_call';

  @IdentifierField(MAX_ID, { description: REQUEST_ID, example: 'req-4711' })
  request_id?: string | null;

  @NestedField(() => ToolCallPayloadDto, { description: PAYLOAD })
  payload?: ToolCallPayloadDto | null;
}

export type AnyEventDto = AiRequestEventDto | AiResponseEventDto | AiErrorEventDto | ToolCallEventDto;

/** The class that defines each event type. */
export const EVENT_DTOS = {
  'ai.request': AiRequestEventDto,
  'ai.response': AiResponseEventDto,
  'ai.error': AiErrorEventDto,
  'agent.tool_call': ToolCallEventDto,
} as const satisfies Record<ClientEventType, new () => AnyEventDto>;
