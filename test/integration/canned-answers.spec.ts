/** `then.answer`: the answer that clients of providers receive for a refused call if the rule defines one. */
import Anthropic from '@anthropic-ai/sdk';
import { GoogleGenAI } from '@google/genai';
import OpenAI from 'openai';
import { Weir, weir, weirFetch, weirOf } from '../../sdk/node/src/index.js';
import { RawUpstream } from '../support/raw-upstream.js';
import { restClient } from '../support/rest-client.js';
import { startTestApp, testPolicy, type TestApp } from '../support/test-app.js';

const ANSWER = 'I may not speak of "numbers" here.\n\nAsk the travel desk: ✈ 0800 1234.';
const TOOL_ANSWER = 'I cannot book that for you.';
const SSN_RULE = 'action: block, reason: content_policy_violation';
const TOOL_RULE = `  - id: tool.no-booking
    title: Nothing is booked
    stage: tool
    severity: high
    when: { tool.name: book }
    then: { action: block, answer: ${JSON.stringify(TOOL_ANSWER)} }
    on_unknown: match
`;
/** No rule needs a complete answer, so streams are forwarded as they arrive. */
const STREAMING = `
apiVersion: weir/v1
kind: Policy
metadata: { id: staging, title: Test policy, owner: tests@example.com }
environment: staging
default: allow
rules:
${TOOL_RULE}`;
const FURTHER = `
  - id: answer.no-ssn
    title: No number words in answers
    stage: post
    severity: high
    when: { words.types: { any_of: [SSN] } }
    then: { action: block, answer: ${JSON.stringify(ANSWER)} }
    on_unknown: match
${TOOL_RULE}  - id: model.mute
    title: This model is not to be used
    stage: pre
    severity: low
    when: { model.name: mute }
    then: { action: block }
    on_unknown: match
`;
const policyOf = (environment: string, settings: string): string =>
  testPolicy(environment, settings).replace(SSN_RULE, `${SSN_RULE}, answer: ${JSON.stringify(ANSWER)}`) + FURTHER;

const TOOL = { name: 'lookup', description: 'Looks it up.' };
const SCHEMA = { type: 'object' as const, properties: { id: { type: 'string' } } };
const WAYS = ['proxy', 'calls', 'sdk by the proxy'] as const;
type Way = (typeof WAYS)[number];

