import { decodeRequest, parseJson } from '../core/index.js';
import { outputCap } from './output-cap.js';
import type { ProxiedCall } from './proxied-call.js';
import { proxyTarget } from './proxy-target.js';

const PROVIDER = { id: 'openai', style: 'openai', baseUrl: 'https://api.openai.com' } as const;

function capAt(path: string): string | undefined {
  const doc = parseJson('{"model":"m","input":"hello"}');
  const target = proxyTarget(`/proxy/openai${path}`, 'POST', [PROVIDER]);
  const call = { policy: { policy: { defaultMaxTokens: 50 } }, target, request: decodeRequest(target.dialect, doc) };
  return outputCap(doc, call as unknown as ProxiedCall)?.replacement;
}

it('A request without an output limit gets that of the policy, unless its route accepts none', () => {
  expect(capAt('/v1/responses')).toBe(',"max_output_tokens":50');
  for (const path of ['/v1/responses/compact', '/v1/responses/input_tokens', '/v1/conversations/c/items'])
    expect([path, capAt(path)]).toEqual([path, undefined]);
});
