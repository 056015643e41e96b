import { appWithUpstream } from '../support/app-with-upstream.js';

const BODY = '{"model":"m","messages":[{"role":"user","content":"hi"}]}';

describe('the proxy with the path, query and headers of a call', () => {
  const { app, upstream } = appWithUpstream();
  beforeAll(() => {
    upstream().answerJson({ ok: true });
  });
  beforeEach(() => void (upstream().requests.length = 0));

  const call = (path: string, headers: Record<string, string> = {}, body = BODY): Promise<Response> =>
    fetch(`${app().url}/proxy${path}`, {
      method: 'POST',
      headers: { 'x-service-key': app().bootstrap.keys.production, 'content-type': 'application/json', ...headers },
      body,
    });
  const eventOf = async (response: Response): Promise<Record<string, unknown>> => {
    const id = response.headers.get('x-weir-event-id');
    const found = await fetch(`${app().url}/v1/events/${id}`, {
      headers: { authorization: `Bearer ${app().bootstrap.token}` },
    });
    return (await found.json()) as Record<string, unknown>;
  };

  it.each<[string, string, Record<string, string>, string]>([
    ['a query value', '/openai/v1/chat/completions?note=to%20ssn-1', {}, 'query[0]'],
    ['a query value that is to be masked', '/openai/v1/files?after=a&q=%6dail-1', {}, 'query[1]'],
    ['the name of a parameter', '/openai/v1/files?my%20ssn-1=x', {}, 'query[0]'],
    ['a parameter for credentials that contains words', '/openai/v1/files?key=my%20ssn-1', {}, 'query[0]'],
    // Only Google documents a credential in the query.
    ...['key', 'api_key', 'api-key', 'access_token', 'subscription-key'].map(
      (name): [string, string, Record<string, string>, string] => [
        `the parameter ${name} of a provider that takes no credential there`,
        `/openai/v1/chat/completions?${name}=to-ssn-1`,
        {},
        'query[0]',
      ],
    ),
    ['a parameter unknown to Google', '/openai/v1beta/models/m:generateContent?api_key=to-ssn-1', {}, 'query[0]'],
    ['a part of the path', '/openai/v1/threads/my%20ssn-1/messages', {}, 'path[3]'],
    ['a header', '/openai/v1/chat/completions', { 'x-note': 'my ssn-1' }, 'headers.x-note'],
    ['the name of a header', '/openai/v1/chat/completions', { 'x-note~ssn-1': 'yes' }, 'headers.1'],
    [
      'a boundary',
      '/openai/v1/chat/completions',
      { 'content-type': 'multipart/form-data; boundary="to ssn-1"' },
      'headers.content-type',
    ],
    ['an escaped header', '/openai/v1/chat/completions', { 'x-note': 'my%20ssn%2d1' }, 'headers.x-note'],
    ...[
      'accept',
      'accept-language',
      'traceparent',
      'range',
      'openai-organization',
      'if-none-match',
      'content-digest',
    ].map((name): [string, string, Record<string, string>, string] => [
      `the header ${name} outside its grammar`,
      '/openai/v1/chat/completions',
      { [name]: `to ssn-1` },
      `headers.${name}`,
    ]),
    [
      'a header for credentials that contains words',
      '/openai/v1/files',
      { 'x-note-key': 'to ssn-1' },
      'headers.x-note-key',
    ],
    ['an address in place of a credential', '/openai/v1/files', { 'x-api-key': 'mail-1@x' }, 'headers.x-api-key'],
    ['words after a scheme', '/openai/v1/files', { authorization: 'Bearer to ssn-1' }, 'headers.authorization'],
    ['the request id', '/anthropic/v1/messages', { 'x-request-id': 'for/a:ssn-1/0123456789' }, 'headers.x-request-id'],
  ])('refuses %s in which a rule finds something', async (_, path, headers, place) => {
    const response = await call(path, headers);
    expect(response.status).toBe(400);
    expect(upstream().requests).toHaveLength(0);
    const event = await eventOf(response);
    expect(event).toMatchObject({ decision: 'block', violations: [{ locations: [place] }] });
    expect(JSON.stringify(event)).not.toMatch(/ssn-1|mail-1/);
  });

  it('forwards the credential of a provider, and neither judges nor stores it', async () => {
    const path = '/openai/v1/models/m:generateContent?key=ssn-1-token-2&api-version=2024-05-01';
    const response = await call(
      path,
      {
        authorization: 'Bearer ssn-1',
        'x-vendor-api-key': 'ssn-2',
        'x-api-key': 'ssn-3',
      },
      '{"contents":[{"parts":[{"text":"hi"}]}]}',
    );
    expect(response.status).toBe(200);
    expect(upstream().last.url).toBe(path.replace('/openai', ''));
    expect(upstream().last.headers).toMatchObject({ authorization: 'Bearer ssn-1', 'x-vendor-api-key': 'ssn-2' });
    expect(JSON.stringify(await eventOf(response))).not.toMatch(/ssn-|token-/);
  });

  it.each([
    'Bearer ssn-1',
    'Custom ssn-1',
    'AWS4-HMAC-SHA256 Credential=ssn-1/20260101/eu-west-1/bedrock/aws4_request, SignedHeaders=host;x-amz-date, Signature=0a1b',
    'Digest username="ssn-1", realm="a", uri="/v1/files", response="0a1b"',
  ])('treats a value in the grammar of Authorization as a credential: %s', async (authorization) => {
    expect((await call('/openai/v1/files', { authorization })).status).toBe(200);
    expect(upstream().last.headers).toMatchObject({ authorization });
  });

  it.each([
    (key: string) => key,
    encodeURIComponent,
    (key: string) => btoa(`u:${key}`),
    (key: string) => key.replaceAll('_', '%255f'),
    (key: string) => Buffer.from(key).toString('hex'),
    (key: string) => btoa(btoa(key)),
    (key: string) => encodeURIComponent(btoa(encodeURIComponent(key))),
  ])('sends no service key to a provider in a query, however it is encoded', async (written) => {
    const response = await call(`/openai/v1/files?key=${written(app().bootstrap.keys.production)}`);
    expect(response.status).toBe(422);
    expect(upstream().requests).toHaveLength(0);
  });

  it('sends no service key of any environment to a provider in Authorization: Basic', async () => {
    const { production, staging } = app().bootstrap.keys;
    for (const key of [production, staging]) {
      await call('/openai/v1/chat/completions', {
        authorization: `Basic ${btoa(`user:${key}`)}`,
        'x-other': `a ${key}`,
      });
      expect(upstream().last.headers).not.toHaveProperty('authorization');
      expect(upstream().last.headers).not.toHaveProperty('x-other');
    }
  });

  it('sends no service key to a provider in the name or value of a header, at any position', async () => {
    const { production } = app().bootstrap.keys;
    for (const before of ['', 'a/', 'ab/', 'abc/']) {
      await call('/openai/v1/chat/completions', {
        'x-other': `${before}${btoa(production)}`,
        [`x-${before.replace('/', '')}${production}`]: 'yes',
      });
      const sent = JSON.stringify(upstream().last.rawHeaders);
      expect(sent).not.toContain('x-other');
      expect(sent.toLowerCase()).not.toContain(production.toLowerCase());
    }
  });

  it('stores model and request id masked, and keeps the request ids of two calls distinct', async () => {
    const body = BODY.replace('"m"', '"team/a token-1 of ours"');
    const first = await eventOf(await call('/openai/v1/chat/completions', { 'x-request-id': 'a/token-1' }, body));
    const second = await eventOf(await call('/openai/v1/chat/completions', { 'x-request-id': 'a/token-2' }, body));
    expect(first['model']).toBe('team/a [TOKEN] of ours');
    expect(first['request_id']).toMatch(/^a\/\[TOKEN\]\[ID_[a-z]{14}\]$/);
    expect(second['request_id']).not.toBe(first['request_id']);
    expect(JSON.stringify([first, second])).not.toContain('token-');
  });
});
