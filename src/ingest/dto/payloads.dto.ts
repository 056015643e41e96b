/** The payload of each event type. Unknown keys are kept; the declared ones are those that Weir reads. */
import {
  AnyField,
  ArgumentsField,
  BooleanField,
  ContentField,
  IdentifierField,
  IntegerField,
  NestedField,
  NestedListField,
  NestedOrTextField,
  NumberField,
  OpenListField,
  OutputField,
  PromptField,
  TextField,
} from './fields.js';

const MAX_TOKENS = Number.MAX_SAFE_INTEGER;
/** One billion dollars: a 64-bit integer can hold it in nano-dollars, and no call costs more. */
const MAX_USD = 1_000_000_000;
const MAX_LATENCY_MS = 1_000_000_000;

/** A message may lack content: a model's message may consist of tool calls alone, and other vendors' messages have other members. */
export class MessageDto {
  @IdentifierField(64, { description: 'Role of the speaker, as the provider names it.', example: 'user' })
  role?: string | null;

  @ContentField({
    description: "A string, or the provider's list of parts. Other members of a message are read as well.",
    example: 'Summarise the attached notes.',
  })
  content?: string | object[] | null;
}

/**
 * Fields with other names in the provider's own body (`input`, `instructions`, `system` …) are kept, and read as the proxy reads them.
 */
export class AiRequestPayloadDto {
  @NestedListField(() => MessageDto, {
    description:
      "The conversation. The provider's own body is also accepted: fields that are not listed here are read as well.",
  })
  messages?: MessageDto[] | null;

  @PromptField({
    description:
      'The prompt of a completion, a list of prompts, or a prompt that is stored at the provider, with its variables.',
  })
  prompt?: string | unknown[] | object | null;

  @OpenListField({ description: 'Tools declared to the model.' })
  tools?: object[] | null;

  @IntegerField(0, MAX_TOKENS, { description: 'Maximum number of tokens in the answer.' })
  max_tokens?: number | null;

  @BooleanField({
    description:
      'Asks for judging without enforcement. Unless the policy sets `client_monitor_mode: honor`, this is ignored, and the answer has the header `x-weir-monitor-mode: ignored`.',
  })
  monitor_mode?: boolean | null;
}

export class UsageDto {
  @IntegerField(0, MAX_TOKENS, { description: 'Number of all input tokens, including cached ones.' })
  prompt_tokens?: number | null;

  @IntegerField(0, MAX_TOKENS, { description: 'Number of all output tokens.' })
  completion_tokens?: number | null;

  @IntegerField(0, MAX_TOKENS, { description: 'Input tokens read from a cache.' })
  cache_read_tokens?: number | null;

  @IntegerField(0, MAX_TOKENS, { description: 'Input tokens written to a cache.' })
  cache_write_tokens?: number | null;

  @IntegerField(0, MAX_TOKENS, { description: 'Number of those `cache_write_tokens` that are cached for an hour.' })
  cache_write_1h_tokens?: number | null;

  @IntegerField(0, MAX_TOKENS, { description: 'Output tokens spent on reasoning.' })
  reasoning_tokens?: number | null;
}

export class AiResponsePayloadDto {
  @OutputField({
    description:
      "The answer: a string, the provider's content parts with tool calls, or the provider's complete response body.",
  })
  output?: string | object | null;

  @NestedField(() => UsageDto, { description: 'Tokens as the provider counted them.' })
  usage?: UsageDto | null;

  @NumberField(0, MAX_USD, { description: 'Cost of the call in US dollars; rounded half-even to nano-dollars.' })
  cost_usd?: number | null;
}

export class ProviderErrorDto {
  @IdentifierField(256, { description: "The provider's own error type.", example: 'overloaded_error' })
  type?: string | null;

  @TextField({ description: "The provider's error message." })
  message?: string | null;

  @IntegerField(100, 599, { description: 'HTTP status of the answer, if there was one.' })
  status?: number | null;
}

export class AiErrorPayloadDto {
  @NestedOrTextField(() => ProviderErrorDto, { description: 'The error, or its message as a string.' })
  error?: ProviderErrorDto | string | null;

  @NumberField(0, MAX_LATENCY_MS, { description: 'Milliseconds until the call failed.' })
  latency_ms?: number | null;
}

export class ToolCallPayloadDto {
  @IdentifierField(256, {
    description: 'Name of the tool that is about to run.',
    example: 'send_email',
  })
  tool?: string | null;

  @ArgumentsField({ description: 'Arguments of the tool: an object, or a string that contains this object as JSON.' })
  arguments?: object | string | null;

  @IdentifierField(256, { description: 'Id that the provider gave the call.' })
  call_id?: string | null;

  @IdentifierField(256, { description: 'Id shared by the calls of one agent session.' })
  session_id?: string | null;

  @AnyField({ description: 'Result of the tool, if the event is sent after the tool has run.' })
  result?: unknown;

  @BooleanField({ description: 'Asks for judging without enforcement, as `monitor_mode` of an `ai.request` does.' })
  monitor_mode?: boolean | null;
}
