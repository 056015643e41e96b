import { envelopeTexts, PlainHeaders, routeTexts } from './call-envelope.js';

const PROVIDER = { id: 'vertex', style: 'gemini', baseUrl: 'https://vertex.example' } as const;
const NUMBER = '12345678901234567890';

const targetAt = (path: string) =>
  ({ path, provider: PROVIDER, dialect: 'generic', facts: {}, governed: false, takesUploads: false }) as const;

/** The texts of a call outside of its body, by their places. */
const textsOf = (path: string, headers: readonly string[] = []): Record<string, string> =>
  Object.fromEntries(envelopeTexts(targetAt(path), headers).map(({ path: place, text }) => [place, text]));

describe('A part of a path', () => {
  it.each([
    'projects',
    'endpoints',
    'models',
    'tunedModels',
    'operations',
    'tuningJobs',
    'batchPredictionJobs',
    'cachedContents',
    'reasoningEngines',
  ])('is no text if it is a number after the name of a collection that providers number: %s', (collection) => {
    expect(textsOf(`/${collection}/${NUMBER}`)).toEqual({ 'path[1]': collection });
  });

  it('is a text without its number if the name of a method follows, so that no word is left out', () => {
    const path = `/endpoints/${NUMBER}:generateContent`;
    expect(textsOf(path)).toEqual({ 'path[1]': 'endpoints', 'path[2]': ':generateContent' });
  });

  it.each([
    ['a number after another name', `/customers/${NUMBER}`],
    ['a number after the name of something else', `/endpoints/e/${NUMBER}`],
    ['a number at the beginning', `/${NUMBER}`],
    ['a longer number', `/endpoints/${NUMBER}1`],
    ['a number in groups', '/endpoints/1234-5678-9012'],
    ['a number with a word', `/endpoints/${NUMBER}a`],
    ['a number before an address', `/endpoints/${NUMBER}@x.example`],
    ['a number before something other than a method', `/endpoints/${NUMBER}:a-1`],
    ['the number of a session, which clients choose', `/agents/a/sessions/${NUMBER}`],
  ])('is a text if it is %s', (_what, path) => {
    expect(Object.values(textsOf(path))).toContain(path.slice(path.lastIndexOf('/') + 1));
  });

  it('is no text if it is the number of a session in an engine, which numbers its sessions', () => {
    const texts = textsOf(`/reasoningEngines/${NUMBER}/sessions/${NUMBER}`);
    expect(Object.values(texts)).toEqual(['reasoningEngines', 'sessions']);
  });
});

describe('An identifier', () => {
  const ID = ['3f2504e0', '4f89', '41d3', '9a0c', '0305e82c3301'].join('-');

  it.each(['heroku_api_key', 'snyk', 'launchdarkly-token', 'q'])(
    'is a text below a name that can make it a credential: %s',
    (name) => {
      expect(textsOf(`/files?${name}=${ID}`)).toMatchObject({ 'query[0]': ID });
      expect(textsOf('', [`x-${name}-note`, ID])).toEqual({ [`headers.x-${name}-note`]: ID });
    },
  );

  it.each(['after', 'before', 'response_id', 'uploadId', 'run_ids'])('is no text below the name %s', (name) => {
    expect(textsOf(`/files?${name}=${ID}`)).toEqual({ 'path[1]': 'files' });
  });

  it.each(['x-request-id', 'idempotency-key', 'chatgpt-account-id', 'session_id'])(
    'is no text in the header %s',
    (name) => {
      expect(textsOf('', [name, ID])).toEqual({});
    },
  );

  it.each(['sdk', 'api', 'mob'])('is a text everywhere if it is a key of LaunchDarkly: %s', (mark) => {
    const key = `${mark}-${ID}`;
    expect(textsOf(`/flags/${key}?id=${key}`, ['x-request-id', key])).toEqual({
      ...{ 'path[1]': 'flags', 'path[2]': key, 'query[0]': key, 'headers.x-request-id': key },
    });
  });
});

describe('An identifier that encodes a text', () => {
  /** A made-up credential. */
  const HEX = Buffer.from(['AKIA', 'QWERTZ2345678QWE'].join('')).toString('hex');

  it('is a text in a path, a query and a header', () => {
    const id = `file-${HEX}`;
    expect(textsOf(`/v1/files/${id}?after=${id}`, ['x-request-id', id])).toEqual({
      ...{ 'path[1]': 'v1', 'path[2]': 'files', 'path[3]': id, 'query[0]': id, 'headers.x-request-id': id },
    });
    const parts = routeTexts(`/files/${id}`).map(({ text, cuts = [] }) => cuts.map((cut) => text.slice(cut)));
    expect(parts).toEqual([[], [HEX]]);
  });

  it.each([
    ['traceparent', `00-${HEX.slice(0, 32)}-00f067aa0ba902b7-01`],
    ['content-type', `multipart/form-data; boundary=${HEX}`],
  ])('is a text in a header with a fixed form: %s', (name, value) => {
    expect(textsOf('', [name, value])).toEqual({ [`headers.${name}`]: value });
  });

  it('is none if it is random', () => {
    const id = 'file-a1B2c3D4e5F6g7H8i9J0k1L2';
    const trace = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
    expect(textsOf(`/files/${id}`, ['traceparent', trace, 'x-request-id', id])).toEqual({ 'path[1]': 'files' });
  });
});

