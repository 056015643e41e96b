import type { ProviderConfig } from '../config/index.js';
import { KnownTargets } from './known-targets.js';

const PROVIDERS: ProviderConfig[] = [{ id: 'openai', style: 'openai', baseUrl: 'https://api.openai.com' }];
const CHAT = '/proxy/openai/v1/chat/completions';

describe('KnownTargets', () => {
  it('remembers the target of a URL by its method', () => {
    const targets = new KnownTargets(PROVIDERS);
    const posted = targets.of(CHAT, 'POST');
    expect(posted).toMatchObject({ dialect: 'openai.chat', governed: true });
    expect(targets.of(CHAT, 'POST')).toBe(posted);
    expect(targets.of(CHAT, 'GET')).toMatchObject({ dialect: 'generic', governed: false });
  });

  it('does not cache URLs with a query, which may contain credentials', () => {
    const targets = new KnownTargets(PROVIDERS);
    expect(targets.of(`${CHAT}?key=a`, 'POST')).not.toBe(targets.of(`${CHAT}?key=a`, 'POST'));
  });

  it.each([
    ['parameters', ';key=a'],
    ['a key of Weir', `/${['sk', 'live', 'wr1', 'a'.repeat(50)].join('_')}`],
  ])('does not cache URLs with %s', (_what, more) => {
    const targets = new KnownTargets(PROVIDERS);
    expect(targets.of(`${CHAT}${more}`, 'POST')).not.toBe(targets.of(`${CHAT}${more}`, 'POST'));
  });

  it('refuses an ambiguous URL every time', () => {
    const targets = new KnownTargets(PROVIDERS);
    for (let time = 0; time < 2; time++) expect(() => targets.of('/proxy/openai/v1/%2e%2e/x', 'POST')).toThrow();
  });

  it('clears its cache at the maximum number of targets', () => {
    const targets = new KnownTargets(PROVIDERS);
    const first = targets.of(CHAT, 'POST');
    for (let each = 0; each < 500; each++) targets.of(`/proxy/openai/v1/files/${each}`, 'GET');
    expect(targets.of(CHAT, 'POST')).not.toBe(first);
    expect(targets.of(CHAT, 'POST')).toEqual(first);
  });
});
