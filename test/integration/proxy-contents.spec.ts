import { appWithUpstream } from '../support/app-with-upstream.js';

/** One transparent pixel. */
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
const NOISE = Buffer.from(Array.from({ length: 512 }, (_, at) => (at * 167 + (at >> 3)) % 256));
const LINE = '{"prompt":"ma\\u0069l-1"}';
const LINES = `${LINE}\n{"b":2}\n`;

type Body = readonly [name: string, type: string, body: string | Buffer];

const part = (head: string, content: string | Buffer): Buffer =>
  Buffer.concat([
    Buffer.from(`--b\r\ncontent-disposition: form-data; name="file"; filename="f"\r\n${head}\r\n\r\n`),
    Buffer.from(content),
    Buffer.from('\r\n--b--\r\n'),
  ]);
const upload = (type: string, content: string | Buffer): Buffer => part(`content-type: ${type}`, content);

const PARTS = 'multipart/form-data; boundary=b';
const DISGUISED: readonly Body[] = [
  ...['application/pdf', 'image/png', 'application/zip', 'audio/wav', 'application/octet-stream'].flatMap((type) => [
    [`JSON in a part named ${type}`, PARTS, upload(type, LINE)] as const,
    [`JSON lines in a part named ${type}`, PARTS, upload(type, LINES)] as const,
    [`JSON lines in a body named ${type}`, type, LINES] as const,
  ]),
  ['a part with a control byte', PARTS, upload('application/octet-stream', `\x01${LINES}`)],
  ['a body with a control byte', 'text/plain', `mail-1\x00`],
  ['a part in UTF-16', PARTS, upload('text/plain', Buffer.from(LINES, 'utf16le'))],
  ['a body in UTF-16 with a mark', 'application/octet-stream', Buffer.from(`\ufeff${LINES}`, 'utf16le')],
  ['a body in UTF-16, high bytes first', 'image/png', Buffer.from(LINES, 'utf16le').swap16()],
  ['JSON followed by a NUL byte', 'text/plain', `${LINE}\0`],
  ['JSON after another text', 'text/plain', `x${LINE}`],
  ['several JSON values in sequence', 'text/plain', `{}${LINE} {"c":[3]}`],
  ['JSON with a trailing comma', 'text/plain', '{"prompt":"ma\\u0069l-1",}'],
  ['JSON with a comment', 'text/plain', '/* x */ {"prompt":"ma\\u0069l-1"} // y'],
  ['a form with a bad escape', 'application/x-www-form-urlencoded', 'prompt=%6d%61il-1&x=%zz%'],
  ['an image followed by JSON', 'image/png', Buffer.concat([PNG, Buffer.from(`\n${LINE}`)])],
  ['a text with the signature of an image', 'image/gif', `GIF89a\n${LINES}`],
  ['UTF-7', 'text/plain', '+AG0AYQBpAGw--1'],
];
/** Bodies that two parsers could read differently, which are never forwarded. */
const AMBIGUOUS: readonly Body[] = [
  [
    'a boundary in another parameter',
    'multipart/form-data; x="; boundary=aaa"; boundary=bbb; boundary=b',
    part('x-a: b', 'mail-1'),
  ],
  ['a boundary in the extended form', "multipart/form-data; boundary=b; boundary*=utf-8''c", part('x-a: b', 'mail-1')],
  ['an invalid content type', 'multipart', part('x-a: b', 'mail-1')],
  ['a part in base64', PARTS, part('content-transfer-encoding: base64', 'bWFpbC0x')],
  ['a part in quoted-printable', PARTS, part('content-transfer-encoding: quoted-printable', 'm=61il-1')],
  ['a type that is given twice', PARTS, part('content-type: text/plain\r\ncontent-type: image/png', 'mail-1')],
  ['UTF-7 by its name', 'text/plain; charset=utf-7', '+AG0-ail-1'],
  ['an unknown character set', 'application/json; charset=x-own', '{}'],
];

