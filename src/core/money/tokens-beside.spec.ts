import { parseJson } from '../json/json-document.js';
import type { DecodedCall } from '../model/call.js';
import { decodeAnswer } from '../providers/decode-call.js';
import { assembleStream } from '../stream/assemble-stream.js';
import { costOf, type ModelPrice } from './model-price.js';
import { tokensOf, usageParts } from './usage-parts.js';

/** In nano-dollars: 2,000 for a token of input, 200 from the cache, 8,000 for a token of output. */
const PRICE: ModelPrice = {
  version: 't',
  input: { base: 2_000_000_000n },
  cacheRead: { base: 200_000_000n },
  output: { base: 8_000_000_000n },
};
const chat = (usage: object): DecodedCall =>
  decodeAnswer('openai.chat', parseJson(JSON.stringify({ object: 'chat.completion', choices: [], usage })));
const message = (usage: object): object => ({ type: 'message', role: 'assistant', content: [], usage });
const messageWith = (usage: object): DecodedCall =>
  decodeAnswer('anthropic.messages', parseJson(JSON.stringify(message(usage))));
const streamed = (...events: readonly Readonly<Record<string, unknown>>[]): DecodedCall =>
  assembleStream(
    'anthropic.messages',
    events.map((event) => `event: ${String(event['type'])}\ndata: ${JSON.stringify(event)}\n\n`).join(''),
  ).call;
const COMPACTED = [
  { type: 'compaction', input_tokens: 180_000, cache_read_input_tokens: 10, output_tokens: 3500 },
  { type: 'message', input_tokens: 23_000, output_tokens: 1000 },
];

describe('Tokens that an answer lists beside its usual counts', () => {
  it.each<[string, DecodedCall, bigint | undefined, number]>([
    [
      'reasoning beside the completion, as at xAI',
      chat({
        ...{ prompt_tokens: 1000, completion_tokens: 2000, total_tokens: 4500 },
        completion_tokens_details: { reasoning_tokens: 1500 },
      }),
      // 1,000 × 2,000 + 3,500 × 8,000
      2_000_000n + 28_000_000n,
      4500,
    ],
    [
      'thoughts that are only in the total',
      chat({ prompt_tokens: 20, completion_tokens: 198, total_tokens: 623 }),
      // 20 × 2,000 + 603 × 8,000
      40_000n + 4_824_000n,
      623,
    ],
    [
      'a cache beside the prompt, which is no output',
      chat({
        ...{ prompt_tokens: 10, completion_tokens: 5, total_tokens: 105 },
        prompt_tokens_details: { cached_tokens: 100 },
      }),
      // 100 × 200 + 5 × 8,000
      20_000n + 40_000n,
      105,
    ],
    [
      'a compaction of the conversation',
      messageWith({ input_tokens: 23_000, output_tokens: 1000, iterations: COMPACTED }),
      // 203,000 × 2,000 + 10 × 200 + 4,500 × 8,000
      406_000_000n + 2_000n + 36_000_000n,
      207_510,
    ],
    [
      'a compaction of the conversation, streamed',
      streamed(
        { type: 'message_start', message: message({ input_tokens: 23_000, output_tokens: 1 }) },
        {
          ...{ type: 'message_delta', delta: { stop_reason: 'end_turn' } },
          usage: { output_tokens: 1000, iterations: COMPACTED },
        },
      ),
      406_000_000n + 2_000n + 36_000_000n,
      207_510,
    ],
    [
      'advice of another model, for an unknown price',
      messageWith({
        ...{ input_tokens: 10, output_tokens: 5 },
        iterations: [
          { type: 'message', input_tokens: 10, output_tokens: 5 },
          { type: 'advisor_message', model: 'claude-opus-5', input_tokens: 100, output_tokens: 50 },
        ],
      }),
      undefined,
      165,
    ],
  ])('count: %s', (_what, { usage = {} }, nanoUsd, tokens) => {
    const parts = usageParts(usage);
    expect(costOf(parts, PRICE, usage.other)).toBe(nanoUsd);
    expect(tokensOf(parts)).toBe(tokens);
  });
});
