import { decodeAnswer, decodeRequest } from '../decode-call.js';
import { dialectOfRoute } from '../dialects.js';
import { parseJson } from '../../json/json-document.js';
import type { Dialect, Usage } from '../../model/call.js';
import { boundOf, type CallBound } from '../../budget/call-bound.js';
import { conversationOf } from '../../history/conversation.js';
import { GEMINI } from './index.js';

const parsed = (body: unknown) => parseJson(JSON.stringify(body));
const request = (body: unknown, dialect: Dialect = 'gemini.generate') => decodeRequest(dialect, parsed(body));
const answer = (body: unknown) => decodeAnswer('gemini.generate', parsed(body));
const texts = ({ segments }: ReturnType<typeof request>): [string, string, string][] =>
  segments.map(({ path, role, text }) => [path, role, text]);

describe('A request to Gemini', () => {
  it('is read with the roles of its turns, in both spellings of its fields', () => {
    const call = request({
      system_instruction: { parts: [{ text: 'be brief' }] },
      contents: [
        { parts: [{ text: 'ask' }] },
        { role: 'model', parts: [{ text: 'hm', thought: true }, { functionCall: { name: 'look', args: { a: 'b' } } }] },
        { role: 'user', parts: [{ function_response: { name: 'look', response: { c: 'd' } } }] },
      ],
      generationConfig: { temperature: 0.5, stopSequences: ['end'] },
    });
    expect(texts(call)).toEqual([
      ['system_instruction.parts[0].text', 'system', 'be brief'],
      ['contents[0].parts[0].text', 'user', 'ask'],
      ['contents[1].parts[0].text', 'reasoning', 'hm'],
      ['contents[1].parts[1].functionCall.name', 'tool_call', 'look'],
      ['contents[1].parts[1].functionCall.args.a', 'tool_call', 'a'],
      ['contents[1].parts[1].functionCall.args.a', 'tool_call', 'b'],
      ['contents[2].parts[0].function_response.name', 'tool_result', 'look'],
      ['contents[2].parts[0].function_response.response', 'tool_result', 'response'],
      ['contents[2].parts[0].function_response.response.c', 'tool_result', 'c'],
      ['contents[2].parts[0].function_response.response.c', 'tool_result', 'd'],
      ['generationConfig.stopSequences[0]', 'other', 'end'],
    ]);
    expect(call.pastToolCalls).toMatchObject([{ name: 'look', args: { a: 'b' } }]);
    expect(call.pastToolResults).toMatchObject([{ name: 'look' }]);
    expect(call.newToolCalls).toEqual([]);
  });

  it('yields its tools, with schemas as JSON Schema, and the hosted tools', () => {
    const parameters = { type: 'OBJECT', properties: { a: { type: 'STRING', nullable: true } } };
    const call = request({ tools: [{ functionDeclarations: [{ name: 'look', parameters }] }, { googleSearch: {} }] });
    expect(call.declaredTools).toEqual([
      {
        name: 'look',
        path: 'tools[0].functionDeclarations[0]',
        schema: { type: 'object', properties: { a: { type: ['string', 'null'] } } },
      },
      { name: 'googleSearch', path: 'tools[1].googleSearch' },
    ]);
  });

  it('can limit its output in its settings, as a number or in a string', () => {
    expect(request({ generationConfig: { maxOutputTokens: 7 } }).maxTokens).toBe(7);
    expect(request({ generation_config: { max_output_tokens: '700' } }).maxTokens).toBe(700);
    expect(request({ max_tokens: 7 }).maxTokens).toBeUndefined();
  });

  it('starts a turn with a message of the user, not with tool results', () => {
    const conversation = conversationOf(
      parsed({
        contents: [
          { parts: [{ text: 'a' }] },
          { role: 'model', parts: [{ functionCall: { name: 'f' } }] },
          { role: 'user', parts: [{ functionResponse: { name: 'f', response: {} } }] },
          { role: 'user', parts: [{ text: 'b' }] },
        ],
      }),
    );
    expect(conversation?.list).toBe('contents');
    expect(conversation?.items.map(({ startsTurn }) => startsTurn)).toEqual([true, false, false, true]);
  });

  it('has an upper bound that counts candidates, images at their maximum, and the full context window for stored content', () => {
    const bound = (body: object): CallBound => {
      const doc = parsed(body);
      const call = decodeRequest('gemini.generate', doc);
      return boundOf(doc, call, { countTokens: (text) => text.length, contextWindow: 1_000_000 });
    };
    const contents = [{ parts: [{ text: 'hi' }] }];
    expect(bound({ contents, generationConfig: { maxOutputTokens: 10, candidateCount: 3 } }).outputTokens).toBe(30);
    const picture = { inlineData: { mimeType: 'image/png', data: 'A'.repeat(400_000) } };
    expect(bound({ contents: [{ parts: [picture] }] }).inputTokens).toBeLessThan(60_000);
    for (const stored of [
      { cachedContent: 'cachedContents/a' },
      { tools: [{ google_search: {} }] },
      { contents: [{ parts: [{ fileData: { fileUri: 'https://x.example/a.mp4' } }] }] },
    ]) {
      expect(bound({ contents, ...stored }).inputTokens).toBe(1_000_000);
    }
  });
});

