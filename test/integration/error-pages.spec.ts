import { identityClient, PASSWORD } from '../support/identity-client.js';
import { startTestApp, type TestApp } from '../support/test-app.js';

/** Errors are shown to people on a page, and returned to programs as JSON. */
describe('An error under /auth', () => {
  let app: TestApp;
  const client = identityClient(() => app);
  beforeAll(async () => {
    app = await startTestApp({ env: { WEIR_RATE_AUTH: '3/60' } });
  });
  afterAll(async () => app.close());

  it('from the rate limit is a page with the waiting time for a form, and JSON for a program', async () => {
    const form = () => client.form('/auth/login', { email: 'a@example.com', password: PASSWORD });
    for (let count = 0; count < 3; count += 1) {
      const wrong = await form();
      expect([wrong.status, wrong.text.includes('value="a@example.com"')]).toEqual([401, true]);
    }
    const page = await form();
    expect([page.status, page.headers.get('content-type')]).toEqual([429, 'text/html; charset=utf-8']);
    expect(Number(page.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(page.text).toMatch(/Wait (a second|\d+ seconds|\d+ minutes), then try again/);
    expect(page.text).not.toContain('<script');
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
    const json = await client.post('/auth/login', { email: 'a@example.com', password: PASSWORD });
    expect([json.status, json.json.error.type]).toEqual([429, 'rate_limit_exceeded']);
  });

  it('without a session is a page with a link to sign in', async () => {
    const page = await client.form('/auth/password', { current_password: PASSWORD, new_password: PASSWORD });
    expect([page.status, page.text.includes('/auth/login')]).toEqual([401, true]);
    expect(page.text).toContain('You are not signed in');
    expect((await client.post('/auth/password', {})).json.error.type).toBe('authentication_error');
  });

  it('is a page for an unknown address opened in a browser, and JSON outside /auth', async () => {
    const accept = { accept: 'text/html,application/xhtml+xml' };
    const page = await client.send('GET', '/auth/nothing', accept);
    expect([page.status, page.headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8']);
    expect((await client.send('GET', '/auth/nothing', {})).json.error.type).toBe('not_found');
    expect((await client.send('GET', '/v1/apps', accept)).json.error.type).toBe('authentication_error');
  });
});
