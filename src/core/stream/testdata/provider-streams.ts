import type { Dialect } from '../../model/call.js';

export type Frame = (data: unknown, name?: string) => string;
/** One event. */
export const frame: Frame = (data, name) =>
  `${name === undefined ? '' : `event: ${name}\n`}data: ${JSON.stringify(data)}\n\n`;

/** One event of a chat completion. */
export function chunk(choices: unknown[], more: object = {}): string {
  return frame({
    id: 'chatcmpl-1',
    object: 'chat.completion.chunk',
    created: 1700000000,
    model: 'gpt-4o',
    choices,
    ...more,
  });
}

/** How a provider streams one text: the frames for its pieces, and the path of the assembled text. */
export const PROVIDERS: Record<string, { dialect: Dialect; path: string; frames: (pieces: string[]) => string }> = {
  'content of a chat': {
    dialect: 'openai.chat',
    path: 'choices[0].message.content',
    frames: (pieces) =>
      chunk([{ index: 0, delta: { role: 'assistant', content: '' } }]) +
      pieces.map((content) => chunk([{ index: 0, delta: { content } }])).join('') +
      chunk([{ index: 0, delta: {}, finish_reason: 'stop' }]) +
      'data: [DONE]\n\n',
  },
  'the second choice of a chat, among the first': {
    dialect: 'openai.chat',
    path: 'choices[1].message.content',
    frames: (pieces) =>
      pieces
        .map(
          (content) => chunk([{ index: 0, delta: { content: 'other ' } }]) + chunk([{ index: 1, delta: { content } }]),
        )
        .join('') + 'data: [DONE]\n\n',
  },
  'reasoning of a chat': {
    dialect: 'openai.chat',
    path: 'choices[0].message.reasoning_content',
    frames: (pieces) => pieces.map((reasoning_content) => chunk([{ index: 0, delta: { reasoning_content } }])).join(''),
  },
  'refusal of a chat': {
    dialect: 'openai.chat',
    path: 'choices[0].message.refusal',
    frames: (pieces) => pieces.map((refusal) => chunk([{ index: 0, delta: { refusal } }])).join(''),
  },
  'an unknown field of a chat': {
    dialect: 'openai.chat',
    path: 'choices[0].message.novel[0].words',
    frames: (pieces) => pieces.map((words) => chunk([{ index: 0, delta: { novel: [{ words }] } }])).join(''),
  },
  'a completion': {
    dialect: 'openai.completions',
    path: 'choices[0].text',
    frames: (pieces) =>
      pieces
        .map((text) => frame({ object: 'text_completion', choices: [{ index: 0, text, logprobs: null }] }))
        .join(''),
  },
  'text of messages': {
    dialect: 'anthropic.messages',
    path: 'content[0].text',
    frames: (pieces) =>
      frame(
        {
          type: 'message_start',
          message: {
            id: 'msg_1',
            type: 'message',
            role: 'assistant',
            content: [],
            model: 'claude',
            usage: { input_tokens: 3, output_tokens: 1 },
          },
        },
        'message_start',
      ) +
      frame(
        { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
        'content_block_start',
      ) +
      frame({ type: 'ping' }, 'ping') +
      pieces
        .map((text) =>
          frame({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } }, 'content_block_delta'),
        )
        .join('') +
      frame({ type: 'content_block_stop', index: 0 }, 'content_block_stop') +
      frame(
        { type: 'message_delta', delta: { stop_reason: 'end_turn', stop_sequence: null }, usage: { output_tokens: 9 } },
        'message_delta',
      ) +
      frame({ type: 'message_stop' }, 'message_stop'),
  },
  'thinking of messages': {
    dialect: 'anthropic.messages',
    path: 'content[2].thinking',
    frames: (pieces) =>
      pieces
        .map((thinking) =>
          frame(
            { type: 'content_block_delta', index: 2, delta: { type: 'thinking_delta', thinking } },
            'content_block_delta',
          ),
        )
        .join(''),
  },
  'text of responses': {
    dialect: 'openai.responses',
    path: 'output[0].content[0].text',
    frames: (pieces) =>
      pieces
        .map((delta, sequence_number) =>
          frame(
            {
              type: 'response.output_text.delta',
              sequence_number,
              item_id: 'm',
              output_index: 0,
              content_index: 0,
              delta,
            },
            'response.output_text.delta',
          ),
        )
        .join(''),
  },
};
