import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Collector } from '../support/collector.js';
import { portOf } from '../support/ports.js';
import { readBootstrap, ServerProcess, type Bootstrap } from '../support/server-process.js';

/**
 * Every place that can hold a credential or a matched text holds a unique secret. Afterwards nothing that an operator or
 * another client can see (logs, errors, metrics, telemetry, stored events, database files) may contain one of these
 * secrets, in any encoding.
 */
const MATCHED = {
  email: ['canary.mailbox', 'quarantine-corp.example'].join('@'),
  card: ['4012', '8888', '8888', '1881'].join(' '),
  ssn: ['219', '09', '9781'].join('-'),
  awsKey: ['AKIA', 'Z7QF3M', 'XK2LTW', 'P4VB'].join(''),
} as const;
const CREDENTIALS = {
  provider: ['sk-proj', 'CanaryProviderCredential', '9f8e7d6c5b4a'].join('-'),
  anthropic: ['sk-ant-api03', 'CanaryAnthropicCredential', '1a2b3c4d5e6f'].join('-'),
  cookie: 'canary_session_cookie_71c0ffee71c0ffee',
  unknownKey: ['sk_live_wr1_', 'CanaryKey0001', 'CanarySecretThatNobodyEverIssued'].join(''),
} as const;

function spellings(secret: string): string[] {
  return [secret, Buffer.from(secret).toString('base64').replace(/=+$/, ''), encodeURIComponent(secret)];
}

function leaksIn(where: string, text: string, secrets: Readonly<Record<string, string>>): string[] {
  return Object.entries(secrets)
    .filter(([, secret]) => spellings(secret).some((spelling) => text.includes(spelling)))
    .map(([name]) => `${name} in ${where}`);
}

/** A provider whose answers contain matched texts: as JSON, as a stream, and as an error that quotes the request. */
function leakyProvider(): Server {
  const said = `Reach ${MATCHED.email} with ${MATCHED.awsKey}.`;
  return createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      if (body.includes('please fail')) {
        response.writeHead(400, { 'content-type': 'application/json' });
        response.end(JSON.stringify({ error: { message: `cannot parse: ${body}`, type: 'invalid_request_error' } }));
      } else if (body.includes('"stream":true')) {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        const chunk = { id: 'c', object: 'chat.completion.chunk', choices: [{ index: 0, delta: { content: said } }] };
        response.end(`data: ${JSON.stringify(chunk)}\n\ndata: [DONE]\n\n`);
      } else {
        response.writeHead(200, { 'content-type': 'application/json' });
        response.end(
          JSON.stringify({
            id: 'c',
            object: 'chat.completion',
            choices: [{ index: 0, message: { role: 'assistant', content: said }, finish_reason: 'stop' }],
          }),
        );
      }
    });
  });
}

