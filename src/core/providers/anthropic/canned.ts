import { cannedJson, cannedNamedStream, type CannedAnswer, type CannedText } from '../canned-answer.js';

/** The usage of a canned answer: all counts are zero, because no model produced it. */
const NO_USAGE = {
  input_tokens: 0,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 0,
  output_tokens: 0,
};

/** A canned message: one block of text and the end of the turn. */
export function cannedMessage({ text, id, model, streams }: CannedText): CannedAnswer {
  const message = (content: readonly object[], stop_reason: string | null): object => ({
    id: `msg_${id}`,
    type: 'message',
    role: 'assistant',
    model,
    content,
    stop_reason,
    stop_sequence: null,
    usage: NO_USAGE,
  });
  if (!streams) return cannedJson(message([{ type: 'text', text }], 'end_turn'));
  return cannedNamedStream([
    { type: 'message_start', message: message([], null) },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } },
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: 'end_turn', stop_sequence: null }, usage: { output_tokens: 0 } },
    { type: 'message_stop' },
  ] as readonly { readonly type: string }[]);
}
