import type { ProviderConfig } from '../config/index.js';
import type { ProviderStyle } from '../core/index.js';
import { clientStyle, clientStyleAt } from './client-style.js';
import { CALLS_PREFIX, PROXY_PREFIX } from './proxy-target.js';

const PROVIDERS = [
  { id: 'anthropic', style: 'anthropic', baseUrl: 'https://api.anthropic.com' },
  { id: 'local', style: 'openai', baseUrl: 'http://local.example' },
] as const satisfies readonly ProviderConfig[];
const [ANTHROPIC, LOCAL] = PROVIDERS;
const OF_ANTHROPIC = { 'anthropic-version': '2023-06-01' };

describe('the style of a client', () => {
  it.each([
    ['openai.chat', ANTHROPIC, 'openai'],
    ['openai.responses', ANTHROPIC, 'openai'],
    ['anthropic.messages', LOCAL, 'anthropic'],
    ['gemini.generate', LOCAL, 'gemini'],
  ] as const)('is that of its route, whoever serves it: %s', (dialect, provider, style) => {
    expect(clientStyle({ provider, dialect }, OF_ANTHROPIC)).toBe(style);
    expect(clientStyle({ provider, dialect })).toBe(style);
  });

  it('is that of the provider on an unrecognised route, unless the client shows that it is of Anthropic', () => {
    expect(clientStyle({ provider: LOCAL, dialect: 'generic' })).toBe('openai');
    expect(clientStyle({ provider: ANTHROPIC, dialect: 'generic' })).toBe('anthropic');
    expect(clientStyle({ provider: LOCAL, dialect: 'generic' }, OF_ANTHROPIC)).toBe('anthropic');
  });

  it.each<[string, Readonly<Record<string, string>>, string, ProviderStyle | undefined]>([
    [`${PROXY_PREFIX}anthropic/v1/chat/completions`, {}, PROXY_PREFIX, 'openai'],
    [`${CALLS_PREFIX}local/v1/messages`, {}, CALLS_PREFIX, 'anthropic'],
    [`${PROXY_PREFIX}local/v1/models`, {}, PROXY_PREFIX, 'openai'],
    [`${PROXY_PREFIX}local/v1/files`, OF_ANTHROPIC, PROXY_PREFIX, 'anthropic'],
    [`${PROXY_PREFIX}anthropic/v1/%2e%2e/messages`, {}, PROXY_PREFIX, 'anthropic'],
    [`${PROXY_PREFIX}nobody/v1/messages`, {}, PROXY_PREFIX, undefined],
  ])('follows from the URL of a request without a known target: %s', (url, headers, prefix, style) => {
    expect(clientStyleAt(url, headers, PROVIDERS, prefix)).toBe(style);
  });
});
