import Anthropic from '@anthropic-ai/sdk';
import { createOpenAI } from '@ai-sdk/openai';
import { jsonSchema, streamText, tool } from 'ai';
import OpenAI, { APIError } from 'openai';
import { RawUpstream } from '../support/raw-upstream.js';
import { startTestApp, TEST_POLICIES, testPolicy, type TestApp } from '../support/test-app.js';

const named = (type: string, more: object): string => `event: ${type}\ndata: ${JSON.stringify({ type, ...more })}\n\n`;
const chunk = (delta: object, finish_reason: string | null = null): string =>
  `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [{ index: 0, delta, finish_reason }] })}\n\n`;
const call = (more: object): string => chunk({ tool_calls: [{ index: 0, ...more }] });

/** The parts of a provider's stream: before the arguments, for each piece of them, and after them. */
interface Style {
  readonly begin: string;
  piece(text: string): string;
  readonly end: string;
}
const CHAT: Style = {
  begin:
    chunk({ role: 'assistant', content: null }) +
    call({ id: 'call_1', type: 'function', function: { name: 'write_file', arguments: '' } }),
  piece: (text) => call({ function: { arguments: text } }),
  end: `${chunk({}, 'tool_calls')}data: [DONE]\n\n`,
};
const MESSAGES: Style = {
  begin:
    named('message_start', {
      message: {
        id: 'msg_1',
        type: 'message',
        role: 'assistant',
        model: 'm',
        content: [],
        usage: { input_tokens: 1, output_tokens: 1 },
      },
    }) +
    named('content_block_start', {
      index: 0,
      content_block: { type: 'tool_use', id: 'toolu_1', name: 'write_file', input: {} },
    }),
  piece: (partial_json) =>
    named('content_block_delta', { index: 0, delta: { type: 'input_json_delta', partial_json } }),
  end:
    named('content_block_stop', { index: 0 }) +
    named('message_delta', { delta: { stop_reason: 'tool_use', stop_sequence: null }, usage: { output_tokens: 9 } }) +
    named('message_stop', {}),
};

const ITEM = {
  type: 'function_call',
  id: 'fc_1',
  call_id: 'call_1',
  name: 'write_file',
  arguments: '',
  status: 'in_progress',
};
let sent = 0;
const numbered = (type: string, more: object): string => named(type, { sequence_number: sent++, ...more });
const RESPONSE: Style = {
  get begin() {
    sent = 0;
    const response = { id: 'resp_1', object: 'response', created_at: 1, model: 'm', status: 'in_progress', output: [] };
    return (
      numbered('response.created', { response }) +
      numbered('response.output_item.added', { output_index: 0, item: ITEM })
    );
  },
  // GitHub Copilot gives each event of an item another id.
  piece: (delta) =>
    numbered('response.function_call_arguments.delta', { item_id: `fc_1_${sent}`, output_index: 0, delta }),
  end: '',
};

/** Text that rules of stage `tool` mask is held until their verdict, so here the rule for answers masks. */
const REFUSING = `${testPolicy('production', 'client_monitor_mode: ignore\ncontent: redacted')
  .replace(/ {2}- id: tool\.redact-mail[^]*/, '')
  .trimEnd()}
  - id: tool.no-etc
    title: Nothing is written to /etc
    stage: tool
    severity: high
    when: { all: [ { tool.args.path: { starts_with: /etc } } ] }
    then: { action: block, reason: tool_use_blocked }
    on_unknown: no_match
`;
const TOGETHER = `${testPolicy('staging', 'client_monitor_mode: ignore\ncontent: redacted').trimEnd()}
  - id: tool.one-at-a-time
    title: One call at a time
    stage: tool
    severity: high
    when: { all: [ { tool_calls_count: { gte: 2 } } ] }
    then: { action: block, reason: tool_use_blocked }
    on_unknown: no_match
`;

