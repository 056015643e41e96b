import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { RawUpstream, type Respond } from '../support/raw-upstream.js';
import { readBootstrap, ServerProcess, type Bootstrap } from '../support/server-process.js';

const MAIL = 'rosa.lind@example.com';
const SSN = ['536', '22', '8716'].join('-');
const POLICY = (environment: string): string => `
apiVersion: weir/v1
kind: Policy
metadata: { id: ${environment}, owner: tests@example.com }
environment: ${environment}
default: allow
client_monitor_mode: ignore
content: redacted
on_blocked_history: drop
detectors: { pii: { plugin: pii@^1 } }
rules:
  - id: pii.tokens
    stage: pre
    when: { pii.types: { any_of: [EMAIL] } }
    then: { action: redact, redact: { entities: [EMAIL], tokens: stable, restore: true } }
    on_unknown: match
  - id: pii.block-ssn
    stage: pre
    when: { pii.types: { any_of: [US_SSN] } }
    then: { action: block }
    on_unknown: match
  - id: pii.answer
    stage: post
    when: { pii.types: { any_of: [EMAIL] } }
    then: { action: redact, redact: { entities: [EMAIL], with: '[masked]' } }
    on_unknown: match
`;

const frame = (data: object): string => `data: ${JSON.stringify(data)}\n\n`;
const named = (data: { type: string }): string => `event: ${data.type}\n${frame(data)}`;
const pieces = (text: string): string[] => text.match(/[\s\S]{1,4}/g) ?? [];

/** Repeats the last message, as an answer and as the argument of a tool call, and adds another address. */
const echo: Respond = (response, { url, body }) => {
  const request = JSON.parse(body.toString('utf8')) as { messages: { content: string }[]; stream?: boolean };
  const text = `${request.messages.at(-1)!.content}, or other@example.org`;
  const args = JSON.stringify({ text: request.messages.at(-1)!.content, raw: JSON.stringify({ to: text }) });
  response.writeHead(200, { 'content-type': request.stream === true ? 'text/event-stream' : 'application/json' });
  const call = (value: string) => ({
    index: 0,
    id: 'call_1',
    type: 'function',
    function: { name: 'send', arguments: value },
  });
  if (url.includes('chat/completions')) {
    const chunk = (delta: object, finish_reason: string | null = null) =>
      frame({
        id: 'c',
        object: 'chat.completion.chunk',
        created: 1,
        model: 'm',
        choices: [{ index: 0, delta, finish_reason }],
      });
    if (request.stream !== true) {
      const message = { role: 'assistant', content: text, tool_calls: [call(args)] };
      return void response.end(
        JSON.stringify({
          id: 'c',
          object: 'chat.completion',
          created: 1,
          model: 'm',
          choices: [{ index: 0, message, finish_reason: 'tool_calls' }],
        }),
      );
    }
    response.write(chunk({ role: 'assistant', content: '' }));
    for (const content of pieces(text)) response.write(chunk({ content }));
    response.write(chunk({ tool_calls: [call('')] }));
    for (const piece of pieces(args))
      response.write(chunk({ tool_calls: [{ index: 0, function: { arguments: piece } }] }));
    return void response.end(`${chunk({}, 'tool_calls')}data: [DONE]\n\n`);
  }
  const message = {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'm',
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: { input_tokens: 1, output_tokens: 1 },
  };
  response.write(named({ type: 'message_start', message } as { type: string }));
  const block = (index: number, content_block: object, deltas: object[]): void => {
    response.write(named({ type: 'content_block_start', index, content_block } as { type: string }));
    for (const delta of deltas)
      response.write(named({ type: 'content_block_delta', index, delta } as { type: string }));
    response.write(named({ type: 'content_block_stop', index } as { type: string }));
  };
  block(
    0,
    { type: 'text', text: '' },
    pieces(text).map((piece) => ({ type: 'text_delta', text: piece })),
  );
  block(
    1,
    { type: 'tool_use', id: 'toolu_1', name: 'send', input: {} },
    pieces(args).map((partial_json) => ({ type: 'input_json_delta', partial_json })),
  );
  response.write(
    named({
      type: 'message_delta',
      delta: { stop_reason: 'tool_use', stop_sequence: null },
      usage: { output_tokens: 1 },
    } as { type: string }),
  );
  response.end(named({ type: 'message_stop' }));
};

