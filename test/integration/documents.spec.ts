import { docxOf, pdfOf, pptxOf, xlsxOf, zipOf } from '../support/documents.js';
import { appWithUpstream } from '../support/app-with-upstream.js';
import { RawUpstream } from '../support/raw-upstream.js';
import { startTestApp, type TestApp } from '../support/test-app.js';

/** The texts that the policy of the tests blocks and masks. */
const KEY = 'ssn-4711';
const ADDRESS = 'mail-4711';
const binaryOf = (length: number): Buffer =>
  Buffer.from(Array.from({ length }, (_, at) => (at * 7919 + (at >> 3) * 131 + 7) % 256));

type Wrap = (bytes: Buffer, mediaType: string) => { path: string; body: unknown };
const chat: Wrap = (bytes, type) => ({
  path: '/openai/v1/chat/completions',
  body: {
    model: 'm',
    messages: [
      {
        role: 'user',
        content: [{ type: 'file', file: { file_data: `data:${type};base64,${bytes.toString('base64')}` } }],
      },
    ],
  },
});
const responses: Wrap = (bytes, type) => ({
  path: '/openai/v1/responses',
  body: {
    model: 'm',
    input: [
      { role: 'user', content: [{ type: 'input_file', file_data: `data:${type};base64,${bytes.toString('base64')}` }] },
    ],
  },
});
const messages: Wrap = (bytes, media_type) => ({
  path: '/anthropic/v1/messages',
  body: {
    model: 'm',
    max_tokens: 9,
    messages: [
      {
        role: 'user',
        content: [{ type: 'document', source: { type: 'base64', media_type, data: bytes.toString('base64') } }],
      },
    ],
  },
});
const gemini: Wrap = (bytes, mimeType) => ({
  path: '/openai/v1beta/models/m:generateContent',
  body: { contents: [{ parts: [{ inlineData: { mimeType, data: bytes.toString('base64') } }] }] },
});
const toolResult: Wrap = (bytes) => ({
  path: '/openai/v1/chat/completions',
  body: {
    model: 'm',
    messages: [
      { role: 'user', content: 'read it' },
      { role: 'assistant', tool_calls: [{ id: 'c', type: 'function', function: { name: 'get', arguments: '{}' } }] },
      { role: 'tool', tool_call_id: 'c', content: JSON.stringify({ file: bytes.toString('base64') }) },
    ],
  },
});
const WRAPS: Readonly<Record<string, Wrap>> = { chat, responses, messages, gemini, toolResult };

const SAMPLES: readonly (readonly [string, string, (text: string) => Buffer])[] = [
  ['PDF', 'application/pdf', (text) => pdfOf({ pages: [['x'], [text]], packed: true })],
  ['DOCX', 'application/msword', (text) => docxOf({ paragraphs: [[text.slice(0, 9), text.slice(9)]] })],
  ['XLSX', 'application/vnd.ms-excel', (text) => xlsxOf([{ rows: [['a', text]], hidden: true }])],
  ['PPTX', 'application/octet-stream', (text) => pptxOf([{ text: 'x', notes: text }])],
  ['ZIP', 'image/png', (text) => zipOf({ 'a.txt': text })],
];

