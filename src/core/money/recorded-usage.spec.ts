import { decodeAnswer } from '../providers/decode-call.js';
import type { Dialect } from '../model/call.js';
import { parseJson } from '../json/json-document.js';
import { assembleStream } from '../stream/assemble-stream.js';
import { costOf, type ModelPrice, type Rate } from './model-price.js';
import { tokensOf, usageParts } from './usage-parts.js';

/** Dollars per million tokens as nano-dollars. */
const rate = (usd: number): Rate => ({ base: BigInt(Math.round(usd * 1000)) * 1_000_000n });
const PRICES: Readonly<Record<string, ModelPrice>> = {
  'gpt-4o': { version: 't', input: rate(2.5), cacheRead: rate(1.25), output: rate(10) },
  o3: {
    version: 't',
    input: rate(2),
    cacheRead: rate(0.5),
    output: rate(8),
    webSearches: 10_000_000_000n,
    fileSearches: 2_500_000_000n,
  },
  audio: { version: 't', input: rate(2.5), output: rate(10), audioInput: rate(32), audioOutput: rate(64) },
  embedding: { version: 't', input: rate(0.02) },
  sonnet: {
    version: 't',
    input: rate(3),
    cacheRead: rate(0.3),
    cacheWrite5m: rate(3.75),
    cacheWrite1h: rate(6),
    output: rate(15),
    webSearches: 10_000_000_000n,
  },
};

