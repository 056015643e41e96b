import { randomUUID } from 'node:crypto';
import zlib from 'node:zlib';
import { appWithUpstream } from '../support/app-with-upstream.js';
import { docxOf, pdfOf } from '../support/documents.js';

type Environment = 'development' | 'production';

const SHELL = { id: 'call_1', type: 'function', function: { name: 'run_shell', arguments: '{}' } };
const CHAT_WITH_SHELL = { choices: [{ index: 0, message: { role: 'assistant', content: null, tool_calls: [SHELL] } }] };
const MESSAGE_WITH_SHELL = (input: unknown): string =>
  JSON.stringify({ type: 'message', content: [{ type: 'tool_use', id: 'toolu_1', name: 'run_shell', input }] });
/** Bytes in no known format. */
const UNREAD = Buffer.alloc(2_000, '\x01\xff\x02', 'latin1');
/** An RTF file in which one letter of a word is written as its number. */
const rtfOf = (text: string): Buffer => Buffer.from(`{\\rtf1\\ansi ${text.replace('mail', '\\u109?ail')}}`);
/** A file behind a line that is a comment in an event stream. */
const afterColon = (file: Buffer): Buffer => Buffer.concat([Buffer.from(':\n'), file]);
const pageWith = (file: Buffer): Buffer =>
  Buffer.from(`<p>A file: <a href="data:application/zip;base64,${file.toString('base64')}">it</a></p>`);
const deep = (levels: number): unknown => JSON.parse('['.repeat(levels) + ']'.repeat(levels));

