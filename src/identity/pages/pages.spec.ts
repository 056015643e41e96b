import type { SessionView } from '../../access/index.js';
import { accountPage, loginPage } from './pages.js';

const NOW = new Date('2026-03-04T05:06:07Z');

function shown(userAgent: string | null, address: string | null = '203.0.113.7'): string {
  const session: SessionView = { id: 's', createdAt: NOW, lastSeenAt: NOW, expiresAt: NOW, address, userAgent };
  const html = accountPage({ email: 'jane@example.com', sessionId: 's' }, [session]);
  return /<tr><td>(.*?)<\/td>/.exec(html)?.[1] ?? '';
}

describe('The pages of accounts', () => {
  it.each([
    [
      'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0 Safari/537.36',
      'Chrome on Linux',
    ],
    ['Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 Chrome/141.0 Safari/537.36 Edg/141.0', 'Edge on Windows'],
    [
      'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605 Version/18 Safari/604',
      'Safari on iPhone',
    ],
    ['Mozilla/5.0 (Linux; Android 15) AppleWebKit/537.36 Chrome/141.0 Mobile Safari/537.36', 'Chrome on Android'],
    ['Mozilla/5.0 (Macintosh; Intel Mac OS X 10.15; rv:140.0) Gecko/20100101 Firefox/140.0', 'Firefox on Mac OS X'],
    ['curl/8.5.0', 'curl/8.5.0'],
  ])('show %s by its common name', (userAgent, name) => {
    expect(shown(userAgent)).toBe(`${name} · 203.0.113.7`);
  });

  it('leave out unknown data, and escape all text', () => {
    expect(shown(null)).toBe('203.0.113.7');
    expect(shown('<b>/1', null)).toBe('&lt;b&gt;/1');
    expect(loginPage({ email: '"><script>', problem: '<i>' })).not.toMatch(/<script|<i>/);
  });
});
