import { acceptsCookie, browserAcceptsCookie } from './cookie-acceptance.js';

describe('The session cookie', () => {
  it.each([
    ['https://weir.example.com', 'weir.example.com', true],
    ['http://localhost:8080', 'localhost:8080', true],
    ['http://127.0.0.1:8080', '127.0.0.1:8080', true],
    ['http://localhost:8080', '[::1]:8080', true],
    ['http://localhost:8080', '192.168.1.5:8080', false],
    ['http://weir.internal', 'weir.internal', false],
    ['http://localhost:8080', 'localhost.example.com', false],
    ['http://localhost:8080', undefined, true],
    ['http://weir.internal', 'not a host', false],
  ])('with the base URL %s is stored by a browser that asks %s: %s', (baseUrl, host, isStored) => {
    expect(browserAcceptsCookie(baseUrl, host)).toBe(isStored);
  });

  it('is not stored over plain http from a name that only contains localhost', () => {
    expect(acceptsCookie('http:', 'notlocalhost')).toBe(false);
    expect(acceptsCookie('http:', 'weir.localhost')).toBe(true);
  });
});
