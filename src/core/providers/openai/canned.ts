import { memberOf, type JsonNode } from '../../json/json-node.js';
import {
  cannedJson,
  cannedNamedStream,
  cannedStream,
  wantsJson,
  type CannedAnswer,
  type CannedText,
} from '../canned-answer.js';
import { END_MARK } from './end-mark.js';

/** The usage of a canned answer: all counts are zero, because no model produced it. */
const NO_USAGE = { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 };
const NO_RESPONSE_USAGE = {
  input_tokens: 0,
  input_tokens_details: { cached_tokens: 0 },
  output_tokens: 0,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: 0,
};

/**
 * A canned answer with one choice, regardless of the requested number. If the request asks for JSON, the text is sent as a
 * refusal, which clients do not parse: https://platform.openai.com/docs/guides/structured-outputs#refusals
 */
export function cannedChat(canned: CannedText): CannedAnswer {
  const { text, request } = canned;
  const isRefusal = wantsJson(request, ['response_format']);
  const texts = isRefusal ? { content: null, refusal: text } : { content: text, refusal: null };
  if (!canned.streams) {
    const message = { role: 'assistant', ...texts };
    const choice = { index: 0, message, logprobs: null, finish_reason: 'stop' };
    return cannedJson({ ...head(canned, 'chatcmpl', 'chat.completion'), choices: [choice], usage: NO_USAGE });
  }
  const chunk = (delta: object, finish_reason: string | null): object => ({
    ...head(canned, 'chatcmpl', 'chat.completion.chunk'),
    choices: [{ index: 0, delta, logprobs: null, finish_reason }],
  });
  const begin = { role: 'assistant', ...(isRefusal ? { refusal: '' } : { content: '', refusal: null }) };
  const chunks = [
    chunk(begin, null),
    chunk(isRefusal ? { refusal: text } : { content: text }, null),
    chunk({}, 'stop'),
  ];
  return cannedStream([...chunks, ...usageAtEnd(canned, 'chatcmpl', 'chat.completion.chunk')], END_MARK);
}

/** A canned answer with one choice, regardless of the requested number. */
export function cannedCompletion(canned: CannedText): CannedAnswer {
  const choices = [{ text: canned.text, index: 0, logprobs: null, finish_reason: 'stop' }];
  const answer = { ...head(canned, 'cmpl', 'text_completion'), choices };
  if (!canned.streams) return cannedJson({ ...answer, usage: NO_USAGE });
  return cannedStream([answer, ...usageAtEnd(canned, 'cmpl', 'text_completion')], END_MARK);
}

/** A canned answer with one message. If the request asks for JSON, the message is a refusal, as in chat completions. */
export function cannedResponse(canned: CannedText): CannedAnswer {
  const { text, id, model, createdSeconds, request } = canned;
  const isRefusal = wantsJson(request, ['text', 'format']);
  const partOf = (said: string): object =>
    isRefusal ? { type: 'refusal', refusal: said } : { type: 'output_text', text: said, annotations: [], logprobs: [] };
  const itemOf = (status: string, content: readonly object[]): object => ({
    id: `msg_${id}`,
    type: 'message',
    status,
    role: 'assistant',
    content,
  });
  const answer = (status: string, output: readonly object[], usage: object | null): object => ({
    id: `resp_${id}`,
    object: 'response',
    created_at: createdSeconds,
    status,
    background: false,
    error: null,
    incomplete_details: null,
    instructions: null,
    max_output_tokens: null,
    metadata: {},
    model,
    output,
    parallel_tool_calls: true,
    previous_response_id: null,
    reasoning: { effort: null, summary: null },
    store: false,
    temperature: null,
    text: { format: { type: 'text' } },
    tool_choice: 'auto',
    tools: [],
    top_p: null,
    truncation: 'disabled',
    usage,
  });
  const item = itemOf('completed', [partOf(text)]);
  const whole = answer('completed', [item], NO_RESPONSE_USAGE);
  if (!canned.streams) return cannedJson(whole);
  const place = { item_id: `msg_${id}`, output_index: 0, content_index: 0 };
  const logprobs = isRefusal ? {} : { logprobs: [] };
  const prefix = isRefusal ? 'response.refusal' : 'response.output_text';
  const events = [
    { type: 'response.created', response: answer('in_progress', [], null) },
    { type: 'response.in_progress', response: answer('in_progress', [], null) },
    { type: 'response.output_item.added', output_index: 0, item: itemOf('in_progress', []) },
    { type: 'response.content_part.added', ...place, part: partOf('') },
    { type: `${prefix}.delta`, ...place, delta: text, ...logprobs },
    { type: `${prefix}.done`, ...place, ...(isRefusal ? { refusal: text } : { text }), ...logprobs },
    { type: 'response.content_part.done', ...place, part: partOf(text) },
    { type: 'response.output_item.done', output_index: 0, item },
    { type: 'response.completed', response: whole },
  ];
  return cannedNamedStream(events.map((event, index) => ({ ...event, sequence_number: index })));
}

function head({ id, createdSeconds, model }: CannedText, kind: string, object: string): object {
  return { id: `${kind}-${id}`, object, created: createdSeconds, model };
}

/** The last event of a stream if the client asked for token counts. */
function usageAtEnd(canned: CannedText, kind: string, object: string): readonly object[] {
  const options: JsonNode | undefined = memberOf(canned.request, 'stream_options');
  if (options === undefined || memberOf(options, 'include_usage') !== true) return [];
  return [{ ...head(canned, kind, object), choices: [], usage: NO_USAGE }];
}
