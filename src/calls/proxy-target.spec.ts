import fc from 'fast-check';
import type { ProviderConfig } from '../config/index.js';
import { proxyTarget } from './proxy-target.js';

const PROVIDERS: ProviderConfig[] = [
  { id: 'openai', style: 'openai', baseUrl: 'https://api.openai.com' },
  { id: 'anthropic', style: 'anthropic', baseUrl: 'https://api.anthropic.com' },
  { id: 'local', style: 'openai', baseUrl: 'http://127.0.0.1:1/v9' },
];
const target = (url: string, method = 'POST') => proxyTarget(url, method, PROVIDERS);

describe('proxyTarget', () => {
  it.each([
    ['/proxy/openai/v1/chat/completions', '/v1/chat/completions', 'openai.chat'],
    ['/proxy/openai/v1/chat/completions?a=b&c=%20?', '/v1/chat/completions?a=b&c=%20?', 'openai.chat'],
    ['/proxy/openai/v1/completions', '/v1/completions', 'openai.completions'],
    ['/proxy/openai/v1/responses', '/v1/responses', 'openai.responses'],
    ['/proxy/openai/v1/responses/compact', '/v1/responses/compact', 'openai.responses'],
    ['/proxy/openai/v1/embeddings', '/v1/embeddings', 'openai.embeddings'],
    ['/proxy/local/chat/completions', '/chat/completions', 'openai.chat'],
    [
      '/proxy/local/openai/deployments/gpt-4o/chat/completions?api-version=1',
      '/openai/deployments/gpt-4o/chat/completions?api-version=1',
      'openai.chat',
    ],
    ['/proxy/anthropic/v1/messages', '/v1/messages', 'anthropic.messages'],
    ['/proxy/anthropic/v1/messages/count_tokens', '/v1/messages/count_tokens', 'anthropic.messages'],
    ['/proxy/anthropic/v1/v1/messages', '/v1/messages', 'anthropic.messages'],
    [
      '/proxy/anthropic/v1/v1/messages/count_tokens?beta=true',
      '/v1/messages/count_tokens?beta=true',
      'anthropic.messages',
    ],
    ['/proxy/openai/v1/v1/responses', '/v1/v1/responses', 'openai.responses'],
    ['/proxy/anthropic/v1/chat/completions', '/v1/chat/completions', 'openai.chat'],
    ['/proxy/openai/v1/messages', '/v1/messages', 'anthropic.messages'],
    ['/proxy/local/api/v1/chat/completions', '/api/v1/chat/completions', 'openai.chat'],
    ['/proxy/local/v1beta/openai/chat/completions', '/v1beta/openai/chat/completions', 'openai.chat'],
    [
      '/proxy/local/openai/v1/responses?api-version=preview',
      '/openai/v1/responses?api-version=preview',
      'openai.responses',
    ],
    ['/proxy/local/models/chat/completions', '/models/chat/completions', 'openai.chat'],
    ['/proxy/local/inference/v1/chat/completions', '/inference/v1/chat/completions', 'openai.chat'],
    ['/proxy/local/v1/engines/davinci/completions', '/v1/engines/davinci/completions', 'openai.completions'],
    ['/proxy/local/accounts/a1/ai/v1/embeddings', '/accounts/a1/ai/v1/embeddings', 'openai.embeddings'],
    ['/proxy/openai/v1/Chat/Completions', '/v1/Chat/Completions', 'openai.chat'],
    ['/proxy/openai/v1/chat/completions/', '/v1/chat/completions/', 'openai.chat'],
    ['/proxy/openai/v1/%63hat/completions', '/v1/%63hat/completions', 'openai.chat'],
    ['/proxy/openai/v1/chat;a=b/completions;c', '/v1/chat;a=b/completions;c', 'openai.chat'],
  ])('reads %s', (url, path, dialect) => {
    expect(target(url)).toMatchObject({ path, dialect, governed: true });
  });

  it.each([
    '/proxy/openai/v1/models',
    '/proxy/openai/v1/files/f-1/content',
    '/proxy/anthropic/v1/messages/batches',
    '/proxy/openai/v1/chat/completions/x',
    '/proxy/openai/v1/threads/t-1/messages',
    '/proxy/anthropic/v1/projects/p/locations/l/publishers/anthropic/models/claude-sonnet-4-5:rawPredict',
    '/proxy/openai/model/m/converse',
  ])('reads %s as a route that is not governed', (url) => {
    expect(target(url)).toMatchObject({ dialect: 'generic', governed: false });
  });

  it.each([
    ['GET', '/v1/models/meta-llama%2FLlama-3.1-8B'],
    ['DELETE', '/v1/models/ft%3Agpt%2fx'],
    ['GET', '/api/v1/models/deepseek%2Fdeepseek-r1%3Afree/endpoints'],
    ['POST', '/model/arn%3Aaws%3Abedrock%3Aeu-west-1%3A123%3Ainference-profile%2Feu.m/converse'],
  ])('forwards the encoded slash in the name of a model as it is written: %s %s', (method, path) => {
    expect(target(`/proxy/openai${path}`, method)).toMatchObject({ path, governed: false });
  });

  it.each([
    '/v1/models/chat%2Fcompletions',
    '/v1/models/x%2Fgemini:generateContent',
    '/v1/models/chat;a%2Fb/completions',
    '/v1/models/a%2F..%2Fb',
    '/v1/models/a%2F',
    '/v1/models/%2Fa',
    '/v1/models/a%2F%2Fb',
    '/v1/models/a%252Fb',
    '/v1/models/a%5Cb',
    '/v1/models%2Fa',
    '/v1/deployments/a%2Fb/chat/completions',
    '/v1/files/a%2Fb',
  ])('refuses %s, where an encoded slash could lead to another route', (path) => {
    expect(() => target(`/proxy/openai${path}`)).toThrow(expect.objectContaining({ type: 'invalid_request' }));
  });

  it.each([
    ['/v1/files', true],
    ['/upload/v1beta/files?upload_id=a&upload_protocol=resumable', true],
    ['/upload/v1beta/fileSearchStores/s:uploadToFileSearchStore', true],
    ['/v1/files/f-1/content', false],
  ])('knows whether %s accepts files for a model: %s', (path, takesUploads) => {
    expect(target(`/proxy/openai${path}`)).toMatchObject({ takesUploads });
  });

  it('counts tokens, without an answer of a model, on the routes for that', () => {
    for (const path of ['/v1/responses/input_tokens', '/openai/v1/responses/input_tokens?api-version=preview']) {
      const facts = { countsOnly: true };
      expect(target(`/proxy/openai${path}`)).toMatchObject({ dialect: 'openai.responses', governed: true, facts });
    }
    expect(target('/proxy/openai/v1/responses').facts).toEqual({});
  });

  it('summarises a conversation on the route for that, so that its request gets no output limit', () => {
    expect(target('/proxy/openai/v1/responses/compact').facts).toEqual({ compacts: true });
  });

  it('marks only POST requests as governed', () => {
    expect(target('/proxy/openai/v1/responses', 'GET')).toMatchObject({ dialect: 'generic', governed: false });
  });

  it.each([
    '/proxy/other/v1/x',
    '/proxy/openai',
    '/proxy/',
    '/proxy',
    '/v1/chat/completions',
    '/proxy/OPENAI/v1/x',
    '/proxy/open%61i/v1/x',
  ])('finds no provider in %s', (url) => {
    expect(() => target(url)).toThrow(expect.objectContaining({ type: 'not_found' }));
  });

  it.each([
    '/v1/..',
    '/v1/../x',
    '/v1/./x',
    '/v1//x',
    '//x',
    '/v1/%2e%2e/x',
    '/v1/%2E./x',
    '/v1/a%2Fb',
    '/v1/a%5cb',
    '/v1/a\\b',
    '/v1/a%00',
    '/v1/a%0d%0ab',
    '/v1/%252f',
    '/v1/a b',
    '/v1/a#b',
    '/v1/é',
    '/v1/%zz',
    '/v1/%c0%af',
    '/v1/%ff',
    '/v1/x?a=<',
    '/v1/x?a="',
  ])('refuses %s, which servers could read in two ways', (path) => {
    expect(() => target(`/proxy/openai${path}`)).toThrow(expect.objectContaining({ type: 'invalid_request' }));
  });

  it('never leads to another host or above the base, whatever the path is', () => {
    const piece = fc.constantFrom(
      '/',
      '.',
      '..',
      '%2e',
      '%2f',
      '\\',
      '@',
      ':',
      '//',
      'evil.example',
      'v1',
      '?',
      '#',
      '%',
      ';',
      '',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
        const path = `/${pieces.join('')}`;
        let accepted: string;
        try {
          accepted = target(`/proxy/openai${path}`).path;
        } catch {
          return;
        }
        expect(accepted).toBe(path);
        const url = new URL(`https://api.openai.com/base${accepted}`);
        expect(url.origin).toBe('https://api.openai.com');
        expect(url.href).toBe(`https://api.openai.com/base${accepted}`);
      }),
      { numRuns: 2_000 },
    );
  });
});