describe('streamed tool calls in official clients', () => {
  let upstream: RawUpstream;
  let app: TestApp;
  beforeAll(async () => {
    upstream = await RawUpstream.start();
    app = await startTestApp({
      env: { WEIR_OPENAI_BASE_URL: upstream.url, WEIR_ANTHROPIC_BASE_URL: upstream.url, WEIR_RATE_PROXY: 'off' },
      policies: { ...TEST_POLICIES, 'production/policy.yaml': REFUSING, 'staging/policy.yaml': TOGETHER },
    });
  }, 60_000);
  afterAll(async () => {
    await app.close();
    await upstream.close();
  });

  const headers = (environment: 'production' | 'staging' = 'production') => ({
    'X-Service-Key': app.bootstrap.keys[environment],
  });
  const openai = (environment?: 'staging'): OpenAI =>
    new OpenAI({
      apiKey: 'k',
      baseURL: `${app.url}/proxy/openai/v1`,
      defaultHeaders: headers(environment),
      maxRetries: 0,
    });
  const anthropic = (): Anthropic =>
    new Anthropic({ apiKey: 'k', baseURL: `${app.url}/proxy/anthropic`, defaultHeaders: headers(), maxRetries: 0 });
  const chat = (environment?: 'staging') =>
    openai(environment).chat.completions.stream({ model: 'm', messages: [{ role: 'user', content: 'x' }] });
  const messages = () =>
    anthropic().messages.stream({ model: 'm', max_tokens: 9, messages: [{ role: 'user', content: 'x' }] });

  /** Streams the first pieces, and the others when the returned function is called. */
  const inTwo = (style: Style, first: readonly string[], rest: readonly string[]): (() => void) => {
    let goOn: () => void = () => undefined;
    const more = new Promise<void>((resolve) => (goOn = resolve));
    upstream.answer(async (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(style.begin + first.map((text) => style.piece(text)).join(''));
      await more;
      response.end(rest.map((text) => style.piece(text)).join('') + style.end);
    });
    return goOn;
  };
  /** Long enough that no rule can match the text before it any more, so that text is forwarded. */
  const LATER = 'and so on '.repeat(12);
  const FIRST = ['{"path":"a.txt",', '"to":"mail-12, ', LATER];
  const REST = ['Best wishes.', '"}'];
  const WHOLE = { path: 'a.txt', to: `[MAIL_1], ${LATER}Best wishes.` };

  it('are forwarded incrementally, masked: OpenAI', async () => {
    const goOn = inTwo(CHAT, FIRST, REST);
    const stream = chat();
    let seen = '';
    stream.on('tool_calls.function.arguments.delta', ({ arguments_delta }) => {
      seen += arguments_delta;
      if (seen.includes('[MAIL_1], ')) goOn();
    });
    const { choices } = await stream.finalChatCompletion();
    expect(JSON.parse(seen)).toEqual(WHOLE);
    expect(choices[0]!.message.tool_calls?.[0]).toMatchObject({ function: { arguments: seen } });
  });

  it('are forwarded incrementally, masked: Anthropic', async () => {
    const goOn = inTwo(MESSAGES, FIRST, REST);
    const stream = messages();
    stream.on('inputJson', (partial) => void (partial.includes('[MAIL_1], ') && goOn()));
    const { content } = await stream.finalMessage();
    expect(content).toMatchObject([{ type: 'tool_use', name: 'write_file', input: WHOLE }]);
  });

  const REFUSED = ['{"text":"a ', 'b. ",', '"path":"/etc/', 'passwd"', '}'];

  it('raise an error and never become complete when they are refused: OpenAI', async () => {
    inTwo(CHAT, REFUSED, [])();
    const stream = chat();
    const done: string[] = [];
    stream.on('tool_calls.function.arguments.done', ({ arguments: args }) => void done.push(args));
    await expect(stream.finalChatCompletion()).rejects.toMatchObject({ code: 'tool_use_blocked' });
    await expect(stream.finalChatCompletion()).rejects.toBeInstanceOf(APIError);
    expect(done).toEqual([]);
  });

  it('raise an error and never become complete when they are refused: Anthropic', async () => {
    inTwo(MESSAGES, REFUSED, [])();
    const stream = messages();
    const blocks: unknown[] = [];
    stream.on('contentBlock', (block) => void blocks.push(block));
    await expect(stream.finalMessage()).rejects.toThrow('Nothing is written to /etc');
    expect(blocks).toEqual([]);
  });

  it('do not run when they are refused, although the client parses incomplete calls of a failed stream: Vercel AI SDK', async () => {
    inTwo(CHAT, REFUSED, [])();
    const ran: unknown[] = [];
    const errors: string[] = [];
    const model = createOpenAI({ apiKey: 'k', baseURL: `${app.url}/proxy/openai/v1`, headers: headers() }).chat('m');
    const result = streamText({
      model,
      prompt: 'x',
      maxRetries: 0,
      onError: ({ error }) => void errors.push(JSON.stringify(error)),
      tools: {
        write_file: tool({ inputSchema: jsonSchema({ type: 'object' }), execute: (input) => void ran.push(input) }),
      },
    });
    await result.consumeStream();
    expect(ran).toEqual([]);
    expect(errors.join('')).toContain('tool_use_blocked');
  });

  it('raise the error of Weir when they are refused in a response: Vercel AI SDK, OpenAI', async () => {
    const errors: { code?: string; message: string }[] = [];
    const ran: unknown[] = [];
    inTwo(RESPONSE, REFUSED, [])();
    const provider = createOpenAI({ apiKey: 'k', baseURL: `${app.url}/proxy/openai/v1`, headers: headers() });
    const result = streamText({
      model: provider.responses('m'),
      prompt: 'x',
      maxRetries: 0,
      onError: ({ error }) => void errors.push(error as Error),
      tools: {
        write_file: tool({ inputSchema: jsonSchema({ type: 'object' }), execute: (input) => void ran.push(input) }),
      },
    });
    await result.consumeStream();
    expect(ran).toEqual([]);
    expect(errors.map(({ code, message }) => [code, message])).toEqual([
      ['tool_use_blocked', expect.stringContaining('Nothing is written to /etc')],
    ]);
    inTwo(RESPONSE, REFUSED, [])();
    const stream = await openai().responses.create({ model: 'm', input: 'x', stream: true });
    const numbers: number[] = [];
    const read = async (): Promise<void> => {
      for await (const event of stream) numbers.push(event.sequence_number);
    };
    await expect(read()).rejects.toMatchObject({ code: 'tool_use_blocked' });
    expect(numbers.length).toBeGreaterThan(2);
  });

  it('are held until all are complete if a rule judges them together', async () => {
    const second = (more: object): string => chunk({ tool_calls: [{ index: 1, ...more }] });
    upstream.answerSse([
      CHAT.begin,
      CHAT.piece('{"a":1}'),
      second({ id: 'call_2', type: 'function', function: { name: 'search', arguments: '{}' } }),
      CHAT.end,
    ]);
    const refused = chat('staging').finalChatCompletion();
    await expect(refused).rejects.toMatchObject({ status: 400, code: 'tool_use_blocked' });
    upstream.answerSse([CHAT.begin, CHAT.piece('{"a":'), CHAT.piece('1}'), CHAT.end]);
    const { choices } = await chat('staging').finalChatCompletion();
    expect(choices[0]!.message.tool_calls).toHaveLength(1);
  });
});