describe('the proxy with input that other parsers read differently', () => {
  const { app, upstream } = appWithUpstream();
  beforeEach(() => {
    upstream().requests.length = 0;
    upstream().answerJson({ ok: true });
  });

  const call = (
    path: string,
    body: string | Buffer | undefined = '{"messages":[]}',
    headers: Record<string, string> = {},
    environment: Environment = 'production',
  ): Promise<Response> =>
    fetch(`${app().url}/proxy${path}`, {
      method: body === '' ? 'GET' : 'POST',
      headers: { 'x-service-key': app().bootstrap.keys[environment], 'content-type': 'application/json', ...headers },
      ...(body === '' ? {} : { body }),
    });
  const stored = async (requestId: string): Promise<readonly { readonly type: string }[]> => {
    const response = await fetch(`${app().url}/v1/events?request_id=${requestId}`, {
      headers: { authorization: `Bearer ${app().bootstrap.token}` },
    });
    return ((await response.json()) as { data: { type: string }[] }).data;
  };
  const eventTypes = async (requestId: string): Promise<unknown[]> =>
    (await stored(requestId)).map(({ type }) => type).sort();

  it('refuses an answer that is nested too deeply to be judged, and records that', async () => {
    upstream().answerJson(MESSAGE_WITH_SHELL(deep(80)));
    const response = await call('/anthropic/v1/messages', undefined, { 'x-request-id': 'deep' });
    expect(response.status).toBe(502);
    const text = await response.text();
    expect(JSON.parse(text)).toMatchObject({ type: 'error', error: { weir: { code: 'upstream_unreachable' } } });
    expect(text).not.toContain('run_shell');
    expect(await eventTypes('deep')).toEqual(['ai.error', 'ai.request']);
  });

  it('judges compressed files in hexadecimal digits inside a text, and forwards hashes and harmless files', async () => {
    const chat = (content: string): string => JSON.stringify({ model: 'm', messages: [{ role: 'user', content }] });
    const status = async (content: string): Promise<number> =>
      (await call('/openai/v1/chat/completions', chat(content))).status;
    for (const pack of [zlib.gzipSync, zlib.deflateSync]) {
      const digits = pack('the patient has ssn-1, and the rest is words').toString('hex');
      for (const text of [digits, `0x${digits}`, `see ${digits.toUpperCase()} now`, JSON.stringify({ bytes: digits })])
        expect([text, await status(text)]).toEqual([text, 400]);
      expect(await status(pack('the patient has nothing, and the rest is words').toString('hex'))).toBe(200);
    }
    expect(await status(`the hash is 789c${'0123456789ab'.repeat(5)}`)).toBe(200);
  });

  it('refuses a stream with an event that is nested too deeply, and records that', async () => {
    upstream().answerSse([`data: ${MESSAGE_WITH_SHELL(deep(80))}\n\n`]);
    const response = await call('/anthropic/v1/messages', undefined, { 'x-request-id': 'deep-stream' });
    expect(response.status).toBe(502);
    expect(await response.text()).not.toContain('run_shell');
    expect(await eventTypes('deep-stream')).toEqual(['ai.error', 'ai.request']);
  });

  it('forwards a deeply nested answer if no rule could change it', async () => {
    const answer = MESSAGE_WITH_SHELL(deep(80));
    upstream().answerJson(answer);
    const response = await call('/anthropic/v1/messages', undefined, {}, 'development');
    expect([response.status, await response.text()]).toEqual([200, answer]);
  });

  it.each([
    ['with -Infinity', JSON.stringify({ ...CHAT_WITH_SHELL, score: 0 }).replace(':0', ':-Infinity')],
    ['with NaN', JSON.stringify({ ...CHAT_WITH_SHELL, score: 0 }).replace(':0', ':NaN')],
    ['after a byte order mark', `\ufeff${JSON.stringify(CHAT_WITH_SHELL)}`],
  ])('judges the tool calls of JSON %s', async (_, answer) => {
    upstream().answerJson(answer);
    const response = await call('/openai/v1/chat/completions');
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: { code: 'tool_use_blocked' } });
  });

  it('judges the tool calls of a stream with invalid JSON numbers', async () => {
    const name = (piece: string): string =>
      `data: {"choices":[{"index":0,"logprobs":{"content":[{"logprob":-Infinity}]},"delta":{"tool_calls":[{"index":0,"id":"c","function":{"name":"${piece}","arguments":""}}]}}]}\n\n`;
    upstream().answerSse([name('run_'), name('shell'), 'data: [DONE]\n\n']);
    expect((await call('/openai/v1/chat/completions')).status).toBe(400);
  });

  it.each([
    ['/openai/v1/responses/resp_1', '', { output: [{ type: 'function_call', name: 'run_shell', arguments: '{}' }] }],
    ['/openai/v1/chat/completions/chatcmpl-1', '', CHAT_WITH_SHELL],
    ['/anthropic/v1/chat/completions', undefined, CHAT_WITH_SHELL],
    ['/openai/v1/messages', undefined, JSON.parse(MESSAGE_WITH_SHELL({})) as unknown],
    ['/openai/v1/%63hat/completions', undefined, CHAT_WITH_SHELL],
    ['/openai/some/new/route', undefined, CHAT_WITH_SHELL],
  ])('judges the tool calls of an answer from %s', async (path, body, answer) => {
    upstream().answerJson(answer);
    const response = await call(path, body);
    expect(response.status).toBe(400);
    expect(await response.text()).toContain('tool_use_blocked');
  });

  it('judges a tool for which a model requests approval', async () => {
    upstream().answerJson({ output: [{ type: 'mcp_approval_request', name: 'run_shell', arguments: '{}' }] });
    expect((await call('/openai/v1/responses')).status).toBe(400);
  });

  it.each<[string, Buffer, Record<string, string>]>([
    ['UTF-16', Buffer.from(JSON.stringify({ x: 'mail-1' }), 'utf16le'), {}],
    ['an unknown coding', Buffer.from('{}'), { 'content-encoding': 'compress' }],
    ['two codings', zlib.gzipSync('{"x":"mail-1"}'), { 'content-encoding': 'identity, gzip' }],
    ['broken JSON', Buffer.from('{"x":"mail-1"'), { 'content-type': 'application/vnd.x+json; charset=utf-8' }],
    ['JSON over the limits, by any name', Buffer.from(JSON.stringify(deep(80))), { 'content-type': 'text/plain' }],
  ])('refuses unreadable JSON on routes that are not governed: %s', async (_, body, headers) => {
    expect((await call('/openai/v1/assistants', body, headers)).status).toBe(422);
    expect(upstream().requests).toHaveLength(0);
  });

  it.each([
    ['text/plain', 'write to mail-1, please', 'write to [MAIL_1], please'],
    ['application/x-ndjson', '{"a":"mail-1"}\n{"b": 1e400}\n', '{"a":"[MAIL_1]"}\n{"b": 1e400}\n'],
    ['application/x-www-form-urlencoded', 'to=%6dail-1&note=a+b', 'to=%5BMAIL_1%5D&note=a+b'],
  ])('judges and redacts a body of %s on routes that are not governed', async (type, body, redacted) => {
    await call('/openai/v1/other', body, { 'content-type': type });
    expect(upstream().last.body.toString('utf8')).toBe(redacted);
    const clean = body.replace(/mail-1|%6dail-1/, 'nobody');
    await call('/openai/v1/other', clean, { 'content-type': type });
    expect(upstream().last.body.toString('utf8')).toBe(clean);
    expect((await call('/openai/v1/other', 'x=ssn-1 y', { 'content-type': type })).status).toBe(400);
  });

  const parts = (prompt: string, file: string, type: string): string =>
    `--b\r\ncontent-disposition: form-data; name="prompt"\r\n\r\n${prompt}\r\n` +
    `--b\r\ncontent-disposition: form-data; name="file"; filename="x"\r\ncontent-type: ${type}\r\n\r\n${file}\r\n--b--\r\n`;

  it.each([
    ['say mail-1', '{"a":"mail-1"}\n{"b":"mail-2"}\n', 'application/octet-stream'],
    ['say mail-1', 'id,mail\r\n1,mail-1\r\n2,mail-2', 'text/csv'],
  ])('judges and redacts the texts of a multipart body: %j, %j', async (prompt, file, type) => {
    const headers = { 'content-type': 'multipart/form-data; boundary=b' };
    const masked = (text: string): string => text.replaceAll('mail-', '[MAIL_').replaceAll(/(MAIL_\d)/g, '$1]');
    await call('/openai/v1/files', parts(prompt, file, type), headers);
    expect(upstream().last.body.toString('utf8')).toBe(parts(masked(prompt), masked(file), type));
    expect((await call('/openai/v1/files', parts('say hi', '\0ssn-1', 'audio/wav'), headers)).status).toBe(400);
    expect((await call('/openai/v1/files', parts('ssn-1', file, type), headers)).status).toBe(400);
    expect((await call('/openai/v1/files', 'ssn-1', headers)).status).toBe(422);
  });

  it('reads text in UTF-16 on routes that are not governed, and refuses text in two codings', async () => {
    const wide = Buffer.from('my ssn-1', 'utf16le');
    expect((await call('/openai/v1/other', wide, { 'content-type': 'text/plain' })).status).toBe(400);
    const coded = { 'content-type': 'text/csv', 'content-encoding': 'identity, gzip' };
    expect((await call('/openai/v1/other', 'ssn-1', coded)).status).toBe(422);
  });

  it('judges text that is declared as binary, and text in a legacy encoding', async () => {
    const octets = { 'content-type': 'application/octet-stream' };
    expect((await call('/openai/v1/other', '{"a":"ssn-1"}\n{}\n', octets)).status).toBe(400);
    expect((await call('/openai/v1/other', 'ssn-1', octets)).status).toBe(400);
    await call('/openai/v1/other', Buffer.from('caf\xe9 mail-1', 'latin1'), { 'content-type': 'text/plain' });
    expect(upstream().last.body).toEqual(Buffer.from('caf\xe9 [MAIL_1]', 'latin1'));
  });

  it('reads a body after a byte order mark', async () => {
    await call('/openai/v1/chat/completions', '\ufeff{"messages":[{"role":"user","content":"x"}]}');
    expect(upstream().last.body.toString('utf8')).toBe('\ufeff{"messages":[{"role":"user","content":"x"}]}');
    await call('/openai/v1/assistants', '\ufeff{"x":"mail-1"}', { 'content-type': 'text/plain' });
    expect(upstream().last.body.toString('utf8')).toBe('\ufeff{"x":"[MAIL_1]"}');
  });

  it('forwards no logprobs of a redacted text, and none whose tokens spell a finding', async () => {
    const part = (text: string, logprobs: unknown): string =>
      JSON.stringify({ input: [{ role: 'assistant', content: [{ type: 'output_text', text, logprobs }] }] });
    const tokens = [{ token: 'mai', bytes: [109] }, { token: 'l-1' }];
    await call('/openai/v1/responses', part('mail-1', tokens), { 'content-digest': 'sha-256=:x:' });
    expect(upstream().last.body.toString('utf8')).toBe(part('[MAIL_1]', []));
    expect(upstream().last.headers['content-digest']).toBeUndefined();
    await call('/openai/v1/responses', part('fine', tokens));
    expect(upstream().last.body.toString('utf8')).toBe(part('fine', []));
    const harmless = [{ token: 'fi', bytes: [102] }, { token: 'ne' }];
    await call('/openai/v1/responses', part('fine', harmless));
    expect(upstream().last.body.toString('utf8')).toBe(part('fine', harmless));
  });

  it.each<[string, string | undefined, string | Buffer, string | Buffer]>([
    [
      'a file of JSON lines',
      'application/octet-stream',
      '{"a":"mail-1"}\n\n{"b":1e400}\n',
      '{"a":"[MAIL_1]"}\n\n{"b":1e400}\n',
    ],
    ['a text declared as binary', 'application/octet-stream', 'to mail-1', 'to [MAIL_1]'],
    ...['image/png', 'audio/mpeg', 'application/pdf', 'application/zip'].map(
      (type): [string, string, string, string] => [`a text declared as ${type}`, type, 'to mail-1', 'to [MAIL_1]'],
    ),
    ['an unknown kind of text', 'application/x-own', 'to mail-1', 'to [MAIL_1]'],
    [
      'text in an old encoding',
      'text/plain',
      Buffer.from('caf\xe9 mail-1', 'latin1'),
      Buffer.from('caf\xe9 [MAIL_1]', 'latin1'),
    ],
    [
      'a stream of lines',
      'application/x-ndjson',
      '{"message":{"content":"to ma"},"done":false}\n{"message":{"content":"il-1"},"done":false}\n{"done":true}\n',
      '{"message":{"content":"to [MAIL_1]"},"done":false}\n{"message":{"content":""},"done":false}\n{"done":true}\n',
    ],
    // As in requests, bytes with only a few control characters are a text. Until now, short answers with one were not read.
    ['a text with a control character', 'application/octet-stream', 'mail-1\0', '[MAIL_1]\0'],
    [
      'a table in UTF-16',
      'application/octet-stream',
      Buffer.from('\ufeffid\tmail\r\n1\tmail-1\r\n', 'utf16le'),
      Buffer.from('\ufeffid\tmail\r\n1\t[MAIL_1]\r\n', 'utf16le'),
    ],
    ['JSON in UTF-16', undefined, Buffer.from('{"a":"mail-1"}', 'utf16le'), Buffer.from('{"a":"[MAIL_1]"}', 'utf16le')],
    ['bytes that are not text', 'application/octet-stream', Buffer.from(UNREAD), Buffer.from(UNREAD)],
  ])('reads %s in answers of routes that are not governed', async (_, type, sent, expected) => {
    const headers = type === undefined ? {} : { 'content-type': type };
    upstream().answer((response) => void response.writeHead(200, headers).end(sent));
    const response = await call('/openai/v1/files/f/content', undefined);
    expect(Buffer.from(await response.arrayBuffer())).toEqual(Buffer.from(expected));
  });

  it.each<[string, string, (text: string) => Buffer]>([
    ['a PDF file', 'application/octet-stream', (text) => pdfOf({ pages: [['x'], [text]], packed: true })],
    ['a PDF file', 'application/pdf', (text) => pdfOf({ pages: [[text]], packed: true })],
    ['a DOCX file', 'application/octet-stream', (text) => docxOf({ paragraphs: [[text]] })],
    ['a file in gzip', 'application/gzip', (text) => zlib.gzipSync(text.repeat(50))],
    ['an RTF file', 'application/octet-stream', (text) => rtfOf(text)],
    ['an RTF file with a line of JSON', 'application/octet-stream', (text) => rtfOf(`\n[1]\n${text}`)],
    ['a PDF file like a stream', 'application/pdf', (text) => afterColon(pdfOf({ pages: [[text]], packed: true }))],
    ['a PDF file like a stream', 'text/plain', (text) => afterColon(pdfOf({ pages: [[text]], packed: true }))],
    ['a page with a DOCX file in it', 'text/html', (text) => pageWith(docxOf({ paragraphs: [[text]] }))],
  ])('reads %s in an answer of the type %s, and refuses it if a rule masks something in it', async (_, type, file) => {
    const download = async (bytes: Buffer, id: string): Promise<Response> => {
      upstream().answer((response) => {
        response.writeHead(200, { 'content-type': type });
        // The format is not recognised by so few bytes.
        response.write(bytes.subarray(0, 3), () => void response.end(bytes.subarray(3)));
      });
      return call('/openai/v1/files/f/content', '', { 'x-request-id': id });
    };
    const id = `file-${randomUUID()}`;
    const found = await download(file('please write to mail-1 at once '), id);
    expect([found.status, (await found.text()).includes('mail-1')]).toEqual([400, false]);
    expect(JSON.stringify(await stored(id))).not.toContain('mail-1');
    const harmless = file('please write to nobody at once ');
    const passed = await download(harmless, `${id}-2`);
    expect([passed.status, Buffer.from(await passed.arrayBuffer()).equals(harmless)]).toEqual([200, true]);
  });

  it('judges the tool calls of a stream of lines', async () => {
    const call1 = { function: { name: 'run_shell', arguments: {} } };
    const lines = [{ message: { content: '', tool_calls: [call1] }, done: false }, { done: true }];
    upstream().answer((response) => {
      response.writeHead(200, { 'content-type': 'application/x-ndjson' });
      response.end(lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
    });
    expect((await call('/openai/api/chat')).status).toBe(400);
  });

  it.each([
    ['JSON in UTF-16', 'application/json', Buffer.from('{"x":"mail-1"}', 'utf16le')],
    ['text in UTF-16', 'text/plain; charset=utf-16le', Buffer.from('mail-1', 'utf16le')],
  ])('refuses an answer of %s, which some clients read', async (_, type, sent) => {
    upstream().answer((response) => void response.writeHead(200, { 'content-type': type }).end(sent));
    expect((await call('/openai/v1/chat/completions')).status).toBe(502);
  });

  it('forwards a held stream decompressed if the provider compressed it', async () => {
    const frame = 'data: {"choices":[{"index":0,"delta":{"content":"fine"}}]}\n\n';
    upstream().answer(
      (response) =>
        void response
          .writeHead(200, { 'content-type': 'text/event-stream', 'content-encoding': 'gzip' })
          .end(zlib.gzipSync(frame)),
    );
    const response = await call('/openai/v1/chat/completions');
    expect(response.headers.get('content-encoding')).toBeNull();
    expect(await response.text()).toBe(frame);
  });

  it('records files whose download breaks off, and files whose client disconnects', async () => {
    let breakOff = (): void => undefined;
    upstream().answer((response) => {
      response.writeHead(200, { 'content-type': 'audio/mpeg', 'content-length': '4000' });
      response.write(UNREAD);
      breakOff = () => void response.destroy();
    });
    const broken = await call('/openai/v1/audio/speech', '{"input":"x"}', { 'x-request-id': 'broken-file' });
    breakOff();
    await expect(broken.arrayBuffer()).rejects.toThrow();
    expect(await eventTypes('broken-file')).toEqual(['ai.error', 'ai.request']);

    upstream().aborted = 0;
    upstream().answer((response) => {
      response.writeHead(200, { 'content-type': 'audio/mpeg' });
      response.write(UNREAD);
    });
    const left = await call('/openai/v1/audio/speech', '{"input":"x"}', { 'x-request-id': 'left-file' });
    await left.body!.cancel();
    await upstream().untilAborted();
    for (;;) {
      const types = await eventTypes('left-file');
      if (types.length === 2) {
        expect(types).toEqual(['ai.request', 'ai.response']);
        break;
      }
    }
  });

  it('masks the text of a compressed error in the event', async () => {
    const error = zlib.gzipSync(JSON.stringify({ error: { type: 'overloaded_error', message: 'mail-1' } }));
    upstream().answer(
      (response) =>
        void response.writeHead(503, { 'content-type': 'application/json', 'content-encoding': 'gzip' }).end(error),
    );
    expect((await call('/openai/v1/chat/completions', undefined, { 'x-request-id': 'packed' })).status).toBe(503);
    const response = await fetch(`${app().url}/v1/events?request_id=packed&type=ai.error`, {
      headers: { authorization: `Bearer ${app().bootstrap.token}` },
    });
    expect(await response.json()).toMatchObject({
      data: [{ reason: 'overloaded_error', payload: { error: { message: '[MAIL]' } } }],
    });
  });
});