const chat = (usage: object): object => ({
  id: 'chatcmpl-1',
  object: 'chat.completion',
  model: 'gpt-4o-2024-08-06',
  choices: [{ index: 0, message: { role: 'assistant', content: 'Hi', refusal: null }, finish_reason: 'stop' }],
  usage,
});
const message = (usage: object): object => ({
  id: 'msg_01',
  type: 'message',
  role: 'assistant',
  model: 'claude-sonnet-4-5-20250929',
  content: [{ type: 'text', text: 'Hi' }],
  stop_reason: 'end_turn',
  usage,
});
const response = (usage: object, ...items: object[]): object => ({
  id: 'resp_1',
  object: 'response',
  model: 'o3-2025-04-16',
  service_tier: 'default',
  output: [
    ...items,
    { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Hi', annotations: [] }] },
  ],
  usage: {
    input_tokens_details: { cached_tokens: 0 },
    output_tokens_details: { reasoning_tokens: 0 },
    ...usage,
  },
});
const sse = (...events: object[]): string =>
  events.map((event) => `event: ${(event as { type?: string }).type}\ndata: ${JSON.stringify(event)}\n\n`).join('');

/**
 * Shapes as the providers send them, with costs computed by hand in nano-dollars:
 * tokens × dollars per million × 1,000.
 */
const ANSWERS: readonly [string, Dialect, keyof typeof PRICES, string | object, bigint | undefined, number][] = [
  [
    'OpenAI chat, cached tokens inside the prompt',
    'openai.chat',
    'gpt-4o',
    chat({
      prompt_tokens: 2006,
      completion_tokens: 300,
      total_tokens: 2306,
      prompt_tokens_details: { cached_tokens: 1920, audio_tokens: 0 },
      completion_tokens_details: { reasoning_tokens: 0, audio_tokens: 0, accepted_prediction_tokens: 0 },
    }),
    // 86 × 2,500 + 1,920 × 1,250 + 300 × 10,000
    215_000n + 2_400_000n + 3_000_000n,
    2306,
  ],
  [
    'OpenAI chat, streamed, usage in the last chunk',
    'openai.chat',
    'gpt-4o',
    [
      'data: {"id":"c","model":"gpt-4o","choices":[{"index":0,"delta":{"role":"assistant","content":"Hi"}}],"usage":null}',
      'data: {"id":"c","model":"gpt-4o","choices":[],"usage":{"prompt_tokens":19,"completion_tokens":10,"total_tokens":29,"prompt_tokens_details":{"cached_tokens":0}}}',
      'data: [DONE]',
      '',
    ].join('\n\n'),
    // 19 × 2,500 + 10 × 10,000
    47_500n + 100_000n,
    29,
  ],
  [
    'OpenAI chat, reasoning inside the completion',
    'openai.chat',
    'o3',
    chat({
      prompt_tokens: 75,
      completion_tokens: 1186,
      total_tokens: 1261,
      prompt_tokens_details: { cached_tokens: 0, audio_tokens: 0 },
      completion_tokens_details: { reasoning_tokens: 1024, audio_tokens: 0 },
    }),
    // 75 × 2,000 + 1,186 × 8,000
    150_000n + 9_488_000n,
    1261,
  ],
  [
    'OpenAI chat, streamed, cached and reasoning',
    'openai.chat',
    'o3',
    [
      'data: {"id":"c","model":"o3","service_tier":"default","choices":[{"index":0,"delta":{"content":"Hi"}}],"usage":null}',
      'data: {"id":"c","model":"o3","service_tier":"default","choices":[],"usage":{"prompt_tokens":2006,"completion_tokens":300,"total_tokens":2306,"prompt_tokens_details":{"cached_tokens":1920,"audio_tokens":0},"completion_tokens_details":{"reasoning_tokens":192}}}',
      'data: [DONE]',
      '',
    ].join('\n\n'),
    // 86 × 2,000 + 1,920 × 500 + 300 × 8,000
    172_000n + 960_000n + 2_400_000n,
    2306,
  ],
  [
    'OpenAI chat, audio in and out',
    'openai.chat',
    'audio',
    chat({
      prompt_tokens: 120,
      completion_tokens: 260,
      total_tokens: 380,
      prompt_tokens_details: { cached_tokens: 0, audio_tokens: 100, text_tokens: 20 },
      completion_tokens_details: { reasoning_tokens: 0, audio_tokens: 200, text_tokens: 60 },
    }),
    // 20 × 2,500 + 100 × 32,000 + 60 × 10,000 + 200 × 64,000
    50_000n + 3_200_000n + 600_000n + 12_800_000n,
    380,
  ],
  [
    'OpenAI chat, audio from a model whose audio has no known price',
    'openai.chat',
    'gpt-4o',
    chat({
      prompt_tokens: 120,
      completion_tokens: 60,
      prompt_tokens_details: { cached_tokens: 0, audio_tokens: 100 },
    }),
    undefined,
    180,
  ],
  [
    'OpenAI completions',
    'openai.completions',
    'gpt-4o',
    {
      id: 'cmpl-1',
      object: 'text_completion',
      model: 'gpt-4o',
      choices: [{ index: 0, text: 'Hi', finish_reason: 'stop' }],
      usage: { prompt_tokens: 5, completion_tokens: 7, total_tokens: 12 },
    },
    // 5 × 2,500 + 7 × 10,000
    12_500n + 70_000n,
    12,
  ],
  [
    'OpenAI responses, searches on the web and in files (opening a page is not a search)',
    'openai.responses',
    'o3',
    response(
      { input_tokens: 328, output_tokens: 356, total_tokens: 684 },
      { type: 'web_search_call', id: 'ws_1', status: 'completed', action: { type: 'search', query: 'q' } },
      { type: 'web_search_call', id: 'ws_2', status: 'completed', action: { type: 'open_page', url: 'u' } },
      { type: 'file_search_call', id: 'fs_1', status: 'completed', queries: ['q'], results: null },
    ),
    // 328 × 2,000 + 356 × 8,000 + 10,000,000 + 2,500,000
    656_000n + 2_848_000n + 10_000_000n + 2_500_000n,
    684,
  ],
  [
    'OpenAI responses, code that was run for an unknown fee',
    'openai.responses',
    'o3',
    response({ input_tokens: 10, output_tokens: 10 }, { type: 'code_interpreter_call', id: 'ci_1', code: '1' }),
    undefined,
    20,
  ],
  [
    'OpenAI responses, streamed, cached and reasoning, with a search',
    'openai.responses',
    'o3',
    sse(
      { type: 'response.created', response: { id: 'resp_1', model: 'o3', usage: null } },
      {
        type: 'response.completed',
        response: response(
          {
            input_tokens: 1000,
            input_tokens_details: { cached_tokens: 400 },
            output_tokens: 1035,
            output_tokens_details: { reasoning_tokens: 832 },
          },
          { type: 'web_search_call', id: 'ws_1', status: 'completed' },
        ),
      },
    ),
    // 600 × 2,000 + 400 × 500 + 1,035 × 8,000 + 10,000,000
    1_200_000n + 200_000n + 8_280_000n + 10_000_000n,
    2035,
  ],
  [
    'OpenAI responses, reasoning inside the output',
    'openai.responses',
    'o3',
    {
      id: 'resp_1',
      object: 'response',
      model: 'o3-2025-04-16',
      output: [{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Hi', annotations: [] }] }],
      usage: {
        input_tokens: 1000,
        input_tokens_details: { cached_tokens: 400 },
        output_tokens: 1035,
        output_tokens_details: { reasoning_tokens: 832 },
        total_tokens: 2035,
      },
    },
    // 600 × 2,000 + 400 × 500 + 1,035 × 8,000
    1_200_000n + 200_000n + 8_280_000n,
    2035,
  ],
  [
    'OpenAI responses, streamed',
    'openai.responses',
    'o3',
    sse(
      { type: 'response.created', response: { id: 'resp_1', model: 'o3', usage: null } },
      { type: 'response.output_text.delta', item_id: 'i', output_index: 0, content_index: 0, delta: 'Hi' },
      {
        type: 'response.completed',
        response: {
          id: 'resp_1',
          model: 'o3',
          output: [],
          usage: {
            input_tokens: 37,
            input_tokens_details: { cached_tokens: 0 },
            output_tokens: 11,
            output_tokens_details: { reasoning_tokens: 0 },
            total_tokens: 48,
          },
        },
      },
    ),
    // 37 × 2,000 + 11 × 8,000
    74_000n + 88_000n,
    48,
  ],
  [
    'OpenAI embeddings',
    'openai.embeddings',
    'embedding',
    {
      object: 'list',
      data: [{ object: 'embedding', index: 0, embedding: [0.1, -0.2] }],
      model: 'text-embedding-3-small',
      usage: { prompt_tokens: 8, total_tokens: 8 },
    },
    // 8 × 20
    160n,
    8,
  ],
  [
    'Anthropic messages, caches outside the input, written for both times',
    'anthropic.messages',
    'sonnet',
    message({
      input_tokens: 2048,
      cache_read_input_tokens: 1800,
      cache_creation_input_tokens: 248,
      cache_creation: { ephemeral_5m_input_tokens: 148, ephemeral_1h_input_tokens: 100 },
      output_tokens: 503,
      service_tier: 'standard',
    }),
    // 2,048 × 3,000 + 1,800 × 300 + 148 × 3,750 + 100 × 6,000 + 503 × 15,000
    6_144_000n + 540_000n + 555_000n + 600_000n + 7_545_000n,
    4599,
  ],
  [
    'Anthropic messages, streamed, output counted up in message_delta',
    'anthropic.messages',
    'sonnet',
    sse(
      {
        type: 'message_start',
        message: message({
          input_tokens: 25,
          cache_creation_input_tokens: 0,
          cache_read_input_tokens: 1000,
          output_tokens: 1,
        }),
      },
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hi' } },
      { type: 'content_block_stop', index: 0 },
      { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 15 } },
      { type: 'message_stop' },
    ),
    // 25 × 3,000 + 1,000 × 300 + 15 × 15,000
    75_000n + 300_000n + 225_000n,
    1040,
  ],
  [
    'Anthropic messages, streamed, thinking, written for an hour, two searches',
    'anthropic.messages',
    'sonnet',
    sse(
      {
        type: 'message_start',
        message: message({
          input_tokens: 4,
          cache_creation_input_tokens: 2000,
          cache_read_input_tokens: 0,
          cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 2000 },
          output_tokens: 2,
          service_tier: 'standard',
        }),
      },
      { type: 'content_block_start', index: 0, content_block: { type: 'thinking', thinking: '' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'thinking_delta', thinking: 'Well' } },
      { type: 'content_block_stop', index: 0 },
      {
        type: 'message_delta',
        delta: { stop_reason: 'end_turn' },
        usage: {
          output_tokens: 510,
          output_tokens_details: { thinking_tokens: 400 },
          server_tool_use: { web_search_requests: 2, web_fetch_requests: 1 },
        },
      },
      { type: 'message_stop' },
    ),
    // 4 × 3,000 + 2,000 × 6,000 + 510 × 15,000 + 2 × 10,000,000
    12_000n + 12_000_000n + 7_650_000n + 20_000_000n,
    2514,
  ],
  [
    "an ai.response event with Weir's own names",
    'weir.ai_response',
    'sonnet',
    {
      type: 'ai.response',
      payload: {
        output: 'Hi',
        usage: {
          prompt_tokens: 100,
          completion_tokens: 50,
          cache_read_tokens: 40,
          cache_write_tokens: 20,
          reasoning_tokens: 10,
        },
      },
    },
    // 40 × 3,000 + 40 × 300 + 20 × 3,750 + 50 × 15,000
    120_000n + 12_000n + 75_000n + 750_000n,
    150,
  ],
];

describe('the cost of recorded answers', () => {
  it.each(ANSWERS)('is correct for %s', (_name, dialect, model, answer, nanoUsd, tokens) => {
    const call =
      typeof answer === 'string'
        ? assembleStream(dialect, answer).call
        : decodeAnswer(dialect, parseJson(JSON.stringify(answer)));
    const parts = usageParts(call.usage!);
    expect(costOf(parts, PRICES[model]!, call.usage!.other)).toBe(nanoUsd);
    expect(tokensOf(parts)).toBe(tokens);
  });

  it('includes reasoning at a separate rate if the price has one', () => {
    const parts = usageParts({ promptTokens: 0, completionTokens: 100, reasoningTokens: 60 });
    expect(costOf(parts, { ...PRICES['o3']!, reasoning: rate(1) })).toBe(40n * 8_000n + 60n * 1_000n);
  });

  it('includes reasoning in addition to the output if it exceeds the output', () => {
    expect(usageParts({ completionTokens: 100, reasoningTokens: 300 })).toMatchObject({ output: 100, reasoning: 300 });
  });

  it('depends, for all tokens of a call, on the tier of the input', () => {
    const tiered: Rate = { base: 1_000_000n, tiers: [{ aboveInputTokens: 200_000, rate: 2_000_000n }] };
    const price: ModelPrice = { version: 't', input: tiered, output: tiered };
    expect(costOf(usageParts({ promptTokens: 200_000, completionTokens: 10 }), price)).toBe(200_010n);
    expect(costOf(usageParts({ promptTokens: 200_001, completionTokens: 10 }), price)).toBe(400_022n);
  });

  it('includes the fee per call if the provider charges one', () => {
    const price: ModelPrice = { ...PRICES['gpt-4o']!, calls: 5_000_000_000n };
    expect(costOf(usageParts({ promptTokens: 1 }), price)).toBe(5_002_500n);
  });

  it('is rounded once, half to even', () => {
    const half: ModelPrice = { version: 't', input: { base: 500_000n }, output: { base: 500_000n } };
    const cost = (promptTokens: number): bigint | undefined => costOf(usageParts({ promptTokens }), half);
    expect([1, 2, 3, 5].map(cost)).toEqual([0n, 1n, 2n, 2n]);
  });

  it('is undefined for output without a price', () => {
    expect(costOf(usageParts({ promptTokens: 8, completionTokens: 1 }), PRICES['embedding']!)).toBeUndefined();
  });
});