describe('A canned answer', () => {
  let app: TestApp;
  let upstream: RawUpstream;
  let connections: Readonly<Record<'calls' | 'proxy', Weir>>;
  beforeAll(async () => {
    upstream = await RawUpstream.start();
    app = await startTestApp({
      policies: {
        'production/policy.yaml': policyOf('production', 'client_monitor_mode: ignore\ncontent: redacted'),
        'staging/policy.yaml': STREAMING,
        'development/policy.yaml': policyOf('development', 'mode: monitor\nclient_monitor_mode: honor'),
      },
      env: {
        WEIR_OPENAI_BASE_URL: upstream.url,
        WEIR_ANTHROPIC_BASE_URL: upstream.url,
        WEIR_GEMINI_BASE_URL: upstream.url,
      },
    });
    const options = { apiKey: app.bootstrap.keys.production, baseUrl: app.url, deadlineMs: 60_000 } as const;
    connections = { calls: new Weir(options), proxy: new Weir({ ...options, via: 'proxy' }) };
  }, 60_000);
  afterAll(async () => {
    await Promise.all(Object.values(connections).map((each) => each.flush()));
    await app.close();
    await upstream.close();
  });
  beforeEach(() => {
    upstream.requests.length = 0;
  });

  const key = (): Record<string, string> => ({ 'X-Service-Key': app.bootstrap.keys.production });
  const { submit, read } = restClient(() => app);
  const connection = (way: Way): Weir => connections[way === 'calls' ? 'calls' : 'proxy'];
  const openai = (way: Way): OpenAI => {
    const common = { apiKey: 'provider-key', maxRetries: 0 };
    return way === 'proxy'
      ? new OpenAI({ ...common, baseURL: `${app.url}/proxy/openai/v1`, defaultHeaders: key() })
      : weir(new OpenAI({ ...common, baseURL: `${upstream.url}/v1` }), connection(way));
  };
  const anthropic = (way: Way): Anthropic => {
    const common = { apiKey: 'provider-key', maxRetries: 0 };
    return way === 'proxy'
      ? new Anthropic({ ...common, baseURL: `${app.url}/proxy/anthropic`, defaultHeaders: key() })
      : weir(new Anthropic({ ...common, baseURL: upstream.url }), connection(way));
  };
  const gemini = (way: Way): GoogleGenAI =>
    new GoogleGenAI({
      apiKey: 'provider-key',
      httpOptions:
        way === 'proxy'
          ? { baseUrl: `${app.url}/proxy/gemini`, headers: key() }
          : { baseUrl: upstream.url, fetch: weirFetch(connection(way)) as never, retryOptions: { attempts: 1 } },
    });
  const chat = (content: string) => ({ model: 'gpt-4o', messages: [{ role: 'user' as const, content }] });
  const message = (content: string) => ({
    model: 'claude-test',
    max_tokens: 64,
    messages: [{ role: 'user' as const, content }],
  });
  const post = (path: string, body: object): Promise<Response> =>
    fetch(`${app.url}/proxy/${path}`, {
      method: 'POST',
      headers: { ...key(), 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });

  describe.each(WAYS)('for a refused request (%s)', (way) => {
    afterEach(() => expect(upstream.requests).toHaveLength(0));

    it("is OpenAI's chat completion, even if tools are declared", async () => {
      const tools = [{ type: 'function' as const, function: { ...TOOL, parameters: SCHEMA } }];
      const completion = await openai(way).chat.completions.create({ ...chat('it is ssn-1'), tools });
      expect(completion).toMatchObject({ object: 'chat.completion', model: 'gpt-4o', usage: { total_tokens: 0 } });
      expect(completion.choices).toMatchObject([
        { message: { role: 'assistant', content: ANSWER }, finish_reason: 'stop' },
      ]);
      if (way !== 'proxy') expect(weirOf(completion)).toMatchObject({ decision: 'block' });
    });

    it("is OpenAI's stream of chunks, with usage if it is requested", async () => {
      const asked = { ...chat('it is ssn-1'), stream_options: { include_usage: true } };
      const stream = openai(way).chat.completions.stream(asked);
      expect(await stream.finalContent()).toBe(ANSWER);
      expect(await stream.totalUsage()).toMatchObject({ total_tokens: 0 });
      const counts: number[] = [];
      for await (const { choices } of await openai(way).chat.completions.create({ ...chat('ssn-2'), stream: true })) {
        counts.push(choices.length);
      }
      expect(counts).toEqual([1, 1, 1]);
    });

    it("is of OpenAI's refusal type if OpenAI's client expects JSON", async () => {
      const json_schema = { name: 'found', schema: { ...SCHEMA, additionalProperties: false }, strict: true };
      const asked = { ...chat('it is ssn-1'), response_format: { type: 'json_schema' as const, json_schema } };
      const { choices } = await openai(way).chat.completions.parse(asked);
      expect(choices[0]!.message).toMatchObject({ content: null, refusal: ANSWER, parsed: null });
      const streamed = await openai(way).chat.completions.stream(asked).finalChatCompletion();
      expect(streamed.choices[0]!.message).toMatchObject({ refusal: ANSWER, parsed: null });
      const input = {
        model: 'gpt-4o',
        input: 'it is ssn-1',
        text: { format: { type: 'json_schema' as const, ...json_schema } },
      };
      const response = await openai(way).responses.parse(input);
      expect(response.output).toMatchObject([{ content: [{ type: 'refusal', refusal: ANSWER }] }]);
      expect(response.output_parsed).toBeNull();
    });

    it("is OpenAI's response object, plain and streamed", async () => {
      const input = {
        model: 'gpt-4o',
        input: 'it is ssn-1',
        tools: [{ type: 'function' as const, ...TOOL, parameters: SCHEMA, strict: null }],
      };
      const response = await openai(way).responses.create(input as never);
      expect(response.output_text).toBe(ANSWER);
      const stream = openai(way).responses.stream(input as never);
      let text = '';
      stream.on('response.output_text.delta', ({ delta }) => (text += delta));
      expect(await stream.finalResponse()).toMatchObject({ status: 'completed', output_text: ANSWER });
      expect(text).toBe(ANSWER);
    });

    it("is OpenAI's text completion, plain and streamed", async () => {
      const asked = { model: 'davinci', prompt: 'it is ssn-1' };
      const { choices } = await openai(way).completions.create(asked);
      expect(choices).toMatchObject([{ text: ANSWER, finish_reason: 'stop' }]);
      let text = '';
      for await (const chunk of await openai(way).completions.create({ ...asked, stream: true })) {
        text += chunk.choices[0]?.text ?? '';
      }
      expect(text).toBe(ANSWER);
    });

    it("is Anthropic's message, plain and streamed, even if tools are declared", async () => {
      const asked = { ...message('it is ssn-1'), tools: [{ ...TOOL, input_schema: SCHEMA }] };
      const plain = await anthropic(way).messages.create(asked);
      expect(plain).toMatchObject({
        content: [{ type: 'text', text: ANSWER }],
        stop_reason: 'end_turn',
        role: 'assistant',
      });
      const stream = anthropic(way).messages.stream(asked);
      expect(await stream.finalText()).toBe(ANSWER);
      expect(await stream.finalMessage()).toMatchObject({ stop_reason: 'end_turn', usage: { output_tokens: 0 } });
    });

    it("is Google's candidate, plain and streamed", async () => {
      const asked = {
        model: 'gemini-test',
        contents: 'it is ssn-1',
        config: { tools: [{ functionDeclarations: [TOOL] }] },
      };
      const plain = await gemini(way).models.generateContent(asked);
      expect(plain.text).toBe(ANSWER);
      expect(plain.candidates).toMatchObject([{ finishReason: 'STOP' }]);
      let text = '';
      for await (const chunk of await gemini(way).models.generateContentStream(asked)) text += chunk.text ?? '';
      expect(text).toBe(ANSWER);
    });

    it('is an error if the client expects no text, or if the deciding rule defines no answer', async () => {
      const client = openai(way);
      await expect(client.embeddings.create({ model: 'e', input: 'ssn-1' })).rejects.toThrow(OpenAI.BadRequestError);
      await expect(anthropic(way).messages.countTokens(message('ssn-1') as never)).rejects.toThrow(
        Anthropic.BadRequestError,
      );
      await expect(client.chat.completions.create({ ...chat('hi'), model: 'mute' })).rejects.toThrow(
        OpenAI.BadRequestError,
      );
    });

    it('never replaces the error for a guardrail that could not be evaluated', async () => {
      const error = await openai(way)
        .chat.completions.create(chat('explode'))
        .then(String, (thrown: unknown) => thrown);
      expect(error).toMatchObject({ status: 503, code: 'guardrail_unavailable' });
    });
  });

  it('has status 200 and the decision block in a header, and is one JSON array for Gemini without SSE', async () => {
    const contents = [{ role: 'user', parts: [{ text: 'it is ssn-1' }] }];
    const answer = await post('gemini/v1beta/models/gemini-test:streamGenerateContent', { contents });
    expect([answer.status, answer.headers.get('x-weir-decision'), answer.headers.get('x-should-retry')]).toEqual([
      200,
      'block',
      null,
    ]);
    expect(answer.headers.get('content-type')).toContain('application/json');
    expect(await answer.json()).toMatchObject([{ candidates: [{ content: { parts: [{ text: ANSWER }] } }] }]);
  });

  it('is recorded with the violation, and the call is recorded as blocked', async () => {
    const answer = await post('openai/v1/chat/completions', chat('it is ssn-1'));
    const event = (await read(`/v1/events/${answer.headers.get('x-weir-event-id')}`)).json;
    expect(event).toMatchObject({ decision: 'block', reason: 'content_policy_violation' });
    expect(event.violations).toMatchObject([{ rule: 'words.block-ssn', enforced: true, answered: true }]);
    expect(JSON.stringify(event)).not.toContain('ssn-1');
  });

  it('is not used for events over REST, which are refused with 400 and the message of the rule', async () => {
    const payload = { messages: [{ role: 'user', content: 'it is ssn-1' }] };
    const { status, json } = await submit({ type: 'ai.request', request_id: 'rest', payload });
    expect([status, json.error.message]).toEqual([400, 'Number words stay inside (in messages[0].content)']);
    expect(json.error.violations[0]).not.toHaveProperty('answered');
  });

  it('replaces an answer and a tool call that a rule refuses', async () => {
    const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
    const said = (fields: object) => ({
      id: 'c',
      object: 'chat.completion',
      created: 1,
      model: 'm',
      choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', ...fields } }],
      usage,
    });
    upstream.answerJson(said({ content: 'it is ssn-1' }));
    const client = openai('proxy');
    const { data, response } = await client.chat.completions.create(chat('hi')).withResponse();
    expect(data.choices[0]!.message.content).toBe(ANSWER);
    expect(response.headers.get('x-weir-decision')).toBe('block');
    const event = (await read(`/v1/events/${response.headers.get('x-weir-event-id')}`)).json;
    expect(event).toMatchObject({ type: 'ai.response', violations: [{ rule: 'answer.no-ssn', answered: true }] });
    const call = { id: 'call_1', type: 'function', function: { name: 'book', arguments: '{}' } };
    upstream.answerJson(said({ content: null, tool_calls: [call] }));
    const { choices } = await client.chat.completions.create(chat('book it'));
    expect(choices[0]!.message).toEqual({ role: 'assistant', content: TOOL_ANSWER, refusal: null });
  });

  it('replaces a stream of which nothing was forwarded, but not one that has begun', async () => {
    const chunk = (delta: object): string =>
      `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [{ index: 0, delta, finish_reason: null }] })}\n\n`;
    const client = openai('proxy');
    upstream.answerSse([chunk({ content: 'ssn-1' }), 'data: [DONE]\n\n']);
    expect(await client.chat.completions.stream(chat('hi')).finalContent()).toBe(ANSWER);
    let goOn!: () => void;
    const hasBegun = new Promise<void>((resolve) => (goOn = resolve));
    upstream.answer(async (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(chunk({ content: 'Let me see what there is.' }));
      await hasBegun;
      const call = { index: 0, id: 'call_1', type: 'function', function: { name: 'book', arguments: '{}' } };
      response.end(`${chunk({ tool_calls: [call] })}data: [DONE]\n\n`);
    });
    const headers = { 'X-Service-Key': app.bootstrap.keys.staging };
    const { data, response } = await client.chat.completions
      .create({ ...chat('hi'), stream: true }, { headers })
      .withResponse();
    let text = '';
    const failure = await (async () => {
      for await (const { choices } of data) {
        text += choices[0]?.delta.content ?? '';
        goOn();
      }
    })().then(
      () => undefined,
      (error: unknown) => error,
    );
    expect(text).toBe('Let me see what there is.');
    expect(failure).toMatchObject({ code: 'tool_use_blocked' });
    const requestId = response.headers.get('x-request-id');
    const { data: events } = (await read(`/v1/events?request_id=${requestId}&type=ai.response`)).json;
    expect(events).toMatchObject([{ decision: 'block', violations: [{ rule: 'tool.no-booking' }] }]);
    expect(events[0].violations[0]).not.toHaveProperty('answered');
  });

  it('is not used in an environment in monitor mode', async () => {
    upstream.answerJson({
      id: 'c',
      object: 'chat.completion',
      created: 1,
      model: 'm',
      choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'Hi' } }],
    });
    const answer = await fetch(`${app.url}/proxy/openai/v1/chat/completions`, {
      method: 'POST',
      headers: { 'X-Service-Key': app.bootstrap.keys.development, 'content-type': 'application/json' },
      body: JSON.stringify(chat('it is ssn-1')),
    });
    expect(await answer.json()).toMatchObject({ choices: [{ message: { content: 'Hi' } }] });
  });
});
