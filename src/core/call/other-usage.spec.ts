import { parseJson } from '../json/json-document.js';
import { mergeOtherUsage, readOtherUsage, serviceTierOf } from './other-usage.js';

const read = (answer: object) => readOtherUsage(parseJson(JSON.stringify(answer)).root);

describe('readOtherUsage', () => {
  it.each([
    ['usage without further counts', { usage: { prompt_tokens: 1 } }, undefined],
    ['the standard tier', { service_tier: 'default', usage: { service_tier: 'standard' } }, undefined],
    ["OpenAI's tier", { service_tier: 'priority', usage: {} }, { serviceTier: 'priority' }],
    ["Anthropic's tier", { usage: { service_tier: 'batch' } }, { serviceTier: 'batch' }],
    ['an unknown tier', { service_tier: 'turbo mode', usage: {} }, { serviceTier: 'other' }],
    ["Anthropic's fast mode", { usage: { service_tier: 'standard', speed: 'fast' } }, { serviceTier: 'fast' }],
    ['inference in one region', { usage: { inference_geo: 'us' } }, { serviceTier: 'us' }],
    ['inference in any region', { usage: { speed: 'standard', inference_geo: 'global' } }, undefined],
    [
      'usage with the samplings of one model',
      { usage: { iterations: [{ type: 'message', model: 'a' }, { type: 'compaction' }] } },
      undefined,
    ],
    [
      'usage with samplings of several models',
      { usage: { iterations: [...'ab'].map((model) => ({ type: 'message', model })) } },
      { unknownFees: true },
    ],
    ['usage with samplings of another kind', { usage: { iterations: [{ type: 'novel' }] } }, { unknownFees: true }],
    ['counts of zero', { usage: { prompt_tokens_details: { audio_tokens: 0 } } }, undefined],
    [
      'pictures among the output',
      { usage: { completion_tokens_details: { image_tokens: 1120 } } },
      { unknownFees: true },
    ],
    ['code that was run', { usage: { server_tool_use: { code_execution_requests: 1 } } }, { unknownFees: true }],
    ['a generated image', { usage: {}, output: [{ type: 'image_generation_call' }] }, { unknownFees: true }],
  ])('reads %s', (_name, answer, other) => {
    expect(read(answer)).toEqual(other);
  });

  it('merges the earlier and later usage of a stream', () => {
    expect(mergeOtherUsage({ serviceTier: 'flex', webSearches: 1 }, { webSearches: 2, unknownFees: true })).toEqual({
      serviceTier: 'flex',
      webSearches: 2,
      unknownFees: true,
    });
    expect(mergeOtherUsage({ audioInputTokens: 3 }, undefined)).toEqual({ audioInputTokens: 3 });
  });
});

describe('serviceTierOf', () => {
  it.each([
    ['{}', undefined],
    ['{"service_tier":"auto"}', undefined],
    ['{"service_tier":null}', undefined],
    ['{"service_tier":"flex"}', 'flex'],
    ['{"service_tier":"scale"}', 'scale'],
    ['{"service_tier":"fast"}', 'priority'],
    ['{"service_tier":"FLEX"}', 'flex'],
    ['{"service_tier":"constructor"}', 'other'],
    ['{"speed":"fast"}', 'fast'],
    ['{"speed":1.5}', undefined],
    ['{"inference_geo":"us"}', 'us'],
    ['{"inference_geo":"eu"}', 'other'],
    ['{"inference_geo":"us","speed":"fast"}', 'other'],
  ])('reads %s', (request, tier) => {
    expect(serviceTierOf(parseJson(request).root)).toBe(tier);
  });
});
