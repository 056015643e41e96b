import fc from 'fast-check';
import { Client } from 'undici';
import { RawUpstream } from '../support/raw-upstream.js';
import { startTestApp, type TestApp } from '../support/test-app.js';

const PATHS = [
  '/openai/v1/chat/completions',
  '/openai/v1/responses',
  '/openai/v1/embeddings',
  '/anthropic/v1/messages',
  '/openai/v1/other',
];
const VALID = JSON.stringify({
  model: 'm',
  stream: false,
  messages: [
    { role: 'user', content: [{ type: 'text', text: 'mail-1 \u00e9 \ud83d\ude00' }] },
    {
      role: 'assistant',
      tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: '{"a":["token-1"]}' } }],
    },
  ],
  tools: [{ type: 'function', function: { name: 'f', parameters: {} } }],
});

/** A valid body in which a few bytes were inserted, deleted or replaced. */
const mutated = fc
  .array(
    fc.tuple(
      fc.nat(),
      fc.constantFrom('', '"', '\\', '{', '}', '[', ']', ',', '\\u', '\\ud800', '\u0000', '\u00ff', '1e999', 'null'),
    ),
    { minLength: 1, maxLength: 4 },
  )
  .map((mutations) =>
    mutations.reduce((body, [at, insert]) => {
      const index = at % (body.length + 1);
      return Buffer.concat([body.subarray(0, index), Buffer.from(insert, 'latin1'), body.subarray(index + (at % 3))]);
    }, Buffer.from(VALID)),
  );

describe('the proxy under hostile input', () => {
  let upstream: RawUpstream;
  let app: TestApp;
  let client: Client;
  beforeAll(async () => {
    upstream = await RawUpstream.start();
    app = await startTestApp({
      env: { WEIR_OPENAI_BASE_URL: upstream.url, WEIR_ANTHROPIC_BASE_URL: upstream.url, WEIR_RATE_PROXY: 'off' },
    });
    client = new Client(app.url);
  }, 60_000);
  afterAll(async () => {
    await client.close();
    await app.close();
    await upstream.close();
  });

  const send = async (
    path: string,
    body: Buffer,
    headers: Record<string, string> = {},
  ): Promise<{ status: number; length: unknown; body: Buffer }> => {
    const response = await client.request({
      method: 'POST',
      path: `/proxy${path}`,
      headers: { 'x-service-key': app.bootstrap.keys.production, 'content-type': 'application/json', ...headers },
      body,
    });
    const { 'content-length': length } = response.headers;
    return { status: response.statusCode, length, body: Buffer.from(await response.body.arrayBuffer()) };
  };

  it('refuses a body in which a setting is given twice, because providers differ in which one they read', async () => {
    upstream.requests.length = 0;
    for (const path of PATHS)
      expect((await send(path, Buffer.from('{"model":"m","messages":[],"Model":"n"}'))).status).toBe(422);
    expect(upstream.requests).toHaveLength(0);
  });

  it('sends long answers whole and with their length, whether or not something in them is masked', async () => {
    for (const word of ['other', 'mail-1']) {
      const long = JSON.stringify({ choices: [{ message: { content: `${word} ${'word '.repeat(250_000)}` } }] });
      upstream.answer((response) => void response.writeHead(200, { 'content-type': 'application/json' }).end(long));
      const { status, length, body } = await send('/openai/v1/chat/completions', Buffer.from('{"messages":[]}'));
      expect([status, length]).toEqual([200, String(body.length)]);
      if (word === 'other') expect(body.equals(Buffer.from(long))).toBe(true);
      else expect(body.toString()).not.toContain(word);
      const { choices } = JSON.parse(body.toString()) as { choices: { message: { content: string } }[] };
      expect(choices[0]?.message.content.endsWith('word '.repeat(250_000))).toBe(true);
    }
  }, 30_000);

  it('answers mutated requests with 200 or 422, and forwards the exact bytes of admitted requests', async () => {
    upstream.answerJson({ ok: true });
    await fc.assert(
      fc.asyncProperty(mutated, fc.constantFrom(...PATHS), async (body, path) => {
        upstream.requests.length = 0;
        const { status } = await send(path, body);
        expect([200, 422]).toContain(status);
        expect(upstream.requests).toHaveLength(status === 200 ? 1 : 0);
        if (status === 200 && !/mail-1|mail-2/.test(body.toString('latin1')))
          expect(upstream.last.body.equals(body)).toBe(true);
      }),
      { numRuns: 300 },
    );
  }, 60_000);

  it('forwards mutated answers unchanged if nothing is redacted, and never forwards a redacted word', async () => {
    await fc.assert(
      fc.asyncProperty(
        mutated,
        fc.constantFrom('application/json', 'text/event-stream', 'text/plain'),
        fc.boolean(),
        async (body, type, frames) => {
          const answer = frames ? Buffer.concat([Buffer.from('data: '), body, Buffer.from('\n\n')]) : body;
          upstream.answer((response) => void response.writeHead(200, { 'content-type': type }).end(answer));
          const result = await send('/openai/v1/chat/completions', Buffer.from('{"messages":[]}'));
          expect(result.status).toBe(200);
          const came = result.body.toString('utf8');
          expect(came).not.toMatch(/\bmail-1\b(?!\d)/);
          // No word boundary here: the word may follow an escape, which decodes to another character.
          if (!/mail-\d/.test(answer.toString('utf8'))) expect(result.body.equals(answer)).toBe(true);
        },
      ),
      { numRuns: 300 },
    );
  }, 60_000);
});