describe('Secrets in requests to the service', () => {
  let dataDir: string;
  let provider: Server;
  let collector: Collector;
  let server: ServerProcess;
  let bootstrap: Bootstrap;
  /** Error bodies of Weir itself, and the headers of all responses. */
  const answers: string[] = [];

  beforeAll(async () => {
    dataDir = mkdtempSync(join(tmpdir(), 'weir-canary-'));
    provider = leakyProvider();
    await new Promise<void>((resolve) => provider.listen(0, '127.0.0.1', resolve));
    const port = portOf(provider);
    collector = await Collector.start();
    server = await ServerProcess.start({
      WEIR_DATA_DIR: dataDir,
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      // All traces are exported, not a sample.
      OTEL_TRACES_SAMPLER_ARG: '1',
      WEIR_OPENAI_BASE_URL: `http://127.0.0.1:${port}`,
      WEIR_ANTHROPIC_BASE_URL: `http://127.0.0.1:${port}`,
      WEIR_LOG_LEVEL: 'trace',
      DEBUG: 'json-rules-engine,*',
    });
    bootstrap = readBootstrap(dataDir);
    for (const key of [bootstrap.keys.production, bootstrap.keys.development, CREDENTIALS.unknownKey])
      await sendAll(key);
  }, 120_000);

  afterAll(async () => {
    await server.stop();
    await collector.stop();
    await new Promise((resolve) => provider.close(resolve));
    rmSync(dataDir, { recursive: true, force: true });
  });

  async function send(path: string, headers: Record<string, string>, body: string): Promise<void> {
    const response = await fetch(`${server.url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', cookie: `session=${CREDENTIALS.cookie}`, ...headers },
      body,
    });
    const text = await response.text();
    const ownHeaders = [...response.headers].map(([name, value]) => `${name}: ${value}`).join('\n');
    // A provider's own error is forwarded unchanged, and a redacted payload keeps what no rule redacts: only the caller sees both.
    const own = response.headers.get('x-weir-decision') === null || response.status !== 400 || text.includes('"weir"');
    if (response.status >= 400 && own && !body.includes('please fail')) answers.push(text);
    answers.push(ownHeaders);
  }

  async function sendAll(key: string): Promise<void> {
    const rest = { authorization: `Bearer ${key}` };
    const texts = [...Object.values(MATCHED), `please fail ${MATCHED.email}`];
    for (const [index, text] of texts.entries()) {
      const messages = [{ role: 'user', content: `take ${text} and go` }];
      const event = { type: 'ai.request', request_id: `r${index}`, metadata: { note: text }, payload: { messages } };
      await send('/v1/events', rest, JSON.stringify(event));
      await send('/v1/events', rest, `{"type":"ai.request","payload":{"messages":"${text}"`);
      await send('/v1/events', rest, JSON.stringify({ type: text, payload: { messages: text } }));
      await send(
        '/v1/events',
        rest,
        JSON.stringify({ type: 'ai.response', request_id: `r${index}`, payload: { output: `it is ${text}` } }),
      );
      await send(
        '/v1/events',
        rest,
        JSON.stringify({ type: 'ai.error', request_id: `r${index}`, payload: { error: { type: 'x', message: text } } }),
      );
      await send(
        '/v1/events',
        rest,
        JSON.stringify({ type: 'agent.tool_call', payload: { tool: 'run_shell', arguments: { [text]: text } } }),
      );
      for (const stream of [false, true]) {
        const chat = JSON.stringify({ model: 'gpt-4o', stream, messages });
        const metadata = JSON.stringify({ note: text });
        await send(
          '/proxy/openai/v1/chat/completions',
          { 'x-service-key': key, 'x-service-metadata': metadata, authorization: `Bearer ${CREDENTIALS.provider}` },
          chat,
        );
        await send(
          '/proxy/anthropic/v1/messages',
          { 'x-service-key': key, 'x-api-key': CREDENTIALS.anthropic },
          JSON.stringify({ model: 'claude-sonnet-4-5', max_tokens: 10, stream, messages }),
        );
      }
      await send(
        `/proxy/openai/v1/files?note=${encodeURIComponent(text)}`,
        { 'x-service-key': key },
        `{"a":"${text}"}`,
      );
      await send('/proxy/openai/v1/chat/completions', { 'x-service-key': key, 'x-service-metadata': text }, '{}');
    }
  }

  const secrets = () => ({
    ...MATCHED,
    ...CREDENTIALS,
    productionKey: bootstrap.keys.production,
    developmentKey: bootstrap.keys.development,
    token: bootstrap.token,
  });

  it('were matched by rules, so that this test can fail', async () => {
    const metrics = await (await fetch(`${server.url}/metrics`)).text();
    expect(metrics).toMatch(/weir_[a-z_]*rule[a-z_]*\{[^}]*pii\.block-government-id/);
  });

  it('do not appear in logs, even at the most verbose level', () => {
    expect(server.output.length).toBeGreaterThan(0);
    expect(leaksIn('log', server.output, secrets())).toEqual([]);
  });

  it('do not appear in errors or response headers', () => {
    expect(answers.length).toBeGreaterThan(50);
    expect(leaksIn('answers', answers.join('\n'), secrets())).toEqual([]);
  });

  it('do not appear in metrics', async () => {
    expect(leaksIn('metrics', await (await fetch(`${server.url}/metrics`)).text(), secrets())).toEqual([]);
  });

  it('do not appear in stored events', async () => {
    let cursor: string | null = null;
    let events = 0;
    do {
      const query = new URLSearchParams({ limit: '200', ...(cursor === null ? {} : { cursor }) });
      const response = await fetch(`${server.url}/v1/events?${query}`, {
        headers: { authorization: `Bearer ${bootstrap.token}` },
      });
      const page = (await response.json()) as { data: unknown[]; next_cursor: string | null };
      events += page.data.length;
      expect(leaksIn('events', JSON.stringify(page.data), secrets())).toEqual([]);
      cursor = page.next_cursor;
    } while (cursor !== null);
    expect(events).toBeGreaterThan(50);
  });

  it('do not appear in any file of the data directory except the bootstrap file', async () => {
    await server.stop();
    const files = readdirSync(dataDir, { recursive: true, withFileTypes: true }).filter(
      (entry) => entry.isFile() && entry.name !== 'bootstrap.json',
    );
    const leaks = files.flatMap((file) =>
      leaksIn(file.name, readFileSync(join(file.parentPath, file.name), 'latin1'), secrets()),
    );
    expect(files.length).toBeGreaterThan(10);
    expect(leaks).toEqual([]);
  });

  it('do not appear in spans, metrics or log records that a collector receives', () => {
    // The server has stopped, and has flushed its telemetry.
    const kinds = new Set(collector.bodies.map(({ path }) => path));
    expect([...kinds].sort()).toEqual(['/v1/logs', '/v1/metrics', '/v1/traces']);
    expect(collector.lines().length).toBeGreaterThan(50);
    expect(leaksIn('telemetry', collector.contents, secrets())).toEqual([]);
  });
});