describe('A short number of a person', () => {
  it.each(['AB123456C', 'ABCPE1234F', '1EG4-TE5-MK73', 'D123-456', '20040101-1234'])(
    'is a text in a header, and as the name of a parameter: %s',
    (number) => {
      expect(textsOf('', ['x-end-user', number])).toEqual({ 'headers.x-end-user': number });
      expect(textsOf(`/files?${number}=1`)['query[0]']).toBeDefined();
    },
  );
});

describe('A header', () => {
  it.each([
    ['anthropic-version', '2023-06-01'],
    ['anthropic-beta', 'fine-grained-tool-streaming-2025-05-14'],
    ['x-stainless-package-version', '4.104.0'],
    ['x-stainless-runtime-version', 'v22.14.0'],
    ['x-stainless-retry-count', '0'],
    ['accept', 'application/json, text/event-stream;q=0.9'],
    ['content-type', 'text/plain; charset=iso-8859-1'],
  ])('is no text if it has the form that clients send: %s', (name, value) => {
    expect(textsOf('', [name, value])).toEqual({});
  });

  it.each([
    ['x-datadog-trace-id', NUMBER],
    ['x-datadog-parent-id', NUMBER],
    ['X-Cloud-Trace-Context', `${'0123456789abcdef'.repeat(2)}/${NUMBER};o=1`],
    ['x-goog-user-project', '123456789012'],
    ['x-goog-upload-header-content-length', '123456789012'],
    ['X-Goog-Upload-Offset', '16777216'],
    ['content-range', 'bytes 8388608-16777215/123456789'],
  ])('is no text if its value has the form of a number from a machine: %s', (name, value) => {
    expect(textsOf('', [name, value])).toEqual({});
  });

  it.each([
    ['x-datadog-trace-id', `${NUMBER}1`],
    ['x-datadog-trace-id', `to ${NUMBER}`],
    ['x-cloud-trace-context', `0123456789abcdef/${NUMBER}`],
    ['x-goog-user-project', '1234567890123456'],
    ['x-goog-upload-offset', '1234567890123'],
    ['content-range', `bytes 0-1/${NUMBER}`],
    ['x-trace-id', NUMBER],
    ['x-customer', NUMBER],
  ])('is a text if its value has another form, or its name is another: %s', (name, value) => {
    expect(textsOf('', [name, value])).toEqual({ [`headers.${name}`]: value });
  });
});

describe('A header with a long row of blanks', () => {
  it.each(['accept', 'content-type'])('is read in the time that its length explains: %s', (name) => {
    const before = process.cpuUsage();
    expect(textsOf('', [name, `a${' '.repeat(200_000)}b`])).toHaveProperty([`headers.${name}`]);
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1_000).toBeLessThan(2_000);
  });
});

describe('A header that an earlier call sent', () => {
  const CREDENTIAL = `Bearer ${['sk', 'proj', 'Ab12Cd34Ef56Gh78'].join('-')}`;
  const HEADERS = [
    ...['Accept', 'application/json', 'User-Agent', 'acme/1.2', 'Authorization', CREDENTIAL],
    ...['X-Note', 'call Anna Weber at once', 'X-Anna.Weber@Mail.Example', 'yes'],
  ];
  const plain = new PlainHeaders();
  const texts = () => envelopeTexts(targetAt(''), HEADERS, plain);

  it('has the same texts as before', () => {
    const first = texts();
    expect(first.map(({ text }) => text)).toContain('call Anna Weber at once');
    expect(texts()).toEqual(first);
    expect(texts()).toEqual(envelopeTexts(targetAt(''), HEADERS));
  });

  it('is remembered only if it has neither a text nor a credential', () => {
    texts();
    expect(plain.has('accept', 'application/json')).toBe(true);
    expect(plain.has('authorization', CREDENTIAL)).toBe(false);
    expect(plain.has('x-note', 'call Anna Weber at once')).toBe(false);
    expect(plain.has('x-anna.weber@mail.example', 'yes')).toBe(false);
  });
});
