import fc from 'fast-check';
import { SESSION_COOKIE } from '../access/index.js';
import { mayAct, type Guarded } from './same-origin.js';

const OWN = 'https://weir.example.com';
const cookie = `${SESSION_COOKIE}=${'a'.repeat(43)}`;
const acts = (method: string, url: string | undefined, headers: Record<string, string>, config: object = {}): boolean =>
  mayAct({ method, headers, routeOptions: { url, config } } as Guarded, OWN);

const json = { 'content-type': 'application/json' };
const form = { 'content-type': 'application/x-www-form-urlencoded' };
const CONFIRMS = { confirmsLink: true };
const UNSAFE = ['POST', 'PUT', 'PATCH', 'DELETE'];

describe('a request with a session', () => {
  it.each(UNSAFE)('is accepted with %s only from a page of the service', (method) => {
    for (const url of ['/v1/apps', '/auth/logout', '/v1/anything/:id', '/a-page-to-come']) {
      const from = (headers: object) => acts(method, url, { cookie, ...json, ...headers });
      expect(from({ 'sec-fetch-site': 'same-origin' })).toBe(true);
      expect(from({ origin: OWN })).toBe(true);
      for (const site of ['cross-site', 'same-site', 'none', '']) {
        expect(from({ 'sec-fetch-site': site })).toBe(false);
        expect(from({ 'sec-fetch-site': site, origin: OWN })).toBe(false);
      }
      for (const origin of ['null', 'https://evil.example', `${OWN}.evil.example`, 'http://weir.example.com', '']) {
        expect(from({ origin })).toBe(false);
      }
      expect(from({})).toBe(false);
    }
  });

  it('is accepted from any page if it also has a token, but only on routes for programs', () => {
    const headers = { cookie, authorization: 'Bearer x', 'sec-fetch-site': 'cross-site' };
    expect(acts('POST', '/v1/apps', headers)).toBe(true);
    expect(acts('POST', '/auth/logout', headers)).toBe(false);
    expect(acts('POST', '/auth/verify', { ...json, authorization: '' }, CONFIRMS)).toBe(false);
  });

  it('may be counted from any page on a route that does nothing else', () => {
    const origins: readonly Record<string, string>[] = [
      {},
      { 'sec-fetch-site': 'cross-site' },
      { origin: 'https://evil.example' },
    ];
    for (const headers of origins) {
      expect(acts('POST', '/csp-reports', { cookie, ...json, ...headers }, { onlyCounts: true })).toBe(true);
      expect(acts('POST', '/csp-reports', { cookie, ...json, ...headers })).toBe(false);
    }
  });

  it('may read from any page', () => {
    for (const method of ['GET', 'HEAD', 'OPTIONS']) {
      expect(acts(method, '/auth/verify', { cookie, 'sec-fetch-site': 'cross-site' })).toBe(true);
    }
  });
});

describe('a request without a session', () => {
  it('may sign up or sign in from a program or a page of the service, but not from other pages', () => {
    expect(acts('POST', '/auth/login', json)).toBe(true);
    expect(acts('POST', '/auth/login', { ...form, 'sec-fetch-site': 'same-origin' })).toBe(true);
    expect(acts('POST', '/auth/login', { ...json, 'sec-fetch-site': 'cross-site' })).toBe(false);
    expect(acts('POST', '/auth/login', { ...json, origin: 'https://evil.example' })).toBe(false);
    for (const type of ['application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', 'text/plain']) {
      expect(acts('POST', '/auth/login', { 'content-type': type })).toBe(false);
    }
  });

  it('must come from a page of the service to confirm a link, whatever its content type', () => {
    expect(acts('POST', '/auth/verify', json, CONFIRMS)).toBe(false);
    expect(acts('POST', '/auth/verify', { ...form, 'sec-fetch-site': 'same-origin' }, CONFIRMS)).toBe(true);
  });

  it('is let through where there is no route', () => {
    expect(acts('POST', undefined, { cookie, 'sec-fetch-site': 'cross-site' })).toBe(true);
  });

  it('is let through on routes for programs, which require a key', () => {
    expect(acts('POST', '/v1/events', { 'sec-fetch-site': 'cross-site' })).toBe(true);
  });
});

it('no header makes a request with a session from another site acceptable', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...UNSAFE),
      fc.option(fc.oneof(fc.constantFrom('cross-site', 'same-site', 'none'), fc.string()), { nil: undefined }),
      fc.option(fc.oneof(fc.webUrl(), fc.string()), { nil: undefined }),
      (method, site, origin) => {
        fc.pre(site !== 'same-origin' && origin !== OWN);
        const headers = { ...(site === undefined ? {} : { 'sec-fetch-site': site }) };
        expect(acts(method, '/v1/apps', { cookie, ...headers, ...(origin === undefined ? {} : { origin }) })).toBe(
          false,
        );
      },
    ),
  );
});
