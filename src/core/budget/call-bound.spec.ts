import { decodeRequest } from '../providers/decode-call.js';
import type { Dialect } from '../model/call.js';
import { parseJson } from '../json/json-document.js';
import { boundOf, termsOf, type BoundSettings, type CallBound, type CountTokens } from './call-bound.js';

const words = (text: string): number => text.split(/\s+/).filter((word) => word !== '').length;
const bound = (dialect: Dialect, body: object, settings: Partial<BoundSettings> = {}): CallBound => {
  const doc = parseJson(JSON.stringify(body));
  return boundOf(doc, decodeRequest(dialect, doc), { countTokens: words, ...settings });
};
const chat = (more: object = {}, content: unknown = 'one two three'): object => ({
  model: 'gpt-4o',
  messages: [{ role: 'user', content }],
  ...more,
});

describe('boundOf', () => {
  it('is the same if the texts are counted in steps', () => {
    const inSteps: CountTokens = function* (text) {
      yield;
      return words(text);
    };
    expect(bound('openai.chat', chat(), { countTokens: inSteps })).toEqual(bound('openai.chat', chat()));
  });

  it('counts every text, name and bracket of the request', () => {
    const { inputTokens } = bound('openai.chat', chat());
    expect(inputTokens).toBeGreaterThan(3 + 4);
    expect(bound('openai.chat', chat({}, 'one two three four')).inputTokens).toBe(inputTokens + 1);
  });

  it.each<[Dialect, object, number]>([
    ['openai.chat', chat({ max_tokens: 100 }), 100],
    ['openai.chat', chat({ max_completion_tokens: 100, n: 3 }), 300],
    ['openai.responses', { model: 'gpt-4o', input: 'x', max_output_tokens: 70 }, 70],
    ['openai.completions', { model: 'm', prompt: ['a', 'b'], max_tokens: 10, best_of: 2 }, 40],
    ['openai.completions', { model: 'm', prompt: 'a' }, 16],
    ['anthropic.messages', chat({ max_tokens: 64 }), 64],
    ['openai.embeddings', { model: 'm', input: ['x'] }, 0],
    ['weir.ai_request', { type: 'ai.request', model: 'gpt-4o', payload: { prompt: 'x', max_tokens: 5 } }, 5],
  ])('multiplies the token cap of a request of %s by the number of its answers', (dialect, body, outputTokens) => {
    expect(bound(dialect, body)).toMatchObject({ outputTokens, capped: true });
  });

  it('applies the cap of the policy to a call without a cap, and reports a call as not capped if neither sets one', () => {
    expect(bound('openai.chat', chat(), { defaultMaxTokens: 500 })).toMatchObject({ outputTokens: 500, capped: true });
    expect(bound('openai.chat', chat())).toMatchObject({ outputTokens: 4096, capped: false });
  });

  it('counts an image at its maximum, instead of counting its base64 as text', () => {
    const picture = `data:image/png;base64,${'A'.repeat(400_000)}`;
    const parts = (url: string): unknown => [{ type: 'image_url', image_url: { url } }];
    for (const url of [picture, 'https://example.org/a.png']) {
      const { inputTokens } = bound('openai.chat', chat({}, parts(url)));
      expect(inputTokens).toBeGreaterThanOrEqual(50_000);
      expect(inputTokens).toBeLessThan(50_200);
    }
  });

  it.each([
    ['previous_response_id', { model: 'gpt-4o', input: 'x', previous_response_id: 'resp_1' }],
    ['a hosted tool', { model: 'gpt-4o', input: 'x', tools: [{ type: 'web_search_preview' }] }],
    [
      'a file by its id',
      { model: 'gpt-4o', input: [{ role: 'user', content: [{ type: 'input_file', file_id: 'f' }] }] },
    ],
  ])('assumes the whole context window for content added by %s', (_name, body) => {
    expect(bound('openai.responses', body, { contextWindow: 128_000 }).inputTokens).toBe(128_000);
    expect(bound('openai.responses', body).inputTokens).toBe(200_000);
  });

  it.each([
    { edits: [{ type: 'clear_tool_uses_20250919' }, { type: 'compact_20260112' }] },
    [{ type: 'compaction', compact_threshold: 1_000 }],
  ])('counts a conversation that the provider may summarise first twice: %j', (context_management) => {
    const once = bound('anthropic.messages', chat({ max_tokens: 64 }));
    const twice = bound('anthropic.messages', chat({ max_tokens: 64, context_management }));
    expect(twice.outputTokens).toBe(2 * 64);
    expect(twice.inputTokens).toBeGreaterThanOrEqual(2 * once.inputTokens);
  });

  it('detects whether a request writes to a cache', () => {
    const cached = [{ type: 'text', text: 'x', cache_control: { type: 'ephemeral' } }];
    expect(bound('anthropic.messages', chat({}, cached)).writesCache).toBe(true);
    expect(bound('anthropic.messages', chat()).writesCache).toBe(false);
  });

  it('counts a text that is given as tokens by its tokens', () => {
    const tokens = Array.from({ length: 1000 }, (_, index) => index);
    expect(bound('openai.embeddings', { model: 'm', input: tokens }).inputTokens).toBeGreaterThanOrEqual(1000);
  });

  it.each<[string, Dialect, object, number]>([
    [
      'a tool with its own limit',
      'anthropic.messages',
      chat({ tools: [{ type: 'web_search_20250305', max_uses: 3 }] }),
      3,
    ],
    [
      'a tool without its own limit',
      'openai.responses',
      { model: 'm', input: 'x', tools: [{ type: 'web_search' }] },
      10,
    ],
    [
      'a limit of the request',
      'openai.responses',
      { model: 'm', input: 'x', max_tool_calls: 4, tools: [{ type: 'file_search' }, { type: 'web_search' }] },
      4,
    ],
    ['a chat that searches', 'openai.chat', chat({ web_search_options: {} }), 1],
    ['a model that always searches', 'openai.chat', { ...chat(), model: 'gpt-4o-search-preview' }, 1],
    ['no search at all', 'openai.chat', chat(), 0],
  ])('assumes the maximum number of searches for %s', (_name, dialect, body, searches) => {
    expect(bound(dialect, body).searches).toBe(searches);
  });
});