describe('An answer of Gemini', () => {
  it('yields texts, thoughts, calls and the model', () => {
    const call = answer({
      candidates: [
        {
          content: {
            role: 'model',
            parts: [{ text: 'hm', thought: true }, { text: 'so' }, { functionCall: { name: 'f', args: {} } }],
          },
          finishReason: 'STOP',
        },
      ],
      modelVersion: 'gemini-2.5-flash',
    });
    expect(texts(call).map(([, role, text]) => [role, text])).toEqual([
      ['reasoning', 'hm'],
      ['assistant', 'so'],
      ['tool_call', 'f'],
    ]);
    expect(call.newToolCalls).toMatchObject([{ name: 'f', args: {} }]);
    expect(call.model).toBe('gemini-2.5-flash');
  });

  it.each<[object, Usage]>([
    [
      { promptTokenCount: 10, candidatesTokenCount: 3, thoughtsTokenCount: 4, toolUsePromptTokenCount: 5 },
      { promptTokens: 15, completionTokens: 7, reasoningTokens: 4 },
    ],
    [
      { promptTokenCount: 10, cachedContentTokenCount: 6 },
      { promptTokens: 10, cacheReadTokens: 6 },
    ],
    [
      { promptTokenCount: 9, promptTokensDetails: [{ modality: 'AUDIO', tokenCount: 8 }] },
      { promptTokens: 9, other: { audioInputTokens: 8 } },
    ],
    [
      { candidatesTokenCount: 9, candidatesTokensDetails: [{ modality: 'IMAGE', tokenCount: 9 }] },
      { completionTokens: 9, other: { unknownFees: true } },
    ],
    [
      { promptTokenCount: 9, serviceTier: 'PRIORITY' },
      { promptTokens: 9, other: { serviceTier: 'priority' } },
    ],
    [{ promptTokenCount: 9, service_tier: 'standard', trafficType: 'ON_DEMAND' }, { promptTokens: 9 }],
    [
      { promptTokenCount: 9, trafficType: 'ON_DEMAND_FLEX' },
      { promptTokens: 9, other: { serviceTier: 'flex' } },
    ],
    [
      { prompt_token_count: 9, traffic_type: 'PROVISIONED_THROUGHPUT' },
      { promptTokens: 9, other: { serviceTier: 'scale' } },
    ],
    [
      { promptTokenCount: 9, trafficType: 'NOVEL' },
      { promptTokens: 9, other: { serviceTier: 'other' } },
    ],
  ])('counts tokens: %j', (usageMetadata, usage) => {
    expect(answer({ usageMetadata }).usage).toEqual(usage);
  });

  it('counts searches', () => {
    const groundingMetadata = { webSearchQueries: ['a', 'b'] };
    const { usage } = answer({ candidates: [{ groundingMetadata }], usageMetadata: { promptTokenCount: 1 } });
    expect(usage).toEqual({ promptTokens: 1, other: { webSearches: 2 } });
  });

  it.each([
    [{ groundingChunks: [{ web: { uri: 'u' } }, { maps: { placeId: 'places/p' } }] }],
    [{ grounding_chunks: [{ maps: { title: 'A place' } }] }],
    [{ googleMapsWidgetContextToken: 'a token' }],
    [{ retrievalQueries: ['a'] }],
    [{ imageSearchQueries: ['a'] }],
  ])('has unknown fees for sources other than web searches: %j', (groundingMetadata) => {
    const { usage } = answer({ candidates: [{ groundingMetadata }], usageMetadata: { promptTokenCount: 1 } });
    expect(usage).toEqual({ promptTokens: 1, other: { unknownFees: true } });
  });

  it('has no unknown fees for sources of a web search', () => {
    const groundingChunks = [{ web: { uri: 'u' } }];
    const groundingMetadata = { webSearchQueries: ['a'], groundingChunks, imageSearchQueries: [] };
    const { usage } = answer({ candidates: [{ groundingMetadata }], usageMetadata: { promptTokenCount: 1 } });
    expect(usage).toEqual({ promptTokens: 1, other: { webSearches: 1 } });
  });
});

