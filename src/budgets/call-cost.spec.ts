import { decodeRequest, parseJson, type Dialect, type ModelPrice, type ServiceTier } from '../core/index.js';
import type { NewEvent, SpendingCall } from '../events/index.js';
import { CallCost, isFree } from './call-cost.js';
import { TokenCounter } from './prices/token-counter.js';

/** A nano-dollar per token; the tier `priority` costs twice as much, other tiers have no price. */
const PRICES: Readonly<Partial<Record<ServiceTier | 'standard', bigint>>> = {
  standard: 1_000_000n,
  priority: 2_000_000n,
};
const COST = new CallCost(
  {
    priceOf: ({ serviceTier }): ModelPrice | undefined => {
      const base = PRICES[serviceTier ?? 'standard'];
      return base === undefined ? undefined : { version: 't', input: { base }, output: { base } };
    },
  },
  new TokenCounter(),
);
const POLICY = {
  ...{ policy: { policy: { prices: {} }, version: '1' }, caller: { appId: 'app' } },
  ...{ context: {}, receivedAt: new Date(0) },
};

const callOf = (path: string, governed = false, method = 'POST') =>
  ({ route: { method, path, governed, baseUrl: 'https://api.example' } }) as unknown as SpendingCall;

describe('A call with POST to a route that no rules govern', () => {
  it.each([
    '/v1/files',
    '/v1/files?purpose=x',
    '/v1/moderations',
    '/upload/v1beta/files?uploadType=media',
    '/v1/models/',
    '/v1/responses/resp_1/cancel',
    '/v1/batches/batch_1/cancel?x=1',
    '/v1/messages/batches/msgbatch_1/cancel',
    '/v1/threads/thread_1/runs/run_1/cancel/',
    '/v1/projects/p/locations/l/tuningJobs/1:cancel',
  ])('is free on a route for which no provider charges: %s', (path) => expect(isFree(callOf(path))).toBe(true));

  it.each([
    '/v1/images/generations',
    '/v1/images/generations?x=/files',
    '/v1/videos?a=/models',
    '/v1/threads/t/runs?/uploads',
    '/v1/videos?/v1/responses/resp_1/cancel',
    '/v1/images/cancellations',
  ])('is not free on another route, whatever its query contains: %s', (path) =>
    expect(isFree(callOf(path))).toBe(false),
  );

  it('is not free on a governed route with the name of a free one', () => {
    expect(isFree(callOf('/v1/files', true))).toBe(false);
  });
});

describe('A call with a method that no model answers', () => {
  it.each(['GET', 'HEAD', 'OPTIONS', 'DELETE'])('is free on any route: %s', (method) => {
    expect(isFree(callOf('/v1/videos', false, method))).toBe(true);
    expect(isFree(callOf('/v1/chat/completions', false, method))).toBe(true);
  });
});

describe('The answer to a free call', () => {
  const usage = { promptTokens: 100, completionTokens: 10 };
  const priced = (method: string, path: string, governed = false) =>
    COST.priced(
      { ...POLICY, ...callOf(path, governed, method) } as unknown as SpendingCall,
      { type: 'ai.response', model: 'm', usage } as unknown as NewEvent,
    );

  it.each([
    ['GET', '/v1/responses/resp_1'],
    ['GET', '/v1/chat/completions/chatcmpl-1'],
    ['GET', '/v1/batches/batch_1'],
    ['POST', '/v1/responses/resp_1/cancel'],
  ])('is no new usage, even if it repeats that of an earlier call: %s %s', (method, path) => {
    expect(priced(method, path)).toEqual({ type: 'ai.response', model: 'm' });
  });

  it('differs from that of the call itself', () => {
    expect(priced('POST', '/v1/responses', true)).toMatchObject({ usage, costNanoUsd: '110' });
  });
});

describe('The upper bound of a call', () => {
  const atMost = async (dialect: Dialect, body: object) => {
    const doc = parseJson(JSON.stringify(body));
    const call = { ...callOf('/v1/x', true), ...POLICY, doc, call: decodeRequest(dialect, doc) };
    const { usd, tokens } = await COST.atMost(call as unknown as SpendingCall, 0);
    return usd === undefined || tokens === undefined ? undefined : usd / tokens;
  };
  const contents = [{ parts: [{ text: 'Hello' }] }];

  it.each<[Dialect, object, bigint | undefined]>([
    ['openai.chat', { model: 'm', messages: [] }, 1n],
    ['openai.chat', { model: 'm', messages: [], service_tier: 'priority' }, 2n],
    ['anthropic.messages', { model: 'm', messages: [], speed: 'fast' }, undefined],
    ['anthropic.messages', { model: 'm', messages: [], inference_geo: 'us' }, undefined],
    ['gemini.generate', { contents, serviceTier: 'priority' }, 2n],
    ['gemini.generate', { contents, service_tier: 'PRIORITY' }, 2n],
    ['gemini.generate', { contents, serviceTier: 'flex' }, undefined],
    ['weir.ai_request', { type: 'ai.request', payload: { prompt: 'x', service_tier: 'priority' } }, 2n],
  ])('has the price of the tier that a request of %s asks for: %j', async (dialect, body, nanoUsdPerToken) => {
    expect(await atMost(dialect, body)).toBe(nanoUsdPerToken);
  });
});

describe('The price of an answer that was cut off', () => {
  const usage = { promptTokens: 100, completionTokens: 10 };
  const cost = (asked: object, reportedUsage: object) => {
    const doc = parseJson(JSON.stringify({ model: 'm', messages: [], ...asked }));
    const call = { ...callOf('/v1/x', true), ...POLICY, doc, call: decodeRequest('openai.chat', doc) };
    const event = { type: 'ai.response', model: 'm', usage: { ...usage, ...reportedUsage } };
    return COST.priced(call as unknown as SpendingCall, event as unknown as NewEvent).costNanoUsd;
  };

  it('is that of the tier that the request asks for', () => {
    expect(cost({ service_tier: 'priority' }, { estimated: true })).toBe('220');
    expect(cost({ service_tier: 'flex' }, { estimated: true })).toBeUndefined();
    expect(cost({}, { estimated: true })).toBe('110');
  });

  it('is that of the tier that the received part reports', () => {
    expect(cost({}, { estimated: true, other: { serviceTier: 'priority' } })).toBe('220');
  });

  it('differs from that of a complete answer, which reports the tier that served it', () => {
    expect(cost({ service_tier: 'priority' }, {})).toBe('110');
  });
});
