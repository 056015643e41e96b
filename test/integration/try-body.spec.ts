/** `weir try --body` gives the same verdict on a body as the proxy. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { request } from 'undici';
import { docxOf, pdfOf, zipOf } from '../support/documents.js';
import { RawUpstream } from '../support/raw-upstream.js';
import { runWeir } from '../support/run-weir.js';
import { startTestApp, TEST_PLUGINS, TEST_POLICIES, testPolicy, type TestApp } from '../support/test-app.js';

const JSON_TYPE = 'application/json';
const CHAT = '/v1/chat/completions';
const PARTS = 'multipart/form-data; boundary=b';

interface Sent {
  readonly body: string | Buffer;
  readonly type?: string;
  readonly coding?: string;
  readonly route?: string;
  readonly outcome: 'allow' | 'redact' | 'block' | 'refused';
}

const chat = (content: unknown): string => JSON.stringify({ model: 'm', messages: [{ role: 'user', content }] });
const file = (bytes: Buffer): string =>
  chat([{ type: 'file', file: { filename: 'f', file_data: bytes.toString('base64') } }]);
const upload = (content: string | Buffer): Buffer =>
  Buffer.concat([
    Buffer.from('--b\r\ncontent-disposition: form-data; name="file"; filename="f"\r\n\r\n'),
    Buffer.from(content),
    Buffer.from('\r\n--b--\r\n'),
  ]);

const BODIES: Readonly<Record<string, Sent>> = {
  'a harmless call': { body: chat('hello'), outcome: 'allow' },
  'a text to be masked': { body: chat('to mail-1'), outcome: 'redact' },
  'a text to be blocked': { body: chat('ssn-1'), outcome: 'block' },
  'a text in gzip': { body: gzipSync(chat('ssn-1')), coding: 'gzip', outcome: 'block' },
  'a page of a PDF to be masked': { body: file(pdfOf({ pages: [['to mail-1']], packed: true })), outcome: 'block' },
  'a harmless PDF': { body: file(pdfOf({ pages: [['hello']] })), outcome: 'allow' },
  'a Word file': { body: file(docxOf({ paragraphs: [['ssn-1']] })), outcome: 'block' },
  'a file in an archive': { body: file(zipOf({ 'a.txt': 'ssn-1' })), outcome: 'block' },
  'a text file to be masked': { body: file(Buffer.from('to mail-1')), outcome: 'redact' },
  'bytes of an unknown format': { body: file(Buffer.from(Array.from({ length: 512 }, (_, at) => (at * 167 + (at >> 3)) % 256))), outcome: 'block' },
  'an upload': { body: upload('{"prompt":"to mail-1"}'), type: PARTS, route: '/v1/files', outcome: 'redact' },
  'an upload of a PDF': { body: upload(pdfOf({ pages: [['to mail-1']], packed: true })), type: PARTS, route: '/v1/files', outcome: 'block' },
  'a query': { body: chat('hello'), route: `${CHAT}?q=ssn-1`, outcome: 'block' },
  'a body that is not JSON': { body: '{', outcome: 'refused' },
  'a coding that is none': { body: chat('hello'), coding: 'gzip', outcome: 'refused' },
  'a type with two readings': { body: upload('x'), type: `${PARTS}; boundary=c`, route: '/v1/files', outcome: 'refused' },
}; // prettier-ignore

describe('weir try --body', () => {
  const folder = mkdtempSync(join(tmpdir(), 'weir-try-'));
  let upstream: RawUpstream;
  let app: TestApp;
  beforeAll(async () => {
    upstream = await RawUpstream.start();
    upstream.answerJson({ ok: true });
    app = await startTestApp({
      env: { WEIR_OPENAI_BASE_URL: upstream.url },
      policies: {
        ...TEST_POLICIES,
        'production/policy.yaml': testPolicy(
          'production',
          'content: redacted\nunread: { governed: refuse, other: flag }',
        ),
      },
    });
  }, 60_000);
  afterAll(async () => {
    await app.close();
    await upstream.close();
    rmSync(folder, { recursive: true, force: true });
  });

  async function proxied({ body, type = JSON_TYPE, coding, route = CHAT }: Sent): Promise<string> {
    const answer = await request(`${app.url}/proxy/openai${route}`, {
      method: 'POST',
      headers: {
        'x-service-key': app.bootstrap.keys.production,
        'content-type': type,
        ...(coding === undefined ? {} : { 'content-encoding': coding }),
      },
      body,
    });
    await answer.body.dump();
    if (answer.statusCode === 422) return 'refused';
    return answer.statusCode === 200 ? String(answer.headers['x-weir-decision']) : `block`;
  }

  async function tried({ body, type = JSON_TYPE, coding, route }: Sent, ...more: string[]) {
    const path = join(folder, 'body');
    writeFileSync(path, body);
    const argv = ['try', '--body', path, '--content-type', type, '--policies', app.policiesDir, '--json', ...more];
    if (coding !== undefined) argv.push('--content-encoding', coding);
    if (route !== undefined) argv.push('--route', route);
    return runWeir(argv, { catalog: TEST_PLUGINS });
  }

  it.each(Object.entries(BODIES))(
    'gives the same verdict as the proxy on %s',
    async (_name, sent) => {
      const { exit, stdout, stderr } = await tried(sent);
      const verdict = exit === 1 ? 'refused' : (JSON.parse(stdout) as { action: string }).action;
      expect([verdict, await proxied(sent), stderr]).toEqual([sent.outcome, sent.outcome, expect.any(String)]);
    },
    60_000,
  );

  it('names the field for which the proxy refuses a body', async () => {
    const { exit, stderr } = await tried(BODIES['a coding that is none']!);
    expect([exit, stderr]).toEqual([1, expect.stringContaining('invalid_request, content-encoding must be')]);
  });

  it('refuses its options without a body, and a body together with another text', async () => {
    const at = (...argv: string[]) =>
      runWeir(['try', ...argv, '--policies', app.policiesDir], { catalog: TEST_PLUGINS });
    expect((await at('x', '--route', '/v1/x')).exit).toBe(2);
    expect((await at('x', '--body', join(folder, 'body'))).exit).toBe(2);
    expect((await at('--body', join(folder, 'none'))).exit).toBe(2);
  });
});