describe('A route of Gemini', () => {
  const at = (path: string, query = '') => dialectOfRoute(path.toLowerCase(), path, query);

  it('yields its method and model', () => {
    expect(at('/gemini-x:generateContent')).toEqual({ dialect: 'gemini.generate', model: 'gemini-x' });
    expect(at('/m:streamGenerateContent')).toMatchObject({ dialect: 'gemini.generate', streams: true });
    expect(at('/m:countTokens')).toMatchObject({ dialect: 'gemini.generate', countsOnly: true });
    expect(at('/m:batchEmbedContents')).toEqual({ dialect: 'gemini.embed', model: 'm' });
    expect(at('/m:predict')).toBeUndefined();
    expect(at('/files')).toBeUndefined();
  });

  it.each(['?alt=sse', '?$alt=json', '?key=alt', ''])('accepts answer formats that Weir can read: %s', (query) => {
    expect(at('/m:generateContent', query)).not.toHaveProperty('refused');
  });

  it.each(['?alt=media', '?%24Alt=PROTO', '?a=b&callback=f', '?alt=json&alt=proto'])('refuses %s', (query) => {
    expect(at('/m:generateContent', query)).toHaveProperty('refused');
  });
});

describe('A refusal in the format of Gemini', () => {
  const weir = { code: 'content_policy_violation', event_id: 'event-1', decision: 'block', violations: [] } as const;
  const refused = {
    type: weir.code,
    message: 'Refused by a rule',
    status: 400,
    requestId: 'r-1',
    param: null,
    weir,
  };
  const error = {
    code: 400,
    status: 'INVALID_ARGUMENT',
    details: [
      { reason: 'CONTENT_POLICY_VIOLATION', domain: 'weir', metadata: { request_id: 'r-1', event_id: 'event-1' } },
      { '@type': 'weir', ...weir },
    ],
    weir,
  };

  it('contains the decision of Weir in a detail of type weir', () => {
    expect(GEMINI.error(refused)).toMatchObject({ error });
  });

  it('has the same content inside a started stream', () => {
    const frame = GEMINI.errorFrame(refused, { path: '/v1beta/models/m:streamGenerateContent', number: 0 });
    const entry = JSON.parse(frame.replace(/^data: /, '')) as object;
    expect(entry).toMatchObject({ error });
    expect(Object.keys(entry)).toEqual(['error']);
  });

  it('is an event with a type inside the stream of an interaction', () => {
    const frame = GEMINI.errorFrame(refused, { path: '/v1beta/interactions?alt=sse', number: 0 });
    expect(JSON.parse(frame.replace(/^data: /, ''))).toMatchObject({ event_type: 'error', error });
  });
});
