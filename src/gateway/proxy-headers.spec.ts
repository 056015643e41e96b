import { HeaderNames } from './header-names.js';
import { headersForClient, headersOfForwarded, HeadersForProvider } from './proxy-headers.js';

const SECRET = ['sk', 'test', 'wr1', 'x'].join('_');
/** A complete credential of Weir's, but not the one of the call. */
const OWN = ['sk', 'live', 'wr1', 'A'.repeat(50)].join('_');

describe('HeadersForProvider', () => {
  const up = (raw: string[], further?: HeaderNames) => new HeadersForProvider(further).of(raw, SECRET);
  const names = (raw: string[], bodyChanged = false): string[] =>
    headersOfForwarded(up(raw), { bodyChanged, wholeAnswer: false }).filter((_, index) => index % 2 === 0);

  it('forwards headers about the call with unchanged names and values, repeated ones included', () => {
    expect(up(['Anthropic-Beta', 'a', 'anthropic-beta', 'b', 'X-Novel', ' v'])).toEqual([
      'Anthropic-Beta',
      'a',
      'anthropic-beta',
      'b',
      'X-Novel',
      ' v',
      'accept-encoding',
      'identity',
    ]);
  });

  it.each([
    'Connection',
    'Keep-Alive',
    'Proxy-Connection',
    'Proxy-Authorization',
    'TE',
    'Trailer',
    'Transfer-Encoding',
    'Upgrade',
    'Host',
    'Content-Length',
    'Expect',
    'Cookie',
    'Forwarded',
    'Via',
    'X-Real-IP',
    'X-Forwarded-For',
    'X-Service-Key',
    'X-Service-Metadata',
    'X-Weir-Anything',
    'Accept-Encoding',
    'X-HTTP-Method-Override',
    'X-Method-Override',
    'X-Rewrite-URL',
    'X-Original-URL',
    'X-Host',
    'X-HTTP_Method_Override',
    'X-Original_URL',
    'X-Rewrite.URL',
    'X-Forwarded_For',
    'X-Service_Key',
    'X-Weir_Anything',
  ])('stops %s', (name) => {
    expect(names([name, 'v'])).toEqual(['accept-encoding']);
  });

  it.each([
    'Referer',
    'Origin',
    'Sec-Fetch-Site',
    'CF-Connecting-IP',
    'True-Client-IP',
    'X-Auth-Request-Email',
    'Novel',
    'X-Datadog-Trace-Id',
    'x-datadog-parent-id',
    'X-B3-TraceId',
    'X-Cloud-Trace-Context',
    'X-Amzn-Trace-Id',
    'X-INSTANA-T',
    'X-NewRelic-ID',
    'X-Request-Start',
  ])('stops %s, which is not known to be about the call', (name) => {
    expect(names([name, 'v'])).toEqual(['accept-encoding']);
  });

  it('asks for the complete answer when it will be judged', () => {
    const ranged = ['Range', 'bytes=0-9'];
    const sent = up(ranged, new HeaderNames(['range']));
    expect(headersOfForwarded(sent, { bodyChanged: false, wholeAnswer: false })).toContain('Range');
    expect(headersOfForwarded(sent, { bodyChanged: false, wholeAnswer: true })).toEqual([
      'accept-encoding',
      'identity',
    ]);
  });

  it('forwards the additional headers of an installation, but no connection headers and none that Weir sets', () => {
    const raw = ['Novel', '1', 'Team-Id', '2', 'X-Service-Key', '3', 'Connection', '4', 'Cookie', '5', 'Host', '6'];
    const further = new HeaderNames(['novel', 'team-*', 'x-service-key', 'connection', 'cookie', 'host']);
    expect(up(raw, further)).toEqual(['Novel', '1', 'Team-Id', '2', 'accept-encoding', 'identity']);
  });

  it.each([
    'Authorization',
    'api-key',
    'x-api-key',
    'anthropic-version',
    'anthropic-beta',
    'anthropic-dangerous-direct-browser-access',
    'OpenAI-Organization',
    'OpenAI-Beta',
    'X-Stainless-Retry-Count',
    'X-Title',
    'HTTP-Referer',
    'X-MS-Client-Request-Id',
    'Idempotency-Key',
    'User-Agent',
    'traceparent',
    'x-goog-api-key',
    'session_id',
  ])('passes %s', (name) => {
    expect(names([name, 'v'])).toEqual([name, 'accept-encoding']);
  });

  it('stops every header that Connection names', () => {
    expect(
      names(['Connection', 'close, X-One', 'X-One', '1', 'connection', 'x-two', 'X-TWO', '2', 'X-Three', '3']),
    ).toEqual(['X-Three', 'accept-encoding']);
  });

  it('stops a header that holds the service key, whatever its name', () => {
    expect(names(['Authorization', `Bearer ${SECRET}`, 'X-Copy', SECRET, 'X-Api-Key', 'provider'])).toEqual([
      'X-Api-Key',
      'accept-encoding',
    ]);
  });

  it('judges a value again for each service key, and stops a value with a credential each time', () => {
    const headers = new HeadersForProvider();
    const other = ['other', SECRET].join('-');
    const padding = 'k'.repeat(80);
    const passes = (value: string, secret: string): boolean => headers.of(['X-Api-Key', value], secret).length > 2;
    for (let time = 0; time < 3; time++) {
      expect(passes(`provider-${padding}`, SECRET)).toBe(true);
      expect(passes(`${padding}${SECRET}`, SECRET)).toBe(false);
      expect(passes(`Basic ${Buffer.from(`${padding}:${SECRET}`).toString('base64')}`, SECRET)).toBe(false);
      expect(passes(`${padding}${OWN}`, SECRET)).toBe(false);
      expect(passes(`${padding}${SECRET}`, other)).toBe(true);
    }
  });

  it('drops the content coding of a changed body', () => {
    expect(names(['Content-Encoding', 'gzip'], true)).toEqual(['accept-encoding']);
    expect(names(['Content-Encoding', 'gzip'], false)).toEqual(['Content-Encoding', 'accept-encoding']);
  });
});

describe('headersForClient', () => {
  it('forwards headers about the provider, and not those about its origin or connection', () => {
    const given = {
      'content-type': 'application/json',
      'x-request-id': 'r',
      'x-ratelimit-limit-requests': '1',
      'retry-after': '3',
      'content-encoding': 'gzip',
      etag: 'e',
      connection: 'close, x-hop',
      'x-hop': '1',
      'content-length': '3',
      'set-cookie': ['a=b'],
      'alt-svc': 'h3',
      'strict-transport-security': 'x',
      'transfer-encoding': 'chunked',
      'x-weir-decision': 'forged',
      'access-control-allow-origin': '*',
      'content-security-policy': 'x',
      'x-accel-redirect': '/internal/file',
      'x-sendfile': '/etc/hosts',
      nel: 'x',
      novel: 'x',
    };
    const passed = {
      'content-type': 'application/json',
      'x-request-id': 'r',
      'x-ratelimit-limit-requests': '1',
      'retry-after': '3',
    };
    expect(headersForClient(given, false)).toEqual({ ...passed, 'content-encoding': 'gzip', etag: 'e' });
    expect(headersForClient(given, true)).toEqual(passed);
    const { 'retry-after': _removed, ...left } = passed;
    expect(headersForClient(given, true, new Set(['retry-after']))).toEqual(left);
  });
});