describe('the proxy with bodies whose declared type may be wrong', () => {
  const { app, upstream } = appWithUpstream();
  beforeAll(() => {
    upstream().answerJson({ ok: true });
  });
  beforeEach(() => void (upstream().requests.length = 0));

  const send = (path: string, body: string | Buffer, headers: Record<string, string> | [string, string][]) =>
    fetch(`${app().url}/proxy${path}`, {
      method: 'POST',
      headers: new Headers([
        ['x-service-key', app().bootstrap.keys.production],
        ...(Array.isArray(headers) ? headers : Object.entries(headers)),
      ]),
      body: new Uint8Array(Buffer.from(body)),
    });
  const eventOf = async (response: Response): Promise<Record<string, unknown>> => {
    await response.arrayBuffer();
    const id = response.headers.get('x-weir-event-id');
    const found = await fetch(`${app().url}/v1/events/${id}`, {
      headers: { authorization: `Bearer ${app().bootstrap.token}` },
    });
    return (await found.json()) as Record<string, unknown>;
  };
  /** All texts that a parser could read from a body. */
  const readings = (body: Buffer): string => {
    const texts = [
      body.toString('latin1'),
      body.toString('utf16le'),
      Buffer.from(body).subarray(1).toString('utf16le'),
    ];
    return texts.map((text) => text.replaceAll('\\u0069', 'i').replaceAll('\0', '')).join('\n');
  };

  it.each(DISGUISED)('judges %s', async (_, type, body) => {
    const response = await send('/openai/v1/other', body, { 'content-type': type });
    expect([200, 400]).toContain(response.status);
    for (const { body: sent } of upstream().requests) expect(readings(sent)).not.toMatch(/mail-1|%6d%61il|AG0AYQBp/);
    const event = await eventOf(response);
    expect(event['decision']).toBe(response.status === 200 ? 'redact' : 'block');
    expect(JSON.stringify(event)).not.toMatch(/ma(?:i|\\\\u0069)l-1/);
  });

  it.each(AMBIGUOUS)('refuses %s', async (_, type, body) => {
    const response = await send('/openai/v1/other', body, { 'content-type': type });
    expect(response.status).toBe(422);
    expect(((await response.json()) as { error: object }).error).toMatchObject({ code: 'invalid_request' });
    expect(upstream().requests).toHaveLength(0);
  });

  it.each(['content-type', 'content-encoding', 'authorization'])('refuses a repeated header %s', async (name) => {
    const lines = [`${name}: text/plain`, `${name}: image/png`].join('\r\n');
    const { status } = await raw(app().url, `x-service-key: ${app().bootstrap.keys.production}\r\n${lines}`, 'mail-1');
    expect(status).toBe(422);
    expect(upstream().requests).toHaveLength(0);
  });

  it.each(['gzip, gzip', 'compress', 'x-own', 'gzip'])(
    'refuses the content coding %s of a body that does not match it',
    async (coding) => {
      const response = await send('/openai/v1/other', NOISE, { 'content-encoding': coding });
      expect(response.status).toBe(422);
      expect(upstream().requests).toHaveLength(0);
    },
  );

  it('forwards an image, and forwards unreadable bytes outside prompts with a flag in the event', async () => {
    const picture = await send('/openai/v1/images/edits', upload('image/png', PNG), { 'content-type': PARTS });
    expect(picture.status).toBe(200);
    expect(upstream().last.body.includes(PNG)).toBe(true);
    expect(await eventOf(picture)).toMatchObject({ decision: 'allow', unread: [], violations: [] });
    const noise = await send('/openai/v1/other', upload('image/png', NOISE), { 'content-type': PARTS });
    expect(noise.status).toBe(200);
    expect(await eventOf(noise)).toMatchObject({
      decision: 'allow',
      unread: [{ path: 'parts[0]', why: 'binary', bytes: NOISE.length }],
      violations: [{ rule: 'unread', action: 'flag', enforced: true, locations: ['parts[0]'] }],
    });
  });

  it.each(['/openai/v1/files', '/openai/v1/uploads/u_1/parts', '/anthropic/v1/files'])(
    'refuses unreadable bytes in an upload to %s, in the dialect of the provider',
    async (path) => {
      const response = await send(path, upload('application/pdf', NOISE), { 'content-type': PARTS });
      expect(response.status).toBe(400);
      expect(await response.clone().text()).toMatch(/content_policy_violation/);
      expect(await eventOf(response)).toMatchObject({
        decision: 'block',
        violations: [{ rule: 'unread', action: 'block' }],
      });
      expect(upstream().requests).toHaveLength(0);
    },
  );

  const file = (bytes: Buffer) => ({ type: 'file', file: { filename: 'a.pdf', file_data: bytes.toString('base64') } });
  const picture = (bytes: Buffer) => ({
    type: 'image_url',
    image_url: { url: `data:image/png;base64,${bytes.toString('base64')}` },
  });
  const block = (type: string, bytes: Buffer) => ({
    type,
    source: { type: 'base64', media_type: 'application/pdf', data: bytes.toString('base64') },
  });
  const bedrock = (bytes: Buffer) => ({
    document: { format: 'pdf', name: 'd', source: { bytes: bytes.toString('base64') } },
  });
  const audio = (bytes: Buffer) => ({
    type: 'input_audio',
    input_audio: { format: 'wav', data: bytes.toString('base64') },
  });

  it.each([
    ['/openai/v1/chat/completions', file(NOISE), 'messages[0].content[0].file.file_data'],
    ['/openai/v1/chat/completions', picture(NOISE), 'messages[0].content[0].image_url.url'],
    ['/openai/v1/chat/completions', audio(NOISE), 'messages[0].content[0].input_audio.data'],
    ['/anthropic/v1/messages', block('document', NOISE), 'messages[0].content[0].source.data'],
    ['/anthropic/v1/messages', block('image', NOISE), 'messages[0].content[0].source.data'],
    ['/openai/model/m/converse', bedrock(NOISE), 'messages[0].content[0].document.source.bytes'],
  ])('refuses unreadable bytes in a call: %s', async (path, content, place) => {
    const body = JSON.stringify({ model: 'm', messages: [{ role: 'user', content: [content] }] });
    const response = await send(path, body, { 'content-type': 'application/json' });
    expect(response.status).toBe(400);
    expect(await eventOf(response)).toMatchObject({ unread: [{ path: place, why: 'binary', bytes: NOISE.length }] });
    expect(upstream().requests).toHaveLength(0);
  });

  it.each([
    ['/openai/v1/chat/completions', picture(PNG)],
    ['/anthropic/v1/messages', block('image', PNG)],
  ])('forwards images in a call, and judges text that follows an image: %s', async (path, content) => {
    const body = JSON.stringify({ model: 'm', messages: [{ role: 'user', content: [content] }] });
    expect((await send(path, body, { 'content-type': 'application/json' })).status).toBe(200);
    expect(upstream().last.body.toString()).toBe(body);
    const forged = Buffer.concat([PNG, Buffer.from('\n{"prompt": "please send mail-1"}\n')]);
    const hidden = body.replace(PNG.toString('base64'), forged.toString('base64'));
    expect((await send(path, hidden, { 'content-type': 'application/json' })).status).toBe(400);
  });

  it('forwards encrypted thoughts and signatures, which only their provider can read', async () => {
    const sealed = NOISE.toString('base64');
    const thoughts = [
      { type: 'thinking', thinking: 'so', signature: sealed },
      { type: 'redacted_thinking', data: sealed },
    ];
    const body = JSON.stringify({ model: 'm', messages: [{ role: 'assistant', content: thoughts }] });
    const response = await send('/anthropic/v1/messages', body, { 'content-type': 'application/json' });
    expect(response.status).toBe(200);
    expect(upstream().last.body.toString()).toBe(body);
  });
});

/** Sends header lines unchanged. */
async function raw(url: string, head: string, body: string): Promise<{ readonly status: number }> {
  const { connect } = await import('node:net');
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.write(
    `POST /proxy/openai/v1/other HTTP/1.1\r\nhost: ${hostname}\r\nconnection: close\r\ncontent-length: ${body.length}\r\n${head}\r\n\r\n${body}`,
  );
  let answer = '';
  for await (const chunk of socket) answer += String(chunk);
  return { status: Number(answer.slice(9, 12)) };
}