describe('conversations of the official clients with the built server', () => {
  let upstream: RawUpstream;
  let server: ServerProcess;
  let folder: string;
  let bootstrap: Bootstrap;
  beforeAll(async () => {
    upstream = await RawUpstream.start();
    folder = await mkdtemp(join(tmpdir(), 'weir-conversation-'));
    for (const environment of ['development', 'staging', 'production']) {
      await mkdir(join(folder, 'policies', environment), { recursive: true });
      await writeFile(join(folder, 'policies', environment, 'policy.yaml'), POLICY(environment));
    }
    server = await ServerProcess.start({
      WEIR_DATA_DIR: join(folder, 'data'),
      WEIR_POLICIES_DIR: join(folder, 'policies'),
      WEIR_OPENAI_BASE_URL: upstream.url,
      WEIR_ANTHROPIC_BASE_URL: upstream.url,
      WEIR_TOKEN_SECRET: 'a secret of the test, long enough for it',
    });
    bootstrap = readBootstrap(join(folder, 'data'));
  }, 120_000);
  afterAll(async () => {
    await server.stop();
    await upstream.close();
    await rm(folder, { recursive: true, force: true });
  });
  beforeEach(() => {
    upstream.requests.length = 0;
    upstream.answer(echo);
  });

  const headers = () => ({ 'X-Service-Key': bootstrap.keys.production });
  const openai = () =>
    new OpenAI({ apiKey: 'k', baseURL: `${server.url}/proxy/openai/v1`, defaultHeaders: headers(), maxRetries: 0 });
  const anthropic = () =>
    new Anthropic({ apiKey: 'k', baseURL: `${server.url}/proxy/anthropic`, defaultHeaders: headers(), maxRetries: 0 });
  const ask = (content: string) => ({ model: 'm', messages: [{ role: 'user' as const, content }] });
  const sent = (): string => upstream.last.body.toString('utf8');

  /** The address in the question is restored in the answer; the address that the provider adds is masked by the rule for answers. */
  const question = `write to ${MAIL}`;
  const wanted = `${question}, or [masked]`;
  const checkArguments = (value: unknown): void => {
    const { text, raw } = value as { text: string; raw: string };
    expect(text).toBe(question);
    expect(JSON.parse(raw)).toEqual({ to: wanted });
  };

  it('get tokens restored for openai, in whole and streamed answers and in tool arguments', async () => {
    const plain = await openai().chat.completions.create(ask(question));
    const bytes = sent();
    expect(bytes).not.toContain(MAIL);
    expect(bytes).toMatch(/\[EMAIL_[a-z]{14}\]/);
    const streamed = await openai().chat.completions.stream(ask(question)).finalMessage();
    expect(sent().replace(',"stream":true', '')).toBe(bytes);
    for (const message of [plain.choices[0]!.message, streamed]) {
      expect(message.content).toBe(wanted);
      const [call] = message.tool_calls ?? [];
      checkArguments(JSON.parse(call?.type === 'function' ? call.function.arguments : ''));
    }
  });

  it('get tokens restored for anthropic, in texts and in tool inputs', async () => {
    const { content } = await anthropic()
      .messages.stream({ ...ask(question), max_tokens: 64 })
      .finalMessage();
    expect(sent()).not.toContain(MAIL);
    expect(content[0]).toMatchObject({ type: 'text', text: wanted });
    checkArguments(content[1]?.type === 'tool_use' ? content[1].input : undefined);
  });

  it('are told which message is refused, and continue without that message', async () => {
    const first = openai().chat.completions.create(ask(`my number is ${SSN}`));
    await expect(first).rejects.toMatchObject({
      status: 400,
      param: 'messages[0].content',
      message: expect.stringContaining('messages[0].content') as string,
    });
    expect(upstream.requests).toHaveLength(0);
    const messages = [
      { role: 'user' as const, content: 'hello' },
      { role: 'assistant' as const, content: 'hi' },
      { role: 'user' as const, content: `my number is ${SSN}` },
      { role: 'user' as const, content: 'never mind' },
    ];
    const { response } = await openai().chat.completions.create({ model: 'm', messages }).withResponse();
    expect(response.headers.get('x-weir-redactions')).toContain('blocked_history=1');
    expect(JSON.parse(sent())).toEqual({ model: 'm', messages: [messages[0], messages[1], messages[3]] });
    await anthropic().messages.create({ model: 'm', max_tokens: 9, messages, stream: true });
    expect(sent()).not.toContain(SSN);
    expect(server.output).not.toContain(SSN);
    expect(server.output).not.toContain(MAIL);
  });
});