describe('a document whose reader exceeds its time limit', () => {
  let upstream: RawUpstream;
  let app: TestApp;
  beforeAll(async () => {
    upstream = await RawUpstream.start();
    upstream.answerJson({ ok: true });
    app = await startTestApp({ env: { WEIR_OPENAI_BASE_URL: upstream.url, WEIR_DOCUMENT_WORK: '10ms' } });
  }, 240_000);
  afterAll(async () => {
    await app.close();
    await upstream.close();
  });

  const slow = pdfOf({ pages: Array.from({ length: 2_000 }, (_, page) => [`page ${page}`]), packed: true });
  it('causes 503 for a proxied call, without a violation, and is listed as unread in the event', async () => {
    const { path, body } = chat(slow, 'application/pdf');
    const response = await fetch(`${app.url}/proxy${path}`, {
      method: 'POST',
      headers: { 'x-service-key': app.bootstrap.keys.production, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    expect({ status: response.status, retry: response.headers.get('retry-after') }).toEqual({
      status: 503,
      retry: '1',
    });
    expect(await response.text()).toContain('missing: documents');
    expect(upstream.requests).toHaveLength(0);
    const events = await fetch(`${app.url}/v1/events?type=ai.request`, {
      headers: { authorization: `Bearer ${app.bootstrap.token}` },
    });
    const [event] = ((await events.json()) as { data: object[] }).data;
    expect(event).toMatchObject({
      decision: 'block',
      reason: 'guardrail_unavailable',
      violations: [],
      unread: [{ path: 'messages[0].content[0].file.file_data', why: 'outage', bytes: slow.length }],
    });
  });

  it('causes 503 guardrail_unavailable for a submitted event', async () => {
    const response = await fetch(`${app.url}/v1/events`, {
      method: 'POST',
      headers: { authorization: `Bearer ${app.bootstrap.keys.production}`, 'content-type': 'application/json' },
      body: JSON.stringify({ type: 'ai.request', request_id: 'slow-1', payload: chat(slow, 'application/pdf').body }),
    });
    expect(response.status).toBe(503);
    expect(await response.json()).toMatchObject({ error: { type: 'guardrail_unavailable', violations: [] } });
  });
});

describe('a service that judges documents in calls', () => {
  const { app, upstream } = appWithUpstream();
  beforeEach(() => {
    upstream().requests.length = 0;
    upstream().answerJson({ ok: true });
  });

  const post = (path: string, body: unknown, headers: Record<string, string> = {}): Promise<Response> =>
    fetch(`${app().url}/proxy${path}`, {
      method: 'POST',
      headers: { 'x-service-key': app().bootstrap.keys.production, 'content-type': 'application/json', ...headers },
      body: typeof body === 'string' || body instanceof FormData ? body : JSON.stringify(body),
    });
  const sentUp = (): string =>
    upstream()
      .requests.map(({ body }) => body.toString('utf8'))
      .join('\n');
  const log = async (): Promise<string> => {
    const response = await fetch(`${app().url}/v1/events?limit=200`, {
      headers: { authorization: `Bearer ${app().bootstrap.token}` },
    });
    return response.text();
  };

  const cases = SAMPLES.flatMap(([format, type, make]) =>
    Object.entries(WRAPS).map(([place, wrap]) => [format, place, type, make, wrap] as const),
  );

  it.each(cases)(
    'refuses a secret in %s in %s, reports where it is, and stores neither secret nor file',
    async (_format, _place, type, make, wrap) => {
      const bytes = make(`key ${KEY} end`);
      const { path, body } = wrap(bytes, type);
      const response = await post(path, body);
      const text = await response.text();
      expect({ status: response.status, text }).toMatchObject({ status: 400 });
      expect(text).toMatch(/ > /);
      expect(text).not.toContain(KEY);
      expect(upstream().requests).toHaveLength(0);
      const stored = await log();
      expect(stored).not.toContain(KEY);
      expect(stored).not.toContain(bytes.toString('base64').slice(0, 400));
    },
  );

  it.each(cases)('forwards harmless %s in %s byte for byte', async (_format, _place, type, make, wrap) => {
    const bytes = make('nothing but the weather');
    const { path, body } = wrap(bytes, type);
    const response = await post(path, body);
    expect({ status: response.status, text: await response.text() }).toMatchObject({ status: 200 });
    expect(sentUp()).toBe(JSON.stringify(body));
  });

  it('does not mistake hashes, keys and words for documents', async () => {
    const words = [
      binaryOf(64).toString('base64'),
      binaryOf(96).toString('base64url'),
      'a'.repeat(65),
      '0'.repeat(128),
    ];
    const body = {
      model: 'm',
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: words[0] },
            ...words.map((result) => ({ type: 'x', result: `https://example.com/${result}` })),
          ],
        },
      ],
      extra: { words },
    };
    const response = await post('/openai/v1/chat/completions', body);
    expect({ status: response.status, text: await response.text() }).toMatchObject({ status: 200 });
    expect(sentUp()).toBe(JSON.stringify(body));
  });

  it.each([
    ['a character outside base64', (value: string) => `${value.slice(0, 40)}!${value.slice(40)}`],
    [
      'an extra character',
      (value: string) => `${value.replace(/=+$/, '')}${'A'.repeat(5 - (value.replace(/=+$/, '').length % 4))}`,
    ],
  ])('refuses a file in base64 with %s', async (_, spoilt) => {
    const data = spoilt(docxOf({ header: `key ${KEY}` }).toString('base64'));
    const source = { type: 'base64', media_type: 'application/pdf', data };
    const body = { model: 'm', max_tokens: 9, messages: [{ role: 'user', content: [{ type: 'document', source }] }] };
    expect((await post('/anthropic/v1/messages', body)).status).toBe(400);
  });

  it('refuses a document that contains text to be masked, and reports that this text cannot be masked', async () => {
    const { path, body } = chat(pdfOf({ pages: [[`write to ${ADDRESS}`]], packed: true }), 'application/pdf');
    const response = await post(path, body);
    const text = await response.text();
    expect({ status: response.status, text }).toMatchObject({ status: 400 });
    expect(text).toContain('cannot be masked');
    expect(text).toContain('page 1');
    expect(text).not.toContain(ADDRESS);
  });

  it.each<[string, (text: string) => Buffer]>([
    ['UTF-8', (text) => Buffer.from(text)],
    ['UTF-16', (text) => Buffer.from(`\ufeff${text}`, 'utf16le')],
    ['Latin-1', (text) => Buffer.from(text, 'latin1')],
  ])('masks a text file in %s in place, in its own encoding', async (_, encode) => {
    const text = (address: string): string => `Gr\u00fc\u00dfe an ${address}, und vielen Dank f\u00fcr alles.`;
    const { path, body } = chat(encode(text(ADDRESS)), 'text/plain');
    const response = await post(path, body);
    expect({ status: response.status, text: await response.text() }).toMatchObject({ status: 200 });
    const sent = JSON.parse(sentUp()) as { messages: { content: { file: { file_data: string } }[] }[] };
    const data = Buffer.from(sent.messages[0]!.content[0]!.file.file_data.split(',')[1]!, 'base64');
    expect(data.includes(encode(ADDRESS).subarray(4))).toBe(false);
    const [before, after] = text('\0').split('\0');
    expect(data.subarray(0, encode(before!).length)).toEqual(encode(before!));
    expect(data.toString('latin1').endsWith(encode(after!).subarray(encode('').length).toString('latin1'))).toBe(true);
    expect(await log()).not.toContain(encode(ADDRESS).subarray(4).toString('base64').slice(4, 20));
  });

  it('masks JSON in base64 in place', async () => {
    const { path, body } = chat(
      Buffer.from(JSON.stringify({ to: ADDRESS }).replace('-', '\\u002d')),
      'application/json',
    );
    expect((await post(path, body)).status).toBe(200);
    const sent = JSON.parse(sentUp()) as { messages: { content: { file: { file_data: string } }[] }[] };
    const data = Buffer.from(sent.messages[0]!.content[0]!.file.file_data.split(',')[1]!, 'base64').toString();
    expect(Object.keys(JSON.parse(data) as object)).toEqual(['to']);
    expect(data).not.toContain('4711');
  });

  it('masks a value in HTML, and refuses HTML in which tags split the value', async () => {
    const plain = chat(Buffer.from(`<html><body><p>write to ${ADDRESS} now</p></body></html>`), 'text/html');
    const response = await post(plain.path, plain.body);
    expect({ status: response.status, text: await response.text() }).toMatchObject({ status: 200 });
    const hidden = chat(Buffer.from('<html><body><p>write to ma<b>il-47</b>11</p></body></html>'), 'text/html');
    expect((await post(hidden.path, hidden.body)).status).toBe(400);
  });

  it('stores nothing of an uploaded page in which tags split a finding', async () => {
    const form = new FormData();
    form.set('purpose', 'assistants');
    form.set('file', new Blob(['<html><p>number ss<b>n-47</b>13</p></html>']), 'a.html');
    const response = await fetch(`${app().url}/proxy/openai/v1/files`, {
      method: 'POST',
      headers: { 'x-service-key': app().bootstrap.keys.production },
      body: form,
    });
    expect(response.status).toBe(400);
    expect(await log()).not.toContain('n-47');
  });

  it('refuses an upload with a secret in a document', async () => {
    const form = new FormData();
    form.set('purpose', 'assistants');
    form.set('file', new Blob([new Uint8Array(docxOf({ comment: `key ${KEY}` }))]), 'a.docx');
    const response = await fetch(`${app().url}/proxy/openai/v1/files`, {
      method: 'POST',
      headers: { 'x-service-key': app().bootstrap.keys.production },
      body: form,
    });
    const text = await response.text();
    expect({ status: response.status, text }).toMatchObject({ status: 400 });
    expect(text).toContain('> comments');
    expect(upstream().requests).toHaveLength(0);
  });

  it.each<[string, Buffer]>([
    ['a decompression bomb', zipOf({ a: Buffer.alloc(64 * 1024 * 1024) })],
    ['a truncated document', docxOf({ paragraphs: [['x'.repeat(900)]] }).subarray(0, 300)],
    ['an old Office file', Buffer.concat([Buffer.from('d0cf11e0a1b11ae1', 'hex'), binaryOf(2_000)])],
  ])('refuses unreadable content: %s', async (_, bytes) => {
    const { path, body } = messages(bytes, 'application/pdf');
    const response = await post(path, body);
    expect({ status: response.status, text: await response.text() }).toMatchObject({ status: 400 });
    expect(upstream().requests).toHaveLength(0);
  });

  it.each<[string, (data: string) => unknown]>([
    ['chat', (data) => ({ choices: [{ index: 0, message: { role: 'assistant', content: 'here', file: { data } } }] })],
    ['Gemini', (data) => ({ candidates: [{ content: { parts: [{ inlineData: { mimeType: 'x/y', data } }] } }] })],
    [
      'a result of a tool',
      (data) => ({ output: [{ type: 'code_call', results: [{ url: `data:x/y;base64,${data}` }] }] }),
    ],
  ])('refuses an answer with an address in a document: %s', async (_, answer) => {
    const bytes = pdfOf({ pages: [[`write to ${ADDRESS}`]], packed: true });
    upstream().answerJson(answer(bytes.toString('base64')));
    const response = await post('/openai/v1/chat/completions', { model: 'm', messages: [] });
    const text = await response.text();
    expect({ status: response.status, text }).toMatchObject({ status: 400 });
    expect(text).toContain('page 1');
    const stored = await log();
    expect(stored).not.toContain(ADDRESS);
    expect(stored).not.toContain(bytes.toString('base64').slice(0, 400));
  });

  it('forwards an answer with a harmless document byte for byte', async () => {
    const data = pdfOf({ pages: [['sunny']], packed: true }).toString('base64');
    upstream().answerJson({ candidates: [{ content: { parts: [{ inlineData: { data } }] } }] });
    const response = await post('/openai/v1/chat/completions', { model: 'm', messages: [] });
    expect({ status: response.status, text: await response.text() }).toEqual({
      status: 200,
      text: JSON.stringify({ candidates: [{ content: { parts: [{ inlineData: { data } }] } }] }),
    });
  });

  it('refuses an answer in unreadable frames on a governed route, and only reports it on other routes', async () => {
    const frames = Buffer.concat([binaryOf(60), Buffer.from('{"bytes":"eyJ4IjoxfQ=="}'), binaryOf(90)]);
    const send = (): void =>
      upstream().answer((response) => {
        response.writeHead(200, { 'content-type': 'application/vnd.amazon.eventstream' });
        response.end(frames);
      });
    send();
    const refused = await post('/openai/v1/chat/completions', { model: 'm', messages: [] });
    expect({ status: refused.status, text: await refused.text() }).toMatchObject({ status: 400 });
    const body = { path: 'body', why: 'binary', bytes: frames.length };
    const events = async (): Promise<{ decision: string; unread: unknown; violations: object[] }> => {
      const response = await fetch(`${app().url}/v1/events?type=ai.response&limit=1`, {
        headers: { authorization: `Bearer ${app().bootstrap.token}` },
      });
      return ((await response.json()) as { data: [never] }).data[0];
    };
    expect(await events()).toMatchObject({ decision: 'block', unread: [body], violations: [{ rule: 'unread' }] });
    send();
    const passed = await post('/openai/model/m/converse-stream', { messages: [] });
    expect(Buffer.from(await passed.arrayBuffer())).toEqual(frames);
    expect(await events()).toMatchObject({
      decision: 'allow',
      unread: [body],
      violations: [{ rule: 'unread', action: 'flag' }],
    });
  });

  it('masks lines of JSON in base64 in place, value by value', async () => {
    const lines = `{"to":"${ADDRESS.replace('-', '\\u002d')}"}\n{"to":"nobody"}\n`;
    const { path, body } = chat(Buffer.from(lines), 'application/jsonl');
    const response = await post(path, body);
    expect({ status: response.status, text: await response.text() }).toMatchObject({ status: 200 });
    const sent = JSON.parse(sentUp()) as { messages: { content: { file: { file_data: string } }[] }[] };
    const [first, second] = Buffer.from(sent.messages[0]!.content[0]!.file.file_data.split(',')[1]!, 'base64')
      .toString()
      .split('\n');
    expect(JSON.parse(first!)).not.toEqual({ to: ADDRESS });
    expect(first).not.toContain('4711');
    expect(second).toBe('{"to":"nobody"}');
  });

  it('judges the files of submitted events, and stores none with a finding', async () => {
    const bytes = docxOf({ header: `key ${KEY}` });
    const response = await fetch(`${app().url}/v1/events`, {
      method: 'POST',
      headers: { authorization: `Bearer ${app().bootstrap.keys.production}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        type: 'ai.request',
        request_id: 'doc-1',
        payload: chat(bytes, 'application/pdf').body as { messages: unknown },
      }),
    });
    const text = await response.text();
    expect({ status: response.status, text }).toMatchObject({ status: 400 });
    expect(text).toContain('header 1');
    expect(await log()).not.toContain(bytes.toString('base64').slice(0, 400));
  });
});