describe('termsOf', () => {
  const terms = (dialect: Dialect, body: object) => {
    const doc = parseJson(JSON.stringify(body));
    return termsOf(doc, decodeRequest(dialect, doc));
  };

  it.each<[Dialect, object, string | undefined]>([
    ['openai.chat', chat({ service_tier: 'priority' }), 'priority'],
    ['openai.chat', chat({ service_tier: 'auto' }), undefined],
    ['anthropic.messages', chat({ speed: 'fast' }), 'fast'],
    ['gemini.generate', { contents: [], serviceTier: 'priority' }, 'priority'],
    ['gemini.generate', { contents: [], service_tier: 'SERVICE_TIER_FLEX' }, 'flex'],
    ['gemini.generate', { contents: [], serviceTier: 'standard' }, undefined],
    ['weir.ai_request', { type: 'ai.request', payload: { prompt: 'x', service_tier: 'flex' } }, 'flex'],
    ['weir.ai_request', { type: 'ai.request', payload: { contents: [], serviceTier: 'flex' } }, 'flex'],
  ])('names the tier that a request of %s asks for', (dialect, body, serviceTier) => {
    expect(terms(dialect, body).serviceTier).toBe(serviceTier);
  });

  it.each<[object, boolean]>([
    [{ background: true }, true],
    [{ background: false }, false],
    [{ background: 'transparent' }, false],
    [{ deferred: true }, true],
  ])('detects that the answer to a request must be retrieved later: %j', (more, answersLater) => {
    expect(terms('openai.responses', { model: 'm', input: 'x', ...more })).toEqual({ answersLater });
  });
});
